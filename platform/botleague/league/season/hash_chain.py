"""The hash chain over the decisions and results of a season, and its short fingerprint, which an organiser can publish.

Four parts are chained, each by itself: the season's settings; its entrants with what they start from; its events by
number; its matches by ordinal, as soon as all earlier ones are done. A link is the SHA-256 of the previous link and
of what it adds. So nothing that was chained can be changed, exchanged, inserted or taken out without changing every
link after it, and the fingerprint with them.

The chain holds numbers and digests, never handles, times, epochs or measurements: it is the same for a calm run, one
that was killed, and three runners. Some of a suspended bot's matches were played by then or not, as it happened; they
count for nothing, and are chained as planned. Reasons that organisers write are left out: a person may ask for them to
be erased. Void marks are left out too: they follow from the events.

A chain starts with its season and only then. The season stores how many links there are: where some are missing,
nothing is added, and both :func:`check_chain` and :func:`why_unproved` say so. Seasons that are older than the chain
carry a mark of the database's migration, and never get one.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from botleague.errors import UsageError
from botleague.league.season.roster import in_force
from botleague.league.season.season import Season
from botleague_storage import bots, chain_rows, events, horizon_of, leagues, ratings
from botleague_storage.league_rows.events import EventRow

PARTS = {"terms": "terms", "entrants": "entrant", "events": "event", "matches": "match number"}
"""The chained parts, with the noun for one item of each."""

COUNTED = ("entrants", "events", "matches")

CODE_LENGTH = 26
"""Characters of five bits each: 130 bits, so that two seasons with the same fingerprint cannot be constructed."""

HINT_LENGTH = 3
"""Characters for each part, which show the part that differs."""

LEFT_OUT = ("reason", "epoch", "owner", "before")
"""Fields of events that are not chained: texts of people, the number of an attempt, and handles."""

REOPENING = ("replayed", "undone")
"""Events after which matches that are done may have another result."""

TERM_OF_CHAINED = "new_versions"
"""A setting that every version of botleague with a chain stores with a season, and no earlier version did."""

PORTION = 10_000


class Fingerprint(msgspec.Struct, frozen=True):
    """Decisions of a season up to some point, in a line.

    Attributes:
        counts: how many entrants, events and matches it covers, by part.
        code: of all parts together.
        hints: of each part.
    """

    counts: Mapping[str, int]
    code: str
    hints: tuple[str, ...]

    @classmethod
    def of(cls, heads: Mapping[str, tuple[int, bytes]]) -> Fingerprint:
        """Return the fingerprint of (number of links, last link) of every part."""
        whole = [[part, count, link.hex()] for part, (count, link) in heads.items()]
        hints = tuple(_letters(link, HINT_LENGTH) for _, link in heads.values())
        counts = {part: heads[part][0] for part in COUNTED}
        return cls(counts, _letters(msgspec.json.encode(whole), CODE_LENGTH), hints)

    @classmethod
    def parse(cls, text: str) -> Fingerprint:
        """Return the fingerprint that :meth:`__str__` wrote.

        Raises:
            UsageError: it is not one.
        """
        joined = "".join(text.lower().split())  # a narrow page breaks the line
        *counts, code, hints = joined.split("-") if joined.count("-") == 4 else ("", "")
        if (
            not all(count.isascii() and count.isdecimal() and len(count) < 16 for count in counts)
            or len(code) != CODE_LENGTH
            or len(hints) != HINT_LENGTH * len(PARTS)
        ):
            raise UsageError(
                f"{text!r} is not a fingerprint. Copy the whole line that `botleague standings` printed, like 4-0-12-"
                f"{'x' * CODE_LENGTH}-{'x' * HINT_LENGTH * len(PARTS)}."
            )
        pieces = tuple(hints[at : at + HINT_LENGTH] for at in range(0, len(hints), HINT_LENGTH))
        return cls(dict(zip(COUNTED, map(int, counts), strict=True)), code, pieces)

    def __str__(self) -> str:
        return "-".join([*(str(self.counts[part]) for part in COUNTED), self.code, "".join(self.hints)])


def begin(season: Season) -> None:
    """Start the chain of a season that was just created. Needs a write transaction."""
    _extend(season, chain_rows.heads(season.connection, season.id))


def advance(season: Season) -> None:
    """Chain everything that has been decided since. Needs a write transaction.

    Chained items are never chained again, not even when ratings are folded again: a rebuild hides nothing. But where
    an organiser has a match rerun or undoes a decision, matches are chained again; the event shows that. A chain that
    is not whole stays as it is.
    """
    heads = chain_rows.heads(season.connection, season.id)
    if _is_whole(season, heads):
        _extend(season, heads)


def _is_whole(season: Season, heads: Mapping[str, tuple[int, bytes]]) -> bool:
    """Return whether the chain has its beginning, and ends where it ended when it was last extended."""
    length = chain_rows.length(season.connection, season.id)
    return heads["terms"][0] == 1 and sum(count for count, _ in heads.values()) == length


def _extend(season: Season, heads: dict[str, tuple[int, bytes]]) -> None:
    connection = season.connection
    # A match may have passed through the queue meanwhile, so its present state proves nothing.
    if season.said(REOPENING, after=heads["events"][0]):
        chain_rows.cut(connection, season.id, "matches", 0)
        heads["matches"] = (0, b"")
    length = 0
    for part in PARTS:
        count, last = heads[part]
        coming = _contents(season, part, count)
        while taken := list(itertools.islice(coming, PORTION)):
            new = []
            for _, content in taken:
                last = _link(last, content)
                new.append(last)
            chain_rows.add(connection, season.id, part, count, new)
            count += len(new)
        length += count
    chain_rows.store_length(connection, season.id, length)


def fingerprint(season: Season) -> Fingerprint | None:
    """Return the current fingerprint of a season; None if its chain is incomplete.

    Events and entrants that came after the last match was counted are in it.
    """
    heads = chain_rows.heads(season.connection, season.id)
    if not _is_whole(season, heads):
        return None
    for part in ("entrants", "events"):
        count, last = heads[part]
        for _, content in _contents(season, part, count):
            count, last = count + 1, _link(last, content)
        heads[part] = (count, last)
    return Fingerprint.of(heads)


def why_unproved(season: Season) -> str:
    """Return why a season has no fingerprint, in a sentence; "" if it has one, or is partly hidden."""
    if horizon_of(season.connection, season.id) is not None:
        return ""
    if _is_whole(season, chain_rows.heads(season.connection, season.id)):
        return ""
    if chain_rows.length(season.connection, season.id) is None:
        return (
            f"{season.title} is not chained: it was started before botleague had a hash chain. Only data that was "
            "published at that time can show whether its settings, entrants, decisions and matches were changed."
        )
    return f"The hash chain of {season.title} is incomplete: `botleague verify` lists the missing parts."


def check_chain(season: Season, published: Fingerprint | None = None) -> Iterator[str]:
    """Yield what has changed since it was chained, and where a season differs from a published fingerprint."""
    yield from _check_length(season)
    counts = {} if published is None else {"terms": 1, **published.counts}
    heads = {}
    is_sound = dict.fromkeys(PARTS, True)
    for part in PARTS:
        head = _Head(counts.get(part, 0))
        for text in _check_part(season, part, head):
            is_sound[part] = False
            yield text
        heads[part] = head
    if published is None:
        return
    for part, head in heads.items():
        if head.count < counts[part]:
            yield f"the published fingerprint covers {counts[part]} {part}, but there are {head.count}"
            return
    due = Fingerprint.of({part: (counts[part], head.link) for part, head in heads.items()})
    if due.code == published.code:
        return
    differing = [
        part for part, mine, hint in zip(PARTS, due.hints, published.hints, strict=True) if mine != hint
    ]
    for part in differing:
        names = _names(part, 0, counts[part] - 1)
        where = (
            "the chain in this database was changed together with them, so it cannot show where"
            if is_sound[part]
            else "see the differences above"
        )
        yield f"the {part} ({names}) differ from the published ones: {where}"
    if not differing:
        yield "the fingerprint does not belong to this season, but its last characters do: was it copied wrongly?"


def _check_length(season: Season) -> Iterator[str]:
    """Yield what is missing from the chain as a whole."""
    connection = season.connection
    heads = chain_rows.heads(connection, season.id)
    stored, length = sum(count for count, _ in heads.values()), chain_rows.length(connection, season.id)
    if length is None:
        if stored or TERM_OF_CHAINED in msgspec.json.decode(season.row.settings):
            yield "it is marked as older than the hash chain, but a version of botleague with a hash chain started it"
        return
    if not heads["terms"][0]:
        yield "its hash chain was removed: its settings have no link"
    if stored != length:
        yield f"its hash chain had {length} links, but {stored} are left"
    settled, _ = ratings.coverage(connection, season.id)
    if heads["matches"][0] < settled:
        yield f"{_names('matches', heads['matches'][0], settled - 1)}: settled, but not chained"


class _Head(msgspec.Struct):
    """Length of a part, and its link where a published fingerprint ends."""

    wanted: int
    count: int = 0
    link: bytes = b""


def _check_part(season: Season, part: str, head: _Head) -> Iterator[str]:
    """Yield each item of a part that does not match its stored link."""
    stored = chain_rows.links(season.connection, season.id, part)
    link = next(stored, None)
    last = before = b""
    for number, content in _contents(season, part, 0):
        last = _link(last, content)
        head.count += 1
        if head.count == head.wanted:
            head.link = last
        while link is not None and link[0] < number:
            yield f"{_names(part, link[0], link[0])} is missing, but was chained"
            before, link = link[1], next(stored, None)
        if link is None:
            continue  # not chained yet
        if link[0] > number:
            yield f"{_names(part, number, number)} has no link, although later ones do"
            continue
        if _link(before, content) != link[1]:
            changed = "have changed since they were" if part == "terms" else "has changed since it was"
            yield f"{_names(part, number, number)} {changed} chained: {content.decode()}"
        before, link = link[1], next(stored, None)
    while link is not None:
        yield f"{_names(part, link[0], link[0])} is missing, but was chained"
        link = next(stored, None)


def _names(part: str, first: int, last: int) -> str:
    """Return the name of the item or items that a link or range of links covers, numbered for people."""
    if part == "terms":
        return "the season's settings"
    first, last = first + 1, last + 1
    return f"{PARTS[part]} {first}" if first == last else f"{PARTS[part]} {first} to {last}"


def _contents(season: Season, part: str, first: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number, what is hashed) of a part from a number on."""
    connection = season.connection
    rows: Iterator[tuple[Any, ...]]
    if part == "terms":
        rows = iter([(0, *chain_rows.terms(connection, season.id))] if first == 0 else [])
    elif part == "entrants":
        rows = chain_rows.entrants(connection, season.id, first)
    elif part == "events":
        rows = _events(season, first)
    else:
        rows = _matches(season, first)
    for row in rows:
        yield row[0], msgspec.json.encode((part, *row))


def _matches(season: Season, first: int) -> Iterator[tuple[Any, ...]]:
    """Yield matches as storage does, but without results where a suspension has annulled them."""
    rows = chain_rows.matches(season.connection, season.id, first)
    log = in_force(season.said(("suspended", "undone")))
    if not log:
        yield from rows
        return
    numbers = {
        version: number for number, version in enumerate(leagues.entrants(season.connection, season.id))
    }
    annulled: dict[int | None, list[range]] = {}
    for event in log:
        end = event.content.get("since", event.content.get("planned", 0))
        ordinals = range(event.content["ordinal"], end)
        annulled.setdefault(numbers.get(event.version_id or 0), []).append(ordinals)
    for row in rows:
        ordinal, *planned, _, _, seats = row
        if any(ordinal in ordinals for entrant, *_ in seats for ordinals in annulled.get(entrant, ())):
            yield ordinal, *planned, None, None, [(entrant, None, None, None, None) for entrant, *_ in seats]
        else:
            yield row


def _events(season: Season, first: int) -> Iterator[tuple[Any, ...]]:
    """Yield (number from 0, kind, entrant's number, match's ordinal, content) of events."""
    log = season.said(after=first)
    if not log:
        return
    numbers = {
        version: number for number, version in enumerate(leagues.entrants(season.connection, season.id))
    }
    for event in log:
        yield (
            event.number - 1,
            event.kind,
            numbers.get(event.version_id) if event.version_id is not None else None,
            None
            if event.fixture_id is None
            else events.ordinal(season.connection, season.id, event.fixture_id),
            _decided(season, event),
        )


def _decided(season: Season, event: EventRow) -> list[tuple[str, Any]]:
    """Return the decision in an event, without texts of people, handles and measurements."""
    content = dict(event.content)
    for name in LEFT_OUT:
        content.pop(name, None)
    if event.kind == "audited":
        content = {"differs": content.get("verdict") == "differs"}
    for name in ("predecessor", "back"):
        if name in content:
            before = content[name]
            content[name] = bots.versions(season.connection, [before])[before].digest
    return sorted(content.items())


def _link(before: bytes, content: bytes) -> bytes:
    return hashlib.sha256(before + content).digest()


def _letters(content: bytes, number: int) -> str:
    """Return the beginning of a SHA-256 in the characters of RFC 4648's base32."""
    return base64.b32encode(hashlib.sha256(content).digest()).decode().lower()[:number]
