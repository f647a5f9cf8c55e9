"""Viewers, roles, passwords, codes and lockouts, as pure functions and values without a database.

Time and randomness are arguments. :mod:`botleague_server.accounts.account_service` stores the results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.people.addresses import LOOPBACK, network_of, reach_note
    from botleague.people.lockout import FREE_IN_ALL, OPEN, Attempts
    from botleague.people.passwords import MIN_LENGTH, Passwords, check_password
    from botleague.people.tokens import digest, keyed_digest, new_code, new_secret, plain_code
    from botleague.people.viewer import PUBLIC, ROLES, SCOPES, Role, Scope, Viewer, is_at_least
    from botleague.people.visitor import COMMAND_LINE, NOBODY, CurrentUser

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
