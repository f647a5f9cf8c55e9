import random


def move(observation):
    return random.randrange(10)
