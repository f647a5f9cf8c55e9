# attack: reply
# expect: contained
# verdict: move exception crash timeout
# note: the host's side of a drawing is bytes; what takes them apart runs in the bot's process and time
import botdraw
class Evil(str):
    def __len__(self): return 10 ** 9
    def __iter__(self):
        while True: yield self
    def __float__(self): raise KeyboardInterrupt
    def __str__(self): raise SystemExit
class Number:
    def __float__(self):
        while True: pass
def move(observation):
    botdraw.text(1, 1, Evil("x"), Evil("y"))
    botdraw.circle(Evil("1"), 2 ** 5000, float("nan"))
    botdraw.tag(Evil("x"))
    botdraw.tag("\ud800" * 9999)
    if observation["turn"]: botdraw.circle(Number(), 1, 1)
    return observation["legal"][0]
