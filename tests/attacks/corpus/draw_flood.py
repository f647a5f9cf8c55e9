# attack: output-flood
# expect: contained
# verdict: move exception timeout
# note: drawings are kept in a fixed room, whatever is drawn and how often
import botdraw
def move(observation):
    big = "x" * 1_000_000
    for n in range(300_000):
        botdraw.text(n, n, big)
        botdraw.tag(big)
    botdraw.polygon((n, n) for n in range(300_000))
    return observation["legal"][0]
