"""Grows a tree of the actions that look best so far, and plays each new leaf to its end at random.

Monte Carlo tree search with UCB1: an action is tried when it has won often or has hardly been tried.
"""

import math
import random

from sample_players import BasePlayer

EXPLORE = 0.7
WIDEST = 12  # openings that are tried at all


class Node:
    """A position after ``action``; ``wins`` are those of the player who took it."""

    def __init__(self, state, action=None, parent=None):
        self.state = state
        self.action = action
        self.parent = parent
        self.children = []
        self.untried = [] if state.terminal_test() else state.actions()
        self.visits = 0
        self.wins = 0.0

    def most_promising(self):
        log_visits = math.log(self.visits)
        return max(
            self.children,
            key=lambda child: child.wins / child.visits + EXPLORE * math.sqrt(log_visits / child.visits),
        )


class CustomPlayer(BasePlayer):
    def get_action(self, state):
        root = Node(state)
        if None in state.locs:
            root.untried.sort(key=lambda cell: -len(state.liberties(cell)))
            del root.untried[WIDEST:]
        random.shuffle(root.untried)
        while True:
            leaf = self.grown(root)
            self.count(leaf, self.first_player_wins(leaf.state))
            best = max(root.children, key=lambda child: child.visits)
            self.queue.put(best.action)

    def grown(self, node):
        """Follow the most promising actions down to a position with an untried one, and try it."""
        while node.children and not node.untried:
            node = node.most_promising()
        if node.untried:
            action = node.untried.pop()
            node.children.append(Node(node.state.result(action), action, node))
            node = node.children[-1]
        return node

    def first_player_wins(self, state):
        while not state.terminal_test():
            state = state.result(random.choice(state.actions()))
        return state.utility(0) > 0

    def count(self, node, first_won):
        while node is not None:
            node.visits += 1
            if first_won == (node.state.player() == 1):  # player 0 has taken the action
                node.wins += 1
            node = node.parent
