"""Viewers with their roles: the argument of all code that shows or decides something.

Roles are ordered: a later role includes all permissions of the earlier ones.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

Role: TypeAlias = Literal["spectator", "author", "helper", "organiser"]
"""Read; submit; read everything without decisions; decide."""

ROLES: tuple[Role, ...] = ("spectator", "author", "helper", "organiser")

Scope: TypeAlias = Literal["submit", "read-own", "organise"]
"""Permission of a token: submit, read the owner's data, make the owner's decisions."""

SCOPES: tuple[Scope, ...] = ("submit", "read-own", "organise")


def is_at_least(role: Role, required: Role) -> bool:
    """Return whether ``role`` is ``required`` or a later one."""
    return ROLES.index(role) >= ROLES.index(required)


class Viewer(msgspec.Struct, frozen=True):
    """The permissions of one account, or of the public.

    Attributes:
        handle: of the account; "" for the public.
        team: the handle of the account's team, which owns its bots.
        role: in every league.
        roles: in single leagues, by name.
        scopes: current permissions; None, only in a session, for all that the roles allow.
    """

    handle: str = ""
    team: str = ""
    role: Role = "spectator"
    roles: tuple[tuple[str, Role], ...] = ()
    scopes: tuple[Scope, ...] | None = None

    def role_in(self, league: str) -> Role:
        """Return the role in a league: the later of the league's and the general one."""
        return max((self.role, dict(self.roles).get(league, self.role)), key=ROLES.index)

    @property
    def highest(self) -> Role:
        """The latest role in any league."""
        return max((self.role, *(role for _, role in self.roles)), key=ROLES.index)

    def owns(self, owner: str) -> bool:
        """Return whether the viewer's team is a bot's owner."""
        return bool(self.team) and owner == self.team


PUBLIC = Viewer()
"""A viewer without an account."""
