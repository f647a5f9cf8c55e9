"""Plays the operations of a recorded script, one list a turn, and tells at the start of each what it remembers.

The test lays a module ``stage`` beside it: the script, and how to tell, to sleep and to die.
"""

from sample_players import BasePlayer
from stage import SCRIPT, die, sleep, tell

KEPT = None


class CustomPlayer(BasePlayer):
    def __init__(self, player_id):
        super().__init__(player_id)
        self.memory = None

    def get_action(self, state):
        global KEPT
        tell([self.context, self.memory, KEPT])
        for operation, *values in SCRIPT[(state.ply_count - 2) // 2]:
            if operation == "put":
                self.queue.put(*values)
            elif operation == "put_nowait":
                self.queue.put_nowait(*values)
            elif operation == "try_put":
                try:  # noqa: SIM105  # as bots write it
                    self.queue.put(*values)
                except Exception:
                    pass
            elif operation == "get":
                self.queue.get()
            elif operation == "sleep":
                sleep(*values)
            elif operation == "raise":
                raise ValueError("scripted")
            elif operation == "exit":
                die()
            elif operation == "context":
                (self.context,) = values
            elif operation == "context_lambda":
                self.context = lambda: None
            elif operation == "attr":
                (self.memory,) = values
            elif operation == "global":
                (KEPT,) = values
            else:
                raise NotImplementedError(operation)
