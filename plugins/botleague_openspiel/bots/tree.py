"""Grows a tree with the library's own Monte Carlo search: 300 simulations, fewer where games are long."""

import random

import pyspiel

EXPLORE = 1.5
SIMULATIONS = 300
MEMORY_MB = 64
LIMIT_S = 0.3


def act(state):
    if len(state.legal_actions) == 1:
        return state.legal_actions[0]
    seed = random.getrandbits(30)
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    policy = pyspiel.ChildSelectionPolicy.UCT
    search = pyspiel.MCTSBot(
        state.game, evaluator, EXPLORE, SIMULATIONS, MEMORY_MB, True, seed, False, policy, LIMIT_S
    )
    return search.step(state.position())
