"""Looks ahead for as long as its time allows, and counts the pieces: for chess and checkers."""

import random

BUDGET_MS = 250
MATE = 1000.0
CHESS = {"P": 1, "N": 3, "B": 3.2, "R": 5, "Q": 9, "K": 0}
VALUES = {
    **{letter: (1, value) for letter, value in CHESS.items()},
    **{letter.lower(): (0, value) for letter, value in CHESS.items()},
}
CHECKERS = {"o": (0, 1), "8": (0, 1.7), "+": (1, 1), "*": (1, 1.7)}


class OutOfTime(Exception):
    pass


class Search:
    def __init__(self, state):
        self.state = state
        self.start = state.time_left_ms()
        self.values = VALUES if "/" in state.observation else CHECKERS

    def worth(self, position, player):
        total = 0.0
        # of a FEN only the board; of checkers each row without its number
        for row in str(position).split(" ")[0].split("\n"):
            for mark in row if self.values is VALUES else row[1:]:
                if mark in self.values:
                    seat, value = self.values[mark]
                    total += value if seat == player else -value
        return total

    def value(self, position, depth, low, high):
        """Return the worth of a position for the player to move."""
        if self.start - self.state.time_left_ms() > BUDGET_MS:
            raise OutOfTime
        if position.is_terminal():
            raise AssertionError("asked before")
        player = position.current_player()
        if depth == 0:
            return self.worth(position, player)
        for action in position.legal_actions():
            low = max(low, self.after(position, action, player, depth, low, high))
            if low >= high:
                break
        return low

    def after(self, position, action, player, depth, low, high):
        """Return the worth of an action for the player who takes it; in checkers the same player may jump on."""
        child = position.child(action)
        if child.is_terminal():
            return MATE * child.returns()[player] + depth
        if child.current_player() == player:
            return self.value(child, depth - 1, low, high)
        return -self.value(child, depth - 1, -high, -low)


def act(state):
    search, position = Search(state), state.position()
    actions = list(state.legal_actions)
    random.shuffle(actions)
    best = actions[0]
    try:
        for depth in range(1, 20):
            low, found = -2 * MATE, best
            for action in actions:
                value = search.after(position, action, state.player, depth, low, 2 * MATE)
                if value > low:
                    low, found = value, action
            best = found
            actions.sort(key=lambda action: action != best)
            if abs(low) >= MATE:
                break
    except OutOfTime:
        pass
    return best
