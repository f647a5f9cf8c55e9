"""Decisions of organisers, each declared once: its command, form and log entry are computed from the declaration.

A decision is a struct of its options, see :mod:`botleague.struct_fields`, and a function that executes it, whose
docstring is the help of the command. Those about a league are in
:mod:`~botleague.application.decisions.organiser_decisions`; the server declares those about accounts and uploads.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import Meta
from sqlalchemy.engine import Connection

from botleague import struct_fields
from botleague.application.workspace import Workspace
from botleague.league import Season, open_season
from botleague.names import remark
from botleague.people import COMMAND_LINE, CurrentUser
from botleague_storage import events, leagues, organiser_notes

BEFOREHAND = ("frozen",)
"""Events that may be logged before the event of the decision."""

F = TypeVar("F", bound=msgspec.Struct)


class DecisionResult(msgspec.Struct, frozen=True):
    """Result of a decision.

    Attributes:
        text: the result as a sentence.
        values: for programs; they may hold a secret that is shown once.
        changed: values before and after, by name, if the log of the season does not contain them.
        about: id of the account that the decision is about, None without an account.
    """

    text: str
    values: Mapping[str, object] = msgspec.field(default_factory=dict)
    changed: Mapping[str, tuple[object, object]] = msgspec.field(default_factory=dict)
    about: int | None = None


@dataclass(eq=False)
class DecisionContext:
    """The write transaction of a decision, its league and its user.

    Attributes:
        league: its name; None for decisions about no league in particular.
        site: the server's address without a / at its end, for one-time links.
    """

    connection: Connection
    workspace: Workspace
    league: str | None = None
    visitor: CurrentUser = COMMAND_LINE
    site: str = ""

    @cached_property
    def season(self) -> Season:
        """The current season of the league."""
        return open_season(self.connection, self.workspace.plugins, self.league)


Does: TypeAlias = Callable[[DecisionContext, F], DecisionResult]


class Decision(msgspec.Struct, Generic[F], frozen=True):
    """A kind of decision.

    Attributes:
        words: the words of its command.
        fields: its options; ``reason`` and ``league`` mean the same everywhere.
        does: the function that executes it.
        title: label of its form's button; "" without a form.
        about: a sentence below the button.
        name: its kind in the log if the season has no entry of it, and the last part of its form's address.
        is_everywhere: it affects more than the league, so only an organiser of all leagues may decide it.
        preset: options that its form does not have.
    """

    words: str
    fields: type[F]
    does: Does[F]
    title: str
    about: str
    name: str
    is_everywhere: bool = False
    preset: Mapping[str, object] = msgspec.field(default_factory=dict)


def declare(
    fields: type[F],
    words: str,
    title: str = "",
    about: str = "",
    *,
    name: str = "",
    is_everywhere: bool = False,
) -> Callable[[Does[F]], Decision[F]]:
    """Return a decorator that makes a decision of a function; takes the attributes of :class:`Decision`.

    Args:
        name: by default the last of the words.
    """
    return lambda does: Decision(
        words, fields, does, title, about, name or words.rpartition(" ")[2], is_everywhere
    )


def asks(help: str, label: str = "", **extra: Any) -> Meta:
    """Describe an option of a decision; takes the attributes of :class:`~botleague.struct_fields.StructField`."""
    return Meta(description=help, title=label, extra=extra)


League = Annotated[str, asks("League name.", argument=True)]
Reason = Annotated[str, asks("Reason, shown in the standings.", "Reason, shown in the table", read=remark)]
Why = Annotated[str, asks("Reason, for the decision log.", "Reason, for the log", read=remark)]


def decide(decision: Decision[F], options: F, context: DecisionContext) -> DecisionResult:
    """Execute a decision, and store it with each entry that it adds to the log of a league.

    A change without an entry is stored in the league that it is about, or in every league.
    """
    connection = context.connection
    seasons = {row.name: leagues.current_season(connection, row.id).id for row in leagues.leagues(connection)}
    last = {name: events.last(connection, season) for name, season in seasons.items()}
    result = decision.does(context, options)
    entries: dict[str, int | None] = {}
    for name, season in seasons.items():
        coming = events.events(connection, season, after=last[name])
        event = next((row.number for row in coming if row.kind not in BEFOREHAND), None)
        if event is not None:
            entries[name] = event
    if result.changed and not entries:
        about = context.league or result.values.get("league")
        entries = {name: None for name in seasons if about in (None, name)}
    values = {
        "reason": getattr(options, "reason", ""),
        "changed": {name: list(pair) for name, pair in result.changed.items()},
        "command": command_text(decision, options),
    }
    content = {name: value for name, value in values.items() if value}
    for name, event in entries.items():
        organiser_notes.add_decision(
            connection,
            seasons[name],
            decision.name,
            content,
            time.time(),
            event=event,
            account_id=context.visitor.account or None,
            about_id=result.about,
        )
    return result


def command_text(decision: Decision[F], values: F) -> str:
    """Return the command for the same decision; empty options are left out."""
    return struct_fields.command_text(decision.words.split(), values)
