"""Decisions of organisers, each declared once: its command, its form and what the log says of it follow from that.

A decision is a struct of what it asks for, see :mod:`botleague.struct_fields`, and a function that does it, whose
docstring is the help of the command. Those about a league are in
:mod:`~botleague.application.decisions.organiser_decisions`; the server declares those about accounts and uploads.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

import msgspec
from msgspec import Meta
from sqlalchemy.engine import Connection

from botleague.application.workspace import Workspace
from botleague.league import Season, open_season
from botleague.names import remark
from botleague.people import CurrentUser, Viewer
from botleague.struct_fields import struct_fields
from botleague_storage import events, leagues, organiser_notes

COMMAND_LINE = CurrentUser(Viewer(role="organiser"))
"""Whoever may write the database decides about everything, and is nobody's account."""

BEFOREHAND = ("frozen",)
"""Events that may be logged before the one that was decided."""

F = TypeVar("F", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class DecisionResult:
    """What came of a decision.

    Attributes:
        text: in words.
        values: for programs; they may hold a secret that is shown once.
        changed: what was before and after, by name, where the log of the season does not tell.
        about: the id of the account that it is about, None for nobody's.
    """

    text: str
    values: Mapping[str, object] = field(default_factory=dict)
    changed: Mapping[str, tuple[object, object]] = field(default_factory=dict)
    about: int | None = None


@dataclass(eq=False)
class DecisionContext:
    """Where something is decided: in which write transaction, about which league, and by whom.

    Attributes:
        league: its name; None for what concerns none in particular.
        visitor: who decides.
        site: the server's address without a / at its end, for links that are shown once.
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


@dataclass(frozen=True, slots=True)
class Decision(Generic[F]):
    """Something that organisers decide.

    Attributes:
        words: of its command.
        fields: what it asks for; ``reason`` and ``league`` mean the same everywhere.
        does: does it.
        title: what the button of its form says; "" without a form.
        about: what it does, in a sentence below the button.
        name: what the log calls it where the season has no entry of it, and the last part of its form's address.
        is_everywhere: it reaches beyond the league, so only an organiser of all leagues may.
        preset: what its form does not ask for.
    """

    words: str
    fields: type[F]
    does: Does[F]
    title: str
    about: str
    name: str
    is_everywhere: bool = False
    preset: Mapping[str, object] = field(default_factory=dict)


def declare(
    fields: type[F],
    words: str,
    title: str = "",
    about: str = "",
    *,
    name: str = "",
    is_everywhere: bool = False,
) -> Callable[[Does[F]], Decision[F]]:
    """Return a decorator that makes a decision of the function that does it; takes what :class:`Decision` does.

    Args:
        name: the last of the words if it is not given.
    """
    return lambda does: Decision(
        words, fields, does, title, about, name or words.rpartition(" ")[2], is_everywhere
    )


def asks(help: str, label: str = "", **extra: Any) -> Meta:
    """Describe what a decision asks for; takes what :class:`~botleague.struct_fields.StructField` does."""
    return Meta(description=help, title=label, extra=extra)


League = Annotated[str, asks("League.", argument=True)]
Reason = Annotated[str, asks("Reason, shown in the standings.", "Reason, shown in the table", read=remark)]
Why = Annotated[str, asks("Reason, for the decision log.", "Reason, for the log", read=remark)]


def decide(decision: Decision[F], given: F, context: DecisionContext) -> DecisionResult:
    """Decide something, and note it with each entry of a league's log that comes of it.

    What changes something without an entry is noted in the league that it is about, or in every league.
    """
    connection = context.connection
    seasons = {row.name: leagues.current_season(connection, row.id).id for row in leagues.leagues(connection)}
    last = {name: events.last(connection, season) for name, season in seasons.items()}
    done = decision.does(context, given)
    noted: dict[str, int | None] = {}
    for name, season in seasons.items():
        coming = events.events(connection, season, after=last[name])
        event = next((row.number for row in coming if row.kind not in BEFOREHAND), None)
        if event is not None:
            noted[name] = event
    if done.changed and not noted:
        about = context.league or done.values.get("league")
        noted = {name: None for name in seasons if about in (None, name)}
    said = {
        "reason": getattr(given, "reason", ""),
        "changed": {name: list(pair) for name, pair in done.changed.items()},
        "command": command_text(decision, given),
    }
    content = {name: value for name, value in said.items() if value}
    for name, event in noted.items():
        organiser_notes.add_decision(
            connection,
            seasons[name],
            decision.name,
            content,
            time.time(),
            event=event,
            account_id=context.visitor.account or None,
            about_id=done.about,
        )
    return done


def command_text(decision: Decision[F], given: F) -> str:
    """Return the command that decides the same, as it is typed; options that are empty are left out."""
    words, options = ["botleague", *decision.words.split()], list[str]()
    for one in struct_fields(decision.fields):
        value = getattr(given, one.name)
        if value is None or value is False or value == "":
            continue
        text = f"{value:.15g}" if isinstance(value, float) else str(value)
        if not one.flags:
            words.append(text)
        else:
            options += [one.flags[0], *([] if value is True else [text])]
    return shlex.join([*words, *options])
