"""The rules' pictures of a match: of its states, and of what one seat observes."""

from __future__ import annotations

from typing import Any

from botleague.plugins.boundary import Boundary
from botleague.referee.conduct import Event, Finished, Started
from botleague.rules import Fault, Scene, Told, Variant


def scene_of(variant: Variant, state: Any) -> Scene:
    """Return the picture of a state, as spectators see it.

    Raises:
        PluginError: the rules raised.
    """
    with Boundary("rules of", variant.name):
        return variant.rules.scene(state)


class SeatView:
    """Collects the knowledge of one seat from the events of a match.

    Attributes:
        is_missing: whether the game has no views; valid from the seat's first observation on.
    """

    def __init__(self, variant: Variant, seat: int) -> None:
        self.is_missing = False
        self._variant = variant
        self._seat = seat
        self._declaration: object = None
        self._briefing: object = None
        self._observations: list[object] = []

    def note(self, event: Event) -> Scene | None:
        """Return the picture of the seat's knowledge after an event; None without a new observation.

        Raises:
            PluginError: the rules raised.
        """
        if isinstance(event, Finished):
            return None
        with Boundary("rules of", self._variant.name):
            if isinstance(event, Started):
                self._begin(event)
            return self._look(event.state)

    def _begin(self, event: Started) -> None:
        self._declaration = event.declarations[self._seat]
        if not isinstance(self._declaration, Fault):
            self._briefing = self._variant.rules.brief(event.state, self._seat)

    def _look(self, state: Any) -> Scene | None:
        rules = self._variant.rules
        if isinstance(self._declaration, Fault) or self._seat not in rules.acting(state):
            return None
        self._observations.append(rules.observe(state, self._seat))
        scene = rules.view(Told(self._declaration, self._briefing, tuple(self._observations)), self._seat)
        self.is_missing = scene is None
        return scene
