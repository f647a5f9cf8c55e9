# attack: protocol
# expect: rejected
# language: promised
# verdict: crash garbage
# turns: 2
# note: the process is gone when its answer is read; the host must still be able to look at its clock
import os, sys
def move(observation):
    os.write(4, sys.stdout._wire.say(1, observation["legal"][0]))
    os._exit(0)
