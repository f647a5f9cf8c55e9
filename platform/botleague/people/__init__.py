"""Viewers, roles, passwords, codes and lockouts, as pure functions and values without a database.

Time and randomness are arguments. :mod:`botleague_server.accounts.account_service` stores the results.
"""

from botleague.people.addresses import LOOPBACK, network_of, reach_note
from botleague.people.lockout import FREE_IN_ALL, OPEN, Attempts
from botleague.people.passwords import MIN_LENGTH, Passwords, check_password
from botleague.people.tokens import digest, keyed_digest, new_code, new_secret, plain_code
from botleague.people.viewer import PUBLIC, ROLES, SCOPES, Role, Scope, Viewer, is_at_least
from botleague.people.visitor import NOBODY, CurrentUser

__all__ = [
    "FREE_IN_ALL",
    "LOOPBACK",
    "MIN_LENGTH",
    "NOBODY",
    "OPEN",
    "PUBLIC",
    "ROLES",
    "SCOPES",
    "Attempts",
    "CurrentUser",
    "Passwords",
    "Role",
    "Scope",
    "Viewer",
    "check_password",
    "digest",
    "is_at_least",
    "keyed_digest",
    "network_of",
    "new_code",
    "new_secret",
    "plain_code",
    "reach_note",
]
