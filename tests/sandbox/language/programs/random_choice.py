import random
random.seed(7)
def move(observation):
    return random.choice(observation["legal"])
