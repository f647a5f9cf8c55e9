"""The sender of a request: a viewer and the proof of identity."""

from __future__ import annotations

import msgspec

from botleague.people.viewer import PUBLIC, Viewer


class CurrentUser(msgspec.Struct, frozen=True):
    """The sender of a request.

    Attributes:
        viewer: identity and permissions.
        account: the account's id, 0 for no account.
        session, token: the id of the presented session or token, None for none.
    """

    viewer: Viewer = PUBLIC
    account: int = 0
    session: int | None = None
    token: int | None = None


NOBODY = CurrentUser()

COMMAND_LINE = CurrentUser(Viewer(role="organiser"))
"""The command line may decide everything, and has no account."""
