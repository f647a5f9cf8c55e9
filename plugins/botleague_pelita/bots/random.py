"""Goes anywhere, never back unless it has to."""

TEAM_NAME = "Random"


def move(bot, state):
    before = bot.track[-2:-1]
    steps = [step for step in bot.legal_positions if step != bot.position]
    onwards = [step for step in steps if step not in before]
    choices = onwards or steps
    if not choices:
        return bot.position
    return bot.random.choice(choices)
