"""Brackets: the pairings when only winners, or all entrants with less than two losses, advance.

A bracket is a list of *encounters*. Each side of one is a seed, or the winner or loser of an earlier encounter; so
a single and a double knockout differ only in how the list is made, and one function plays any list through.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from botleague.rules.formats import BYE, Bracket, Score, Slot, encounter_label


class Source(msgspec.Struct, frozen=True):
    """Source of a side of a series: seed number ``number``, or an outcome of series ``number``."""

    kind: Literal["seed", "winner", "loser"]
    number: int


class Encounter(msgspec.Struct, frozen=True):
    """An encounter of two sides; one of them advances.

    Attributes:
        round: counted from 1.
        label: for people, like "semi-final 2".
        sources: the two sides; encounters named here come earlier in the bracket.
        loser_place: the place of the loser, None if it plays on elsewhere.
        winner_place: the place of the winner, None if it advances.
        decider: played only if the second side of the encounter before won it, so that both have lost once.
    """

    round: int
    label: str
    sources: tuple[Source, Source]
    loser_place: int | None = None
    winner_place: int | None = None
    decider: bool = False


class Judgement(NamedTuple):
    """The state of a series.

    Attributes:
        score, games: sets and games won by each side.
        winner: the side that advances, None while that is open.
        reason: why it advances, if the score is level.
    """

    score: Score
    winner: int | None
    reason: str = ""
    games: Score = (0, 0)


THIRD_PLACE = "match for third place"
"""Label of the series of the losers of the semi-finals."""

SET = "A set is two games with sides changed."
"""Explanation of a score, printed once with each bracket."""


def seed_order(size: int) -> list[int]:
    """Return the seeds of a bracket of ``size`` (a power of two) from top to bottom.

    Seeds 1 and 2 can meet only in the final, 1 to 4 only in the semi-finals, and so on; numbers count from 0.
    """
    order = [0]
    while len(order) < size:
        order = [seed for one in order for seed in (one, 2 * len(order) - 1 - one)]
    return order


def single_elimination(entrants: int, bronze: bool) -> list[Encounter]:
    """Return the encounters of a knockout of ``entrants`` (2 or more), round by round.

    Args:
        bronze: the losers of the semi-finals play for third place; otherwise they share it.
    """
    size = _bracket_size(entrants)
    encounters: list[Encounter] = []
    sources = [Source("seed", seed) for seed in seed_order(size)]
    losers: list[Source] = []
    while len(sources) > 2:
        count = len(sources) // 2
        place = None if bronze and count == 2 else count + 1
        names = [encounter_label(count, number) for number in range(1, count + 1)]
        sources, losers = _add_round(encounters, names, sources, place)
    last = size.bit_length() - 1
    if bronze and losers:
        pair = (losers[0], losers[1])
        encounters.append(Encounter(last, THIRD_PLACE, pair, loser_place=4, winner_place=3))
    finalists = (sources[0], sources[1])
    encounters.append(Encounter(last, "final", finalists, loser_place=2, winner_place=1))
    return encounters


def double_elimination(entrants: int, reset: bool) -> list[Encounter]:
    """Return the encounters of a double knockout of ``entrants`` (2 or more): out is who lost twice.

    Losers of the upper bracket drop into the lower one where a second meeting of the same two is least likely.

    Args:
        reset: if the winner of the lower bracket wins the grand final, both have lost once and a decider follows.
    """
    size = _bracket_size(entrants)
    encounters: list[Encounter] = []
    upper = [Source("seed", seed) for seed in seed_order(size)]
    lower: list[Source] = []
    alive = size
    lower_round = 0
    origins: _Origins = {(1, 0): 1.0}
    for upper_round in range(1, size.bit_length()):
        count = len(upper) // 2
        names = [f"upper {encounter_label(count, number)}" for number in range(1, count + 1)]
        upper, dropped = _add_round(encounters, names, upper, None)
        if not lower:
            lower = dropped
        else:
            mask = _safest_drop(origins, upper_round, len(dropped))
            alternating = [
                source for place, one in enumerate(lower) for source in (one, dropped[place ^ mask])
            ]
            origins = _halved(origins, {(upper_round, mask): 1.0})
            lower_round += 1
            alive -= len(lower)
            lower, _ = _add_round(encounters, _lower_names(lower_round, len(lower)), alternating, alive + 1)
        if len(lower) > 1:
            neighbour = {
                (number, place ^ (size >> number) // len(lower)): chance
                for (number, place), chance in origins.items()
            }
            origins = _halved(origins, neighbour)
            lower_round += 1
            alive -= len(lower) // 2
            lower, _ = _add_round(encounters, _lower_names(lower_round, len(lower) // 2), lower, alive + 1)
    finalists = (upper[0], lower[0])
    last = 1 + encounters[-1].round
    encounters.append(Encounter(last, "grand final", finalists, loser_place=2, winner_place=1))
    if reset:
        before = len(encounters) - 1
        again = (Source("winner", before), Source("loser", before))
        encounters.append(Encounter(last + 1, "decider", again, loser_place=2, winner_place=1, decider=True))
    return encounters


def play_through(
    encounters: Sequence[Encounter],
    seeds: Sequence[int],
    judge: Callable[[int, tuple[int, int]], Judgement],
    plays_in: Callable[[int, int], bool],
) -> Bracket:
    """Return the bracket as far as results reach.

    Args:
        encounters: in an order in which sources come first.
        seeds: the entrant on each seed, best first.
        judge: for the number of an encounter and its two entrants, how it stands.
        plays_in: whether an entrant may still play in a round; who may not loses without playing.
    """
    slots: list[Slot] = []
    ranks: dict[int, int] = {}
    for number, encounter in enumerate(encounters):
        sides = (_side(encounter.sources[0], slots, seeds), _side(encounter.sources[1], slots, seeds))
        if encounter.decider and slots[-1].winner in (None, slots[-1].sides[0]):
            is_open = slots[-1].winner is None
            slots.append(Slot(encounter.round, encounter.label, sides, None, needed=is_open))
            continue
        slot = _played(encounter, number, sides, judge, plays_in)
        slots.append(slot)
        if slot.winner is not None and slot.loser is not None:
            if encounter.loser_place is not None:
                ranks[slot.loser] = encounter.loser_place
            if encounter.winner_place is not None:
                ranks[slot.winner] = encounter.winner_place
    if encounters[-1].decider and slots[-1].winner is None and slots[-1].needed:
        for finalist in slots[-2].sides:  # the grand final alone did not settle their places
            ranks.pop(BYE if finalist is None else finalist, None)
    ranks.pop(BYE, None)
    # Bots that still play are above those that are out, but below the finalists if only third place is open.
    still_playing = 3 if 1 in ranks.values() else 0
    all_ranks = sorted(ranks.get(entrant, still_playing) for entrant in seeds)
    places = {entrant: 1 + bisect_left(all_ranks, rank) for entrant, rank in sorted(ranks.items())}
    return Bracket(tuple(slots), places, {entrant: number for number, entrant in enumerate(seeds, start=1)})


def bracket_text(bracket: Bracket, names: Mapping[int, str]) -> str:
    """Return the bracket for a terminal: a heading per round, a line per encounter.

    Args:
        names: what to print for each entrant.
    """
    lines = [SET] if any(any(slot.score) for slot in bracket.slots) else []
    width = max(len(slot.label) for slot in bracket.slots)
    last = 0
    slots = [slot for slot in bracket.slots if slot.sides != (BYE, BYE)]
    last_slot = [
        slot for slot in slots if slot.label != THIRD_PLACE and (slot.needed or slot.winner is not None)
    ][-1]
    for slot in sorted(slots, key=lambda slot: slot.round):
        if slot.round != last:
            last = slot.round
            lines.append(f"Round {last}")
        is_final = slot is last_slot and slot.winner == bracket.champion
        lines.append(f"  {slot.label.ljust(width)}  {_outcome_text(slot, names, is_final=is_final)}")
    for place, entrant in sorted((place, entrant) for entrant, place in bracket.places.items() if place <= 3):
        lines.append(f"{place}. {names[entrant]}")
    return "\n".join(lines)


def _bracket_size(entrants: int) -> int:
    return 1 << (entrants - 1).bit_length()


def _lower_names(round: int, encounters: int) -> list[str]:
    return [f"lower round {round}, {index + 1}" for index in range(encounters)]


def _add_round(
    encounters: list[Encounter], labels: Sequence[str], sources: Sequence[Source], loser_place: int | None
) -> tuple[list[Source], list[Source]]:
    """Append an encounter of each two neighbours in ``sources``; return where winners and losers come from."""
    first = len(encounters)
    for label, one, other in zip(labels, sources[::2], sources[1::2], strict=True):
        before = [encounters[source.number].round for source in (one, other) if source.kind != "seed"]
        encounters.append(Encounter(1 + max(before, default=0), label, (one, other), loser_place))
    numbers = range(first, len(encounters))
    return [Source("winner", one) for one in numbers], [Source("loser", one) for one in numbers]


_Origins: TypeAlias = dict[tuple[int, int], float]
"""In which encounter of the upper bracket (its round and place there) who stands in the first place of the lower one
may have lost, and how likely that is among equals. The other places differ by an exclusive or of the places only."""


def _safest_drop(origins: _Origins, upper_round: int, places: int) -> int:
    """Return the place whose loser drops to the first of the lower bracket; place p then goes to p xor that.

    A rematch follows where the loser has beaten who is there on the way to losing in this round. Of equally good places
    the farthest is taken.
    """

    def risk(mask: int) -> float:
        return sum(
            chance * 0.5 ** (upper_round - number)
            for (number, place), chance in origins.items()
            if place >> (upper_round - number) == mask
        )

    return min(range(places), key=lambda mask: (risk(mask), -mask))


def _halved(one: _Origins, other: _Origins) -> _Origins:
    """Return where the winner of an encounter between the two comes from."""
    return {key: (one.get(key, 0.0) + other.get(key, 0.0)) / 2 for key in one | other}


def _side(source: Source, slots: Sequence[Slot], seeds: Sequence[int]) -> int | None:
    if source.kind == "seed":
        return seeds[source.number] if source.number < len(seeds) else BYE
    slot = slots[source.number]
    return slot.winner if source.kind == "winner" else slot.loser


def _played(
    encounter: Encounter,
    number: int,
    sides: tuple[int | None, int | None],
    judge: Callable[[int, tuple[int, int]], Judgement],
    plays_in: Callable[[int, int], bool],
) -> Slot:
    one, other = sides

    def slot(
        winner: int | None, score: Score = (0, 0), reason: str = "", games: Score = (0, 0), *, needed: bool
    ) -> Slot:
        return Slot(encounter.round, encounter.label, sides, winner, score, needed, reason, games)

    if one is None or other is None:
        return slot(None, needed=True)
    if BYE in sides:
        return slot(other if one == BYE else one, needed=False)
    score, winner, reason, games = judge(number, (one, other))
    here = [plays_in(entrant, encounter.round) for entrant in (one, other)]
    if winner is not None or all(here):
        return slot(winner, score, reason, games, needed=True)
    return slot(one if here[0] or not here[1] else other, score, "by walkover", games, needed=False)


def victory(label: str, *, is_final: bool) -> str:
    """Return the verb for the winner of a series: it advances, is third, or wins the bracket.

    Args:
        is_final: the series decides the bracket.
    """
    return "wins" if is_final else "is third" if label == THIRD_PLACE else "advances"


def _outcome_text(slot: Slot, names: Mapping[int, str], *, is_final: bool) -> str:
    one, other = ("?" if side is None else names.get(side, "") for side in slot.sides)
    if BYE in slot.sides:
        return f"{one or other} has a bye"
    score = f" {score_text(slot.score, slot.games)}," if any(slot.score) else ""
    reason = f" {slot.reason}" if slot.reason else ""
    if slot.winner is not None:
        return f"{one} v {other}{score or ':'} {names[slot.winner]} {victory(slot.label, is_final=is_final)}{reason}"
    return f"{one} v {other}{score.rstrip(',')}" if slot.needed else "not needed"


def score_text(sets: Sequence[float], games: Sequence[float]) -> str:
    """Return the score of a series: "2:1 sets, 4.5:1.5 games"."""
    return f"{sets[0]:g}:{sets[1]:g} sets" + (f", {games[0]:g}:{games[1]:g} games" if any(games) else "")
