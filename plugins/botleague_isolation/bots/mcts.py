"""Grows a tree of the actions that look best so far, and remembers which of them are won or lost for certain.

Monte Carlo tree search: an action is tried when it did well or was hardly tried (UCB1). A new position is judged by
a few random plies and the room that both players have then, not by a whole random game.
"""

import math
import random

from sample_players import BasePlayer

EXPLORE = 0.4
PLIES = 4  # played at random before a position is judged
SLOPE = 0.35  # how much one cell of room more is worth
WIDEST = 10  # openings that are tried at all
PUT_EVERY = 16  # visits

WON, LOST = 1, -1


class Node:
    """The position after ``action``; ``value`` is summed up and ``proven`` is told for the player who took it."""

    __slots__ = ("action", "children", "proven", "state", "untried", "value", "visits")

    def __init__(self, state, action=None):
        self.state = state
        self.action = action
        self.children = []
        self.visits = 0
        self.value = 0.0
        self.proven = 0
        if state.terminal_test():
            self.untried = []
            self.proven = LOST if state.utility(state.player()) > 0 else WON
        else:
            self.untried = state.actions()

    def most_promising(self):
        explore = EXPLORE * math.sqrt(math.log(self.visits))
        best, most = None, -1.0
        for child in self.children:
            if child.proven != LOST:
                promise = child.value / child.visits + explore / math.sqrt(child.visits)
                if promise > most:
                    best, most = child, promise
        return best

    def conclude(self):
        """Note that the position is decided, if its children say so."""
        if any(child.proven == WON for child in self.children):
            self.proven = LOST
        elif not self.untried and all(child.proven == LOST for child in self.children):
            self.proven = WON


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        root = Node(state)
        if None in state.locs:
            root.untried.sort(key=lambda cell: -len(state.liberties(cell)))
            del root.untried[WIDEST:]
        random.shuffle(root.untried)
        self.queue.put(root.untried[0])
        while not root.proven and len(root.untried) + len(root.children) > 1:
            for _ in range(PUT_EVERY):
                self.visit(root)
            self.queue.put(max(root.children, key=lambda child: (child.proven, child.visits)).action)

    def visit(self, root):
        """Follow the most promising actions to a new position, and tell all on the way how good it is."""
        path = [root]
        node = root
        while not node.untried and not node.proven:
            node = node.most_promising()
            path.append(node)
        if not node.proven:
            action = node.untried.pop()
            node.children.append(Node(node.state.result(action), action))
            path.append(node.children[-1])
        value = self.first_players_chance(path[-1].state)
        for node in reversed(path):
            node.visits += 1
            node.value += value if node.state.player() == 1 else 1 - value
            if node.children:
                node.conclude()

    def first_players_chance(self, state):
        """Return from 0 to 1 how likely player 0 wins."""
        for _ in range(PLIES):
            if state.terminal_test():
                break
            state = state.result(random.choice(state.actions()))
        if state.terminal_test():
            return 1.0 if state.utility(0) > 0 else 0.0
        more_room = self.room(state, state.locs[0]) - self.room(state, state.locs[1])
        return 1 / (1 + math.exp(-SLOPE * more_room))

    def room(self, state, loc):
        """Return the cells within one step, and half those within two."""
        if loc is None:
            return 0
        near = state.liberties(loc)
        far = set(near)
        for cell in near:
            far.update(state.liberties(cell))
        return len(near) + len(far) / 2
