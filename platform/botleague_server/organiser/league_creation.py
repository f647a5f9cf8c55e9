"""Creation of a league in the browser: its variant, format, bundled bots, dates, and who may come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import anyio.to_thread
import msgspec
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from botleague.application.decisions import DecisionContext, decide
from botleague.application.leagues import LeagueFile, LeagueOpening, MadeLeague, matches_of_format
from botleague.errors import PluginError, UsageError, problem_of
from botleague.league.season import DATES
from botleague.people import CurrentUser
from botleague.rules import Variant
from botleague.site import AccessRule, Page, Query, Reading, RenderedPage, urls
from botleague_server.accounts import Registration, register
from botleague_server.serving import (
    Endpoint,
    Server,
    current_user,
    fields,
    form_again,
    query_of,
    redirect,
    refusal,
    wants_json,
)
from botleague_storage import Database, leagues

PATH = "/new-league/"

EXPECTED_BOTS = 30
"""Number of bots for which the page says how many matches a format has, unless its address says another."""

MAX_BOTS = 1000

PICTURES_S = 3
"""Seconds between looks for the pictures of games."""

REGISTRATIONS, REGISTRATION_DAYS = 1000, 90
"""Accounts and days of a registration that is open to everyone; the organiser pages can end it."""

MAX_FIELD_LENGTH = 400


class OfferedVariant(msgspec.Struct, frozen=True):
    """Variant that a league can play."""

    variant: str
    game: str
    summary: str
    seats: str


class OfferedFormat(msgspec.Struct, frozen=True):
    """Format that fits the variant; ``matches`` is the number of matches of the expected bots, in words."""

    format: str
    summary: str
    matches: str


class NewLeaguePage(msgspec.Struct, frozen=True):
    """Choices for a new league.

    Attributes:
        variants: by game, the game's default first.
        variant: the chosen one, "" until one is chosen; then ``formats`` and ``bundled`` are those that fit it.
        bots: the number of bots that are expected.
        bundled: names of bundled bots.
    """

    variants: list[OfferedVariant]
    variant: str
    bots: int
    formats: list[OfferedFormat]
    bundled: list[str]


def _new_league(reading: Reading, query: Query) -> RenderedPage[NewLeaguePage]:
    """Read the choices for a new league."""
    plugins = reading.site.plugins
    name = query.text("variant") or ""
    bots = min(max(query.number("bots") or EXPECTED_BOTS, 2), MAX_BOTS)
    chosen = plugins.variant(name) if name in plugins.variants else None
    ordered = sorted(plugins.variants.values(), key=lambda one: (one.game, one.name != one.game, one.name))
    page = NewLeaguePage(
        [OfferedVariant(one.name, one.game, one.summary, str(one.seats)) for one in ordered],
        "" if chosen is None else chosen.name,
        bots,
        [] if chosen is None else list(_formats(reading, chosen, bots)),
        [] if chosen is None else [bot.name for bot in plugins.bots_for(chosen)],
    )
    pictured = [chosen] if chosen else [one for one in ordered if one.name == one.game]
    stills = {one.name: reading.site.films.sample(one) for one in pictured}
    more = {"stills": stills, "dates": DATES, "problem": "", "sent": {}}
    # Until the pictures are made; never while a form is filled in.
    waits = chosen is None and not all(stills.values())
    return RenderedPage(page, PATH[1:], more, PICTURES_S if waits else 0)


def _formats(reading: Reading, variant: Variant, bots: int) -> Iterator[OfferedFormat]:
    """Yield the formats that need no staff and fit a variant."""
    formats = reading.site.plugins.formats
    for name in formats:
        if "staff" in formats.options(name):
            continue
        try:
            matches = matches_of_format(variant, reading.site.plugins, name, bots)
        except (UsageError, PluginError):
            continue
        yield OfferedFormat(name, formats.type(name).summary, matches)


class LeagueCreation:
    """Creation of leagues.

    Args:
        people: the database, opened for writing.
    """

    def __init__(self, server: Server, people: Database) -> None:
        self._server = server
        self._people = people

    async def create(self, request: Request) -> Response:
        """Create a league, and go to its organiser pages."""
        sent = {name: text[:MAX_FIELD_LENGTH].strip() for name, text in (await fields(request)).items()}
        who, site = current_user(request), str(request.base_url).rstrip("/")
        make = partial(self._create, sent, who, site)
        try:
            made = await anyio.to_thread.run_sync(make, limiter=self._server.writers)
        except UsageError as error:
            if wants_json(request):
                return refusal(problem_of(error), 422)
            query = query_of({}, sent, NEW_LEAGUE_PAGE.query)
            problem = str(error)
            return await form_again(
                self._server, request, NEW_LEAGUE_PAGE, query, 422, problem=problem, sent=sent
            )
        self._server.read_again()
        where = f"/{urls.desk(sent['league'])}"
        if wants_json(request):
            values = {"league": sent["league"], "entrants": made.entrants, "matches": made.planned}
            return JSONResponse({**values, "url": where}, 201)
        return redirect(where)

    def _create(self, sent: Mapping[str, str], who: CurrentUser, site: str) -> MadeLeague:
        workspace, name = self._server.reader.workspace, sent.get("league", "")
        if only := self._server.reader.only:
            raise UsageError(
                f"This server shows only {', '.join(only)}, so a new league would not be seen. "
                "Start it without --league to create leagues here."
            )
        variant = workspace.plugins.variant(sent.get("variant", ""))
        bundled = [bot.name for bot in workspace.plugins.bots_for(variant)] if sent.get("bundled") else []
        calendar = {key: sent[key] for key in ("zone", *DATES) if sent.get(key)}
        file = LeagueFile(
            variant=variant.name, league=name, format=sent.get("format") or None, calendar=calendar or None
        )
        with self._people.reading() as connection:
            is_taken = name in leagues.names(connection)
        # Organisers read the sources of entrants, so other bots enter only when their owners submit them.
        opening = LeagueOpening(workspace, self._people, variant, name, bundled, takes_submitted=False)
        made = None if is_taken else opening.open(file)
        if made is None:  # or another request was faster
            raise UsageError(f"The name {name!r} is taken. Choose another.")
        if sent.get("entry") == "everyone":
            options = Registration(count=REGISTRATIONS, days=REGISTRATION_DAYS, league=name)
            with self._people.writing() as connection:
                decide(register, options, DecisionContext(connection, workspace, name, who, site))
        return made


CREATES = AccessRule("organiser", ("organise",), is_everywhere=True)

NEW_LEAGUE_PAGE = Page(
    PATH, "new_league.html", _new_league, CREATES, query=("variant", "bots"), is_kept=False
)

CREATION_ENDPOINTS = (Endpoint("POST", PATH, LeagueCreation.create, CREATES),)
