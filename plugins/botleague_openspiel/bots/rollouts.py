"""Plays each action to the end at random, again and again, and takes the one with the best results.

At a simultaneous turn the others' actions are random, too.
"""

import random

BUDGET_MS = 200
MAX_PLAYOUTS = 400


def act(state):
    actions = state.legal_actions
    if len(actions) == 1:
        return actions[0]
    start = state.time_left_ms()
    totals = dict.fromkeys(actions, 0.0)
    playouts = 0
    while playouts < MAX_PLAYOUTS and start - state.time_left_ms() < BUDGET_MS:
        for action in actions:  # whole rounds, so that sums compare
            totals[action] += played_out(state, action)
        playouts += len(actions)
    return max(actions, key=lambda action: (totals[action], random.random()))


def played_out(state, action):
    """Return the player's result of one random game after an action."""
    position = state.position()
    play(position, state.player, action)
    while not position.is_terminal():
        play(position)
    return position.returns()[state.player]


def play(position, player=None, action=None):
    """Play one turn: ``action`` for ``player``, everything else at random."""
    if position.is_chance_node():
        actions, weights = zip(*position.chance_outcomes(), strict=True)
        position.apply_action(random.choices(actions, weights)[0])
    elif position.is_simultaneous_node():
        options = [position.legal_actions(seat) or [0] for seat in range(position.num_players())]
        joint = [random.choice(legal) for legal in options]
        if player is not None:
            joint[player] = action
        position.apply_actions(joint)
    else:
        position.apply_action(random.choice(position.legal_actions()) if player is None else action)
