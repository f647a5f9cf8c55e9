"""The decisions of the desk: what each asks for, what it does, and the command that does the same.

What they do is :mod:`botleague.application.decisions.organiser_decisions`, as on the command line.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sqlalchemy.engine import Connection

from botleague.application import Workspace
from botleague.application.decisions import Decided, command, organiser_decisions
from botleague.errors import UsageError
from botleague.league import Season
from botleague.league.season import DATES
from botleague.names import remark
from botleague.people import ROLES, CurrentUser, Role
from botleague_server.accounts import account_decisions
from botleague_server.uploads import limit_decision
from botleague_storage import leagues, page_queries

DAYS = 14

MOST_USES = 10_000

Kind: TypeAlias = Literal["text", "bot", "number", "role"]


@dataclass(frozen=True, slots=True)
class Field:
    """Something that a decision asks for; ``hint`` is shown in the empty field."""

    name: str
    label: str
    kind: Kind = "text"
    required: bool = True
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """A decision that is asked for: by whom, about which season, in a write transaction, with which texts.

    Attributes:
        site: the server's address without a / at its end.
    """

    workspace: Workspace
    connection: Connection
    season: Season
    who: CurrentUser
    given: Mapping[str, str]
    site: str

    def number(self, name: str) -> int:
        """Return a whole number that was given.

        Raises:
            UsageError: it is none.
        """
        text = self.given.get(name, "").strip()
        if not (text.isascii() and text.isdecimal() and len(text) < 19):
            raise UsageError(f"{name}: {text[:40]!r} is not a whole number.")
        return int(text)

    def number_if_given(self, name: str) -> int | None:
        """Return the same; None where the field was left empty."""
        return self.number(name) if self.given.get(name, "").strip() else None

    def match(self, name: str) -> str:
        """Return the number of the match that was given."""
        return _match_number(self.season.league.name, self.given.get(name, ""))

    @property
    def reason(self) -> str:
        """Why; raises UsageError if it is not a line of text."""
        return remark(self.given.get("reason", "").strip())

    @property
    def role(self) -> Role:
        """The role that was chosen; raises UsageError if it is none."""
        for role in ROLES:
            if role == self.given.get("role"):
                return role
        raise UsageError(f"Choose a role: {', '.join(ROLES)}.")

    @property
    def bot(self) -> str:
        """The bot that was named."""
        return self.given.get("bot", "").strip()

    @property
    def handle(self) -> str:
        """Whose account was named."""
        return self.given.get("handle", "").strip()


@dataclass(frozen=True, slots=True)
class Decision:
    """Something that organisers decide.

    Attributes:
        title: what the button says.
        about: what it does, in a sentence.
        fields: what it asks for.
        does: does it.
        command: returns the command that does the same, of the league's name and what was given.
        everywhere: it reaches beyond the league, so only an organiser of all leagues may.
    """

    title: str
    about: str
    fields: tuple[Field, ...]
    does: Callable[[Asked], Decided]
    command: Callable[[str, Mapping[str, str]], str]
    everywhere: bool = False

    def example(self, league: str) -> str:
        """Return the command with what has to be filled in."""
        return self.command(
            league, {field.name: field.name.upper() for field in self.fields if field.required}
        )


BOT = Field("bot", "Bot", "bot")
REASON = Field("reason", "Reason, shown in the table", required=False)
WHY = Field("reason", "Reason, for the log", required=False)
MATCH = Field("match", "Match")
HANDLE = Field("handle", "Handle")
ROLE = Field("role", "Role", "role")


def _match_number(league: str, text: str) -> str:
    """Return what the command line calls a match: no page shows its id, so a number alone is one of the league."""
    text = text.strip()
    return f"{league}/{text}" if text.isascii() and text.isdecimal() else text


def _about_bot(name: str) -> Callable[[str, Mapping[str, str]], str]:
    def made(league: str, given: Mapping[str, str]) -> str:
        more = {"from": _match_number(league, given.get("from", ""))} if name == "disqualify" else {}
        return command("organise", name, league, given.get("bot", ""), reason=given.get("reason"), **more)

    return made


def _transfer(asked: Asked) -> Decided:
    connection, game, bot = asked.connection, asked.season.league.game, asked.bot
    organiser_decisions.entrant(asked.season, bot)
    for row in leagues.leagues(connection):
        plays = row.game == game and page_queries.entered(
            connection, leagues.current_season(connection, row.id).id, game, bot
        )
        if plays and asked.who.viewer.role_in(row.name) != "organiser":
            raise UsageError(
                f"{bot} plays in {row.name} too, whose organiser you are not: ask an organiser of both."
            )
    owner = asked.given.get("owner", "").strip()
    return organiser_decisions.transfer(connection, asked.workspace.plugins, bot, owner, asked.reason, game)


def _calendar(asked: Asked) -> Decided:
    said = {name: asked.given[name].strip() for name in ("zone", *DATES) if name in asked.given}
    return organiser_decisions.set_calendar(
        asked.season, {name: text or ("UTC" if name == "zone" else "none") for name, text in said.items()}
    )


def _limits(asked: Asked) -> Decided:
    gap = asked.number_if_given("gap")
    return limit_decision.limit(
        asked.connection,
        asked.season.league.name,
        a_day=asked.number_if_given("a_day"),
        gap_s=None if gap is None else float(gap),
        size_kb=asked.number_if_given("size"),
        most_bots=asked.number_if_given("bots"),
        matches_an_hour=asked.number_if_given("matches"),
    )


def _invite(asked: Asked) -> Decided:
    uses, league = asked.number("count"), asked.season.league.name
    if not 1 <= uses <= MOST_USES:
        raise UsageError(f"An invite is for 1 to {MOST_USES} accounts.")
    return account_decisions.invite(
        asked.connection, asked.site, role=asked.role, league=league, uses=uses, days=DAYS
    )


def _register(asked: Asked) -> Decided:
    uses, league = asked.number("count"), asked.season.league.name
    if not 1 <= uses <= MOST_USES:
        raise UsageError(f"Registration is for 1 to {MOST_USES} accounts.")
    return account_decisions.register(asked.connection, asked.site, league=league, uses=uses, days=DAYS)


def _withdraw(asked: Asked) -> Decided:
    only = None if asked.who.viewer.role == "organiser" else asked.season.league.name
    return account_decisions.withdraw(asked.connection, asked.number("invite"), only)


def _account(name: str) -> Callable[[str, Mapping[str, str]], str]:
    return lambda league, given: command("account", name, given.get("handle", ""), reason=given.get("reason"))


DECISIONS: Mapping[str, Decision] = {
    "disqualify": Decision(
        "Disqualify",
        "Its matches do not count, and ratings are computed anew. Nothing is deleted.",
        (BOT, REASON, Field("from", "First match that does not count", required=False, hint="all")),
        lambda asked: organiser_decisions.disqualify(
            asked.season,
            asked.bot,
            asked.reason,
            asked.match("from") if asked.given.get("from", "").strip() else None,
        ),
        _about_bot("disqualify"),
    ),
    "retire": Decision(
        "Retire",
        "It plays no more; its matches count.",
        (BOT, REASON),
        lambda asked: organiser_decisions.retire(asked.season, asked.bot, asked.reason),
        _about_bot("retire"),
    ),
    "reinstate": Decision(
        "Reinstate",
        "It plays again, from the next planned round on.",
        (BOT, REASON),
        lambda asked: organiser_decisions.reinstate(asked.season, asked.bot, asked.reason),
        _about_bot("reinstate"),
    ),
    "transfer": Decision(
        "Transfer",
        "It is another owner’s from now on, with all its versions.",
        (BOT, Field("owner", "New owner"), REASON),
        _transfer,
        lambda league, given: command(
            "organise", "transfer", given.get("bot", ""), given.get("owner", ""), reason=given.get("reason")
        ),
    ),
    "void": Decision(
        "Void a match",
        "It does not count, and ratings are computed anew.",
        (MATCH, REASON),
        lambda asked: organiser_decisions.void(
            asked.season, asked.match("match"), asked.reason, replay=False
        ),
        lambda league, given: command(
            *("organise", "void", league, _match_number(league, given.get("match", ""))),
            reason=given.get("reason"),
        ),
    ),
    "replay": Decision(
        "Replay a match",
        "It is played again with the same seed; its result is kept apart.",
        (MATCH, REASON),
        lambda asked: organiser_decisions.void(asked.season, asked.match("match"), asked.reason, replay=True),
        lambda league, given: command(
            *("organise", "void", league, _match_number(league, given.get("match", ""))),
            replay=True,
            reason=given.get("reason"),
        ),
    ),
    "undo": Decision(
        "Undo a decision",
        "What it took out of the count counts again, or is played. Both stay in the log.",
        (Field("entry", "Entry of the log", "number"), REASON),
        lambda asked: organiser_decisions.undo(asked.season, asked.number("entry"), asked.reason),
        lambda league, given: command(
            "organise", "undo", league, given.get("entry", ""), reason=given.get("reason")
        ),
    ),
    "close": Decision(
        "Close the season",
        "Everything that it has still to play is cancelled.",
        (REASON,),
        lambda asked: organiser_decisions.close(asked.season, asked.reason),
        lambda league, given: command("organise", "close", league, reason=given.get("reason")),
    ),
    "reveal": Decision(
        "Reveal",
        "Everybody sees everything from now on.",
        (WHY,),
        lambda asked: organiser_decisions.reveal(asked.season),
        lambda league, given: command("organise", "reveal", league, reason=given.get("reason")),
    ),
    "calendar": Decision(
        "Keep the calendar",
        "Times are those of a clock on the wall in the zone; an empty field is never.",
        (WHY,),
        _calendar,
        lambda league, given: command(
            *("organise", "calendar", league),
            **{name: given[name] or "none" for name in ("zone", *DATES) if name in given},
            reason=given.get("reason"),
        ),
    ),
    "limits": Decision(
        "Keep the limits",
        "Of what each owner may hand in over the web.",
        (WHY,),
        _limits,
        lambda league, given: command(
            *("organise", "limits", league),
            **{name: given[name] for name in ("a_day", "gap", "size", "bots", "matches") if name in given},
            reason=given.get("reason"),
        ),
    ),
    "invite": Decision(
        "Make an invite",
        f"A link into this league, for {DAYS} days.",
        (Field("count", "How many may use it", "number"), ROLE, WHY),
        _invite,
        lambda league, given: command(
            *("invite", "new"),
            league=league,
            count=given.get("count"),
            role=given.get("role"),
            reason=given.get("reason"),
        ),
    ),
    "register": Decision(
        "Open registration",
        f"Anybody can make an account and hand in here, for {DAYS} days. Withdrawing the invite closes it.",
        (Field("count", "How many accounts", "number"), WHY),
        _register,
        lambda league, given: command(
            *("invite", "open"), league=league, count=given.get("count"), reason=given.get("reason")
        ),
    ),
    "withdraw": Decision(
        "Withdraw an invite",
        "Nobody can use it any more; accounts that were made with it stay.",
        (Field("invite", "Invite", "number"), WHY),
        _withdraw,
        lambda league, given: command(
            "invite", "withdraw", given.get("invite", ""), reason=given.get("reason")
        ),
    ),
    "grant": Decision(
        "Grant a role",
        "In this league.",
        (HANDLE, ROLE, WHY),
        lambda asked: account_decisions.grant(
            asked.connection, asked.handle, asked.role, asked.season.league.name
        ),
        lambda league, given: command(
            *("account", "grant", given.get("handle", ""), given.get("role", "")),
            league=league,
            reason=given.get("reason"),
        ),
    ),
    "link": Decision(
        "Make a new link",
        "With it somebody logs in once and chooses a password; the one before is void.",
        (HANDLE, WHY),
        lambda asked: account_decisions.link(asked.connection, asked.handle, asked.site),
        _account("link"),
        everywhere=True,
    ),
    "unlock": Decision(
        "Unlock a login",
        "After too many wrong passwords.",
        (HANDLE, WHY),
        lambda asked: account_decisions.unlock(asked.connection, asked.handle),
        _account("unlock"),
        everywhere=True,
    ),
    "logout": Decision(
        "Log somebody out",
        "All sessions end, tokens and codes are void.",
        (HANDLE, WHY),
        lambda asked: account_decisions.log_out(asked.connection, asked.handle),
        _account("logout"),
        everywhere=True,
    ),
}
"""By the last part of their address."""
