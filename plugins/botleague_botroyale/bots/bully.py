"""Looks for somebody to push to death, this turn if it can, and goes where such victims stand.

Style: aggressive. It plans a whole turn ahead: every walk it can afford to a tile from which one or two pushes
kill, and takes the cheapest.
"""

import heapq

import botroyale as br


class Bully(br.BaseBot):
    NAME = "bully"
    COLOR_INDEX = 1

    def poll_action(self, state):
        plan = self.deadly_plan(state)
        if plan:
            return plan[0]
        return self.approach(state)

    def deadly_plan(self, state):
        """Return the actions of the cheapest kill within this turn, nothing if there is none."""
        rivals = int(state.alive_mask.sum()) - 1
        queue = [(0, 0, state, ())]
        seen = set()
        number = 0
        while queue and number < 400:
            spent, _, now, actions = heapq.heappop(queue)
            if now.alive_mask.sum() - 1 < rivals and now.alive_mask[self.id]:
                return actions
            if len(actions) == 4:
                continue
            here = now.positions[self.id]
            options = [br.Push(tile) for tile in here.neighbors if tile in now.positions]
            options += [br.Move(tile) for tile in here.neighbors]
            for action in options:
                if not now.check_legal_action(action):
                    continue
                after = now.apply_action_manual(action)
                key = tuple(after.positions)
                if not after.alive_mask[self.id] or key in seen:
                    continue
                seen.add(key)
                number += 1
                heapq.heappush(queue, (spent + action.ap, number, after, (*actions, action)))
        return None

    def approach(self, state):
        """Return a step towards the rival that stands worst, and never one to where the ring will be."""
        here = state.positions[self.id]
        victims = [
            tile for uid, tile in enumerate(state.positions) if state.alive_mask[uid] and uid != self.id
        ]
        safe_radius = state.death_radius - 2
        in_danger = br.center_distance(here) > safe_radius
        # Half the points stay in the pocket for a kill in the next round.
        if not victims or (state.ap[self.id] < 70 and not in_danger):
            return br.Idle()
        goal = br.CENTER if in_danger else min(victims, key=lambda tile: self.worth(state, tile, here))
        steps = []
        for tile in here.neighbors:
            action = br.Move(tile)
            if tile in state.pits or not state.check_legal_action(action):
                continue
            if br.center_distance(tile) > safe_radius and br.center_distance(tile) >= br.center_distance(
                here
            ):
                continue
            exposed = sum(beside in state.pits for beside in tile.neighbors)
            steps.append((tile.get_distance(goal), exposed, tile.xy, action))
        if not steps or (min(steps)[0] >= here.get_distance(goal) and not in_danger):
            return br.Idle()
        return min(steps)[3]

    def worth(self, state, tile, here):
        pits = sum(beside in state.pits for beside in tile.neighbors)
        edge = br.center_distance(tile) >= state.death_radius - 2
        return here.get_distance(tile) - 2 * pits - 3 * edge


BOT = Bully
