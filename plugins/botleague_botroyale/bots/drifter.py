"""Wanders about: any action that does not kill it. The measure for everybody else."""

import random

import botroyale as br


class Drifter(br.BaseBot):
    NAME = "drifter"
    COLOR_INDEX = 8

    def poll_action(self, state):
        here = state.positions[self.id]
        options = [br.Move(tile) for tile in here.neighbors]
        options += [br.Push(tile) for tile in here.neighbors]
        options += [br.Jump(tile) for tile in here.ring(2)]
        random.shuffle(options)
        for action in options:
            if random.random() < 0.15:
                break  # enough for this turn
            if not state.check_legal_action(action):
                continue
            after = state.apply_action_manual(action)
            home = after.positions[self.id]
            if after.alive_mask[self.id] and br.center_distance(home) < after.death_radius - 1:
                return action
        return br.Idle()


BOT = Drifter
