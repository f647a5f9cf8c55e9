# attack: reply
# expect: contained
# verdict: exception
# note: taking these replies apart runs a method of the bot, which raises; that is an exception and no end of the process
import datetime


class Set(set):
    def __iter__(self):
        raise KeyError("the set")


class Zone(datetime.tzinfo):
    def utcoffset(self, when):
        raise SystemExit


def move(observation):
    if observation["turn"] == 0:
        return Set([1, 2])
    return datetime.datetime(2000, 1, 1, tzinfo=Zone())
