# attack: flood
# expect: contained
# verdict: garbage move
# turns: 1
# note: a few milliseconds of writing prepared frames of output; each costs the host more to clean than the bot to send
import os
import sys


def move(observation):
    frame = sys.stdout._wire.say(3, None, "\u202e" * 5_000)
    for _ in range(400):
        sent = 0
        while sent < len(frame):
            sent += os.write(4, frame[sent:])
    return observation["legal"][0]
