"""The sender of a request: a viewer, and how they proved who they are."""

from __future__ import annotations

from dataclasses import dataclass

from botleague.people.viewer import PUBLIC, Viewer


@dataclass(frozen=True, slots=True)
class CurrentUser:
    """Whom a request comes from.

    Attributes:
        viewer: who that is, and what they may do.
        account: the account's id, 0 for nobody.
        session, token: the number of what they showed, None for what they did not.
    """

    viewer: Viewer = PUBLIC
    account: int = 0
    session: int | None = None
    token: int | None = None


NOBODY = CurrentUser()
