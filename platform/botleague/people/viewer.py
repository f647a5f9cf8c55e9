"""Who looks, and what they may do: a value that everything which shows or decides something takes.

Roles are steps: whoever may do something at one of them may do it at every later one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

Role: TypeAlias = Literal["spectator", "author", "helper", "organiser"]
"""Looks; hands in; sees everything and decides nothing; decides."""

ROLES: tuple[Role, ...] = ("spectator", "author", "helper", "organiser")

Scope: TypeAlias = Literal["submit", "read-own", "organise"]
"""What a token is for: handing in, reading what its owner may read, deciding what its owner may decide."""

SCOPES: tuple[Scope, ...] = ("submit", "read-own", "organise")


def is_at_least(role: Role, wanted: Role) -> bool:
    """Return whether a role is ``wanted`` or a later one."""
    return ROLES.index(role) >= ROLES.index(wanted)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Somebody, as far as it matters for what they see and do.

    Attributes:
        handle: of the account; "" for whoever comes along.
        team: the handle of their team, which is the owner of their bots.
        role: in every league.
        roles: in single leagues, by name.
        scopes: what they may do now; None for all that their roles allow, which only a session is.
    """

    handle: str = ""
    team: str = ""
    role: Role = "spectator"
    roles: tuple[tuple[str, Role], ...] = ()
    scopes: tuple[Scope, ...] | None = None

    def role_in(self, league: str) -> Role:
        """Return the role in a league: there or everywhere, whichever is the later."""
        return max((self.role, dict(self.roles).get(league, self.role)), key=ROLES.index)

    @property
    def highest(self) -> Role:
        """The latest role in any league."""
        return max((self.role, *(role for _, role in self.roles)), key=ROLES.index)

    def owns(self, owner: str) -> bool:
        """Return whether a bot's owner is their team."""
        return bool(self.team) and owner == self.team


PUBLIC = Viewer()
"""Whoever comes along."""
