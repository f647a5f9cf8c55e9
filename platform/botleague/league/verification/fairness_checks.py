"""Fairness checks for organisers: copied bots, and results that one owner's bots may have agreed on.

A source is reduced to its tokens with names, numbers, texts, comments and layout taken out, and from the stream of
tokens some marks are chosen (winnowing), so that any copied passage of some length leaves the same marks wherever
it stands. The host must never parse untrusted source; the tokens here are found by one regular expression,
which neither fails nor recurses on any text.

The report is for a person to judge; no bot is penalised automatically.

Source: S. Schleimer, D. Wilkerson, A. Aiken, Winnowing: local algorithms for document fingerprinting, 2003.
"""

from __future__ import annotations

import hashlib
import keyword
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal

import msgspec

from botleague.league.season import SOURCE_SUFFIXES
from botleague.ratings import Evidence, expected_score, strengths

GRAM = 12
"""Tokens in one mark: shorter passages are too common to mean anything."""

WINDOW = 8
"""Marks per selected mark: a copied passage of GRAM + WINDOW - 1 tokens always shares one."""

NEAR = 0.8
"""Share of common marks from which two sources are reported."""

SURPRISE = 0.001
"""Chance below which a result pattern is reported, over all compared pairs."""

WIDESPREAD = 10
"""Marks in the bots of more owners than this are an idiom or an unlisted template, and prove nothing."""

MIN_MARKS = 5
"""Sources with fewer marks are too short to be called near-identical."""

TOKEN = re.compile(
    r"""
    (?P<layout> [ \t\f\r\n\\]+ | \#[^\n]* )
  | (?P<text> [rbuftRBUFT]{0,3} (?: \"{3} (?s:.*?) (?:\"{3}|\Z) | '{3} (?s:.*?) (?:'{3}|\Z)
                              | "(?:[^"\\\n]|\\.)*"? | '(?:[^'\\\n]|\\.)*'? ) )
  | (?P<number> (?:\d|\.\d)[\w.]* )
  | (?P<name> [^\W\d]\w* )
  | (?P<sign> . )
    """,
    re.VERBOSE | re.DOTALL,
)

_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)|//[^\n]*", re.DOTALL)

_QUOTES = re.compile(r"""^[rbuftRBUFT]{0,3}(?:\"{3}|'{3}|["'])|(?:\"{3}|'{3}|["'])$""")


class Fingerprint(msgspec.Struct, frozen=True):
    """Normalised source, without anything that can be changed without changing the program.

    Attributes:
        digest: of the whole stream of tokens; equal for sources that differ in names, constants, comments and layout
            only.
        constants: digest of all numbers and texts in order, except texts that are statements, like docstrings.
        marks: the winnowed marks.
    """

    digest: str
    constants: str
    marks: frozenset[int]

    def is_identical(self, other: Fingerprint) -> bool:
        """Return whether the sources differ in names, comments and layout only."""
        return (self.digest, self.constants) == (other.digest, other.constants)


class FingerprintedBot(msgspec.Struct, frozen=True):
    """A bot version with its owner and its fingerprint."""

    bot: str
    owner: str
    fingerprint: Fingerprint


class Likeness(msgspec.Struct, frozen=True):
    """Two submissions that look like one.

    Attributes:
        bots: both, in order of submission.
        owners: theirs.
        kind: ``identical`` up to names, comments and layout, or ``near``.
        share: of the shorter one's marks that are in both, 0 to 1.
    """

    bots: tuple[str, str]
    owners: tuple[str, str]
    kind: Literal["identical", "near"]
    share: float


class Copy(msgspec.Struct, frozen=True):
    """One of several submissions that look like one.

    Attributes:
        like: the bot of another owner in the cluster that it is most like, the one submitted first of several.
        share: of the shorter one's marks that are in both, 0 to 1.
    """

    bot: str
    owner: str
    like: str
    share: float


class Cluster(msgspec.Struct, frozen=True):
    """Submissions of several owners that look like one: each is like some other one of them.

    Attributes:
        kind: ``identical`` if each is identical to another one up to names, comments and layout, else ``near``.
        copies: in order of submission.
    """

    kind: Literal["identical", "near"]
    copies: tuple[Copy, ...]


class Suspicion(msgspec.Struct, frozen=True):
    """Results between two bots of one owner that their strength does not explain.

    Attributes:
        owner: owner of both bots.
        winner: the bot that took more points than expected.
        loser: the other.
        sets: number of mirrored sets in which they met.
        points: points of the winner, of one for each set.
        expected: expected points by their results against others.
        chance: the likelihood of these points or more, not corrected for the number of compared pairs.
    """

    owner: str
    winner: str
    loser: str
    sets: int
    points: float
    expected: float
    chance: float


def fingerprint(files: Mapping[str, bytes], *, is_template: bool = False) -> Fingerprint:
    """Return the fingerprint of a submission.

    Args:
        files: by path; those that are no source are left out, unless it has none, like a module without its source:
            then only equal files count as a copy. Undecodable bytes count as signs. Paths matter for the order only.
        is_template: take all marks, not only the winnowed ones, so that no passage of it proves a copy.
    """
    tokens: list[str] = []
    constants: list[str] = []
    sources = {
        path: data.decode("utf-8", errors="replace")
        for path, data in files.items()
        if path.endswith(SOURCE_SUFFIXES)
    }
    if not sources:
        digests = (hashlib.sha256(files[path]).hexdigest() for path in sorted(files))
        return Fingerprint(_digest(digests), "", frozenset())
    for path in sorted(sources):
        source = sources[path] if path.endswith(".py") else _COMMENT.sub(" ", sources[path])
        for token, constant in _tokens(source):
            tokens.append(token)
            constants += [] if constant is None else [constant]
        tokens.append("end of file")
    hashes = [
        int.from_bytes(hashlib.blake2b("\0".join(tokens[i : i + GRAM]).encode(), digest_size=8).digest())
        for i in range(max(0, len(tokens) - GRAM + 1))
    ]
    winnowed = {min(hashes[i : i + WINDOW]) for i in range(max(1, len(hashes) - WINDOW + 1)) if hashes}
    return Fingerprint(_digest(tokens), _digest(constants), frozenset(hashes if is_template else winnowed))


def similarity(one: Fingerprint, other: Fingerprint, common: frozenset[int] = frozenset()) -> float:
    """Return the share of the shorter source's marks that are in both, 0 to 1.

    Args:
        common: marks that prove nothing, such as those of a template.
    """
    mine, theirs = one.marks - common, other.marks - common
    if min(len(mine), len(theirs)) < MIN_MARKS:
        return float(one.digest == other.digest)
    return len(mine & theirs) / min(len(mine), len(theirs))


def find_copies(
    submissions: Sequence[FingerprintedBot], templates: Iterable[Fingerprint] = (), near: float = NEAR
) -> list[Likeness]:
    """Return pairs of different owners' bots that are identical or nearly so, the most alike first.

    Versions of one owner may resemble each other. Work grows with the number of shared marks, not of pairs.

    Args:
        templates: published sources, free to copy; a plain copy of one is not reported.
        near: minimum share of common marks.
    """
    templates = list(templates)
    published = {template.digest for template in templates}
    common = _widespread(submissions).union(*(template.marks for template in templates))
    holders: dict[int | str, list[int]] = {}
    shared: set[tuple[int, int]] = set()
    for number, submission in enumerate(submissions):
        own = submission.fingerprint
        if own.digest not in published:
            keys: list[int | str] = [own.digest, *(own.marks - common)]
            for key in keys:
                earlier = holders.setdefault(key, [])
                shared.update((other, number) for other in earlier)
                earlier.append(number)
    copies = []
    for i, j in sorted(shared):
        one, other = submissions[i], submissions[j]
        if one.owner == other.owner:
            continue
        identical = one.fingerprint.is_identical(other.fingerprint)
        is_same_shape = one.fingerprint.digest == other.fingerprint.digest
        share = 1.0 if is_same_shape else similarity(one.fingerprint, other.fingerprint, common)
        if share >= near:
            kind: Literal["identical", "near"] = "identical" if identical else "near"
            copies.append(Likeness((one.bot, other.bot), (one.owner, other.owner), kind, share))
    return sorted(copies, key=lambda like: (like.kind != "identical", -like.share))


def find_clusters(
    submissions: Sequence[FingerprintedBot], templates: Iterable[Fingerprint] = (), near: float = NEAR
) -> list[Cluster]:
    """Return the clusters of submissions that :func:`find_copies` ties together, the identical and large ones first.

    Forty copies of one source are one finding, not 780. Several versions of one bot, under one name, are one of them.
    """
    pairs = find_copies(submissions, templates, near)
    owners = {one.bot: one.owner for one in submissions}
    like: dict[str, dict[str, float]] = {}
    for pair in pairs:
        for one, other in (pair.bots, pair.bots[::-1]):
            shares = like.setdefault(one, {})
            shares[other] = max(shares.get(other, 0.0), pair.share)
    order: dict[str, int] = {}
    for place, submission in enumerate(submissions):
        order.setdefault(submission.bot, place)
    clusters, clustered = [], set[str]()
    for bot in order:
        if bot in clustered or bot not in like:
            continue
        together, coming = {bot}, [bot]
        while coming:
            new = like[coming.pop()].keys() - together
            together |= new
            coming += new
        clustered |= together
        copies = []
        for one in sorted(together, key=order.__getitem__):
            # Equally similar ones: the one that was submitted first.
            share, place = min((-share, order[other]) for other, share in like[one].items())
            copies.append(Copy(one, owners[one], submissions[place].bot, -share))
        identical = {name for pair in pairs if pair.kind == "identical" for name in pair.bots}
        clusters.append(Cluster("identical" if together <= identical else "near", tuple(copies)))
    return sorted(clusters, key=lambda cluster: (cluster.kind != "identical", -len(cluster.copies)))


def find_favours(units: Evidence, owners: Mapping[str, str]) -> list[Suspicion]:
    """Return pairs of one owner's bots whose results against each other their strength does not explain.

    Strength is what a bot showed against other owners' bots. The chance of the result takes each set for a coin
    toss by Hoeffding's inequality, so draws only make the report more careful, and it is compared with
    :data:`SURPRISE` divided by the number of pairs looked at.

    Args:
        units: mirrored sets, without those that repeat another: bots without chance would repeat one result for ever.
        owners: by bot; a bot that is not listed shares its owner with no other.
    """
    others = {
        unit: count
        for unit, count in units.items()
        if not any(_same_owner(meeting.bot, meeting.opponent, owners) for meeting in unit)
    }
    ratings = {bot: strength.rating for bot, strength in strengths(others).items()}
    met: dict[tuple[str, str], tuple[float, int]] = {}
    for unit, count in units.items():
        for meeting in unit:
            pair = (meeting.bot, meeting.opponent)
            if _same_owner(*pair, owners) and ratings.keys() >= set(pair):
                points, sets = met.get(pair, (0.0, 0))
                met[pair] = points + count * meeting.points / meeting.games, sets + count
    suspicions = []
    for (one, other), (points, sets) in sorted(met.items()):
        expected = sets * expected_score(ratings[one], ratings[other])
        chance = math.exp(-2 * (points - expected) ** 2 / sets)
        if chance < SURPRISE / len(met):
            winner, loser = (one, other) if points > expected else (other, one)
            won, due = (points, expected) if winner == one else (sets - points, sets - expected)
            suspicions.append(Suspicion(owners[one], winner, loser, sets, won, due, chance))
    return sorted(suspicions, key=lambda suspicion: suspicion.chance)


def _tokens(source: str) -> Iterator[tuple[str, str | None]]:
    """Yield the tokens of a source: keywords and signs as they are, everything else as its kind.

    The second value is that of a number or text; None for other tokens, and for a text that is a whole statement.
    """
    depth, is_new_line = 0, True
    statement: str | None = None  # a text that may be a whole statement, until the next token
    for match in TOKEN.finditer(source):
        kind, word = str(match.lastgroup), match.group()
        if kind == "layout":
            if "\n" in word and "\\" not in word and not depth:
                is_new_line = True
            continue
        if statement is not None:
            yield "text", None if is_new_line else statement
            statement = None
        depth = max(0, depth + (word in "([{") - (word in ")]}")) if kind == "sign" else depth
        if kind == "text" and is_new_line:
            statement = _QUOTES.sub("", word)
        elif kind in ("text", "number"):
            yield kind, _QUOTES.sub("", word)
        else:
            yield word if kind == "sign" or keyword.iskeyword(word) else kind, None
        is_new_line = False
    if statement is not None:
        yield "text", None


def _digest(words: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(words).encode()).hexdigest()


def _widespread(submissions: Sequence[FingerprintedBot]) -> frozenset[int]:
    """Return the marks that too many owners use to mean anything."""
    users: dict[int, set[str]] = {}
    for submission in submissions:
        for mark in submission.fingerprint.marks:
            users.setdefault(mark, set()).add(submission.owner)
    return frozenset(mark for mark, owners in users.items() if len(owners) > WIDESPREAD)


def _same_owner(one: str, other: str, owners: Mapping[str, str]) -> bool:
    return one in owners and owners[one] == owners.get(other)
