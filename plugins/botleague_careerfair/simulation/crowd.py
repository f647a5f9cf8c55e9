"""The crowd: what each of its members asks for, exact to the seed of the generator they share.

Members think in the order of their ids and take from the generator exactly what
rules/careerfair.md, section 7, says, so one loop in that order is the only possible shape. A large crowd spends
nearly all its time in :func:`_spread`, the shuffled breadth-first search that every extrovert does in
every step; see there for what makes it fast.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from botleague_careerfair.simulation.chance import LOW_WORDS, ChanceState, Words
from botleague_careerfair.simulation.floor import IDENTITY, ORDER, ORDERS, Floor
from botleague_careerfair.simulation.requests import ENTER, NONE

GROUP = (
    *("jittery", "jittery", "jittery", "extrovert"),
    *("random:S", "random:M", "random:L", "random:L", "random:*", "random:*"),
)
"""Each ten of a crowd, in the order of their ids."""

KINDS = (*dict.fromkeys(GROUP), "follower", "realistic")
"""Every kind of member; followers and realistic ones are on no board of the original."""

ENTER_CHANCE = 0.6
ALLURE = 2
"""Number of bots above its own goal's that a tile must exceed before an extrovert turns to it."""

SIZES = "SML"

PAGE_WORDS = 16384


def crowd_of(people: int) -> tuple[str, ...]:
    """Return the kinds of a crowd of ``people``, rounded down to a multiple of ten."""
    return GROUP * (people // len(GROUP))


@dataclass(frozen=True, slots=True)
class Crowd:
    """Memory of the members, one entry each, and their generator.

    Attributes:
        aims: jittery: the tile they walk to.
        orders: jittery: the number of their order of directions.
        paths: the others: the tiles of their path, **last first**.
        left: how many entries of the path lie ahead, counted from the path's last tile.
        visited: followers and realistic ones: companies they have been to.
        size_classes: realistic ones: index into ``"SML"``.
        chance: the state of the generator that all share.
    """

    aims: tuple[int, ...]
    orders: tuple[int, ...]
    paths: tuple[tuple[int, ...], ...]
    left: tuple[int, ...]
    visited: tuple[frozenset[int], ...]
    size_classes: tuple[int, ...]
    chance: ChanceState


def start_crowd(members: int, start: int, chance: ChanceState) -> Crowd:
    """Return the crowd before its first step, on the tile ``start``."""
    zeros = (0,) * members
    return Crowd(
        aims=(start,) * members,
        orders=(IDENTITY,) * members,
        paths=((),) * members,
        left=zeros,
        visited=(frozenset(),) * members,
        size_classes=zeros,
        chance=chance,
    )


def decide(
    floor: Floor,
    kinds: Sequence[str],
    crowd: Crowd,
    places: Sequence[int],
    queued: Sequence[int],
    requests: Sequence[int],
    counts: Sequence[int],
    ends: Sequence[int],
) -> tuple[Crowd, list[int]]:
    """Let every member think once, on the board as it is before anyone acts.

    Args:
        kinds: the kind of each member.
        places, queued, requests: per member its tile, its line's company or -1, and its last request.
        counts: bots per tile.
        ends: per company the tile that is the end of its line.

    Returns:
        The crowd afterwards and one request per member, not yet checked.
    """
    if not kinds:
        return crowd, []
    words = Words(crowd.chance, min(PAGE_WORDS, 64 * len(kinds)))
    thinking = _Thinking(
        floor=floor,
        words=words,
        places=places,
        queued=queued,
        counts=counts,
        ends=ends,
        crowded=counts.index(max(counts)),
        requests=list(requests),
        aims=list(crowd.aims),
        orders=list(crowd.orders),
        paths=list(crowd.paths),
        left=list(crowd.left),
        visited=list(crowd.visited),
        size_classes=list(crowd.size_classes),
    )
    for member, kind in enumerate(kinds):
        _THINK[kind](thinking, member)
    after = Crowd(
        aims=tuple(thinking.aims),
        orders=tuple(thinking.orders),
        paths=tuple(thinking.paths),
        left=tuple(thinking.left),
        visited=tuple(thinking.visited),
        size_classes=tuple(thinking.size_classes),
        chance=words.state(),
    )
    return after, thinking.requests


@dataclass(slots=True)
class _Thinking:
    """Everything the members' rules read and write during one step; the lists are this step's own."""

    floor: Floor
    words: Words
    places: Sequence[int]
    queued: Sequence[int]
    counts: Sequence[int]
    ends: Sequence[int]
    crowded: int  # the tile with the most bots, the first such in reading order
    requests: list[int]
    aims: list[int]
    orders: list[int]
    paths: list[tuple[int, ...]]
    left: list[int]
    visited: list[frozenset[int]]
    size_classes: list[int]

    def set_path(self, member: int, path: tuple[int, ...]) -> None:
        self.paths[member] = path
        self.left[member] = len(path)

    def follow(self, member: int) -> bool:
        """Ask for the next step along the path; return whether any of it lies ahead."""
        place, path = self.places[member], self.paths[member]
        left = self.left[member]
        if left and path[left - 1] == place:
            left -= 1
            self.left[member] = left
        if not left:
            return False
        self.requests[member] = self.floor.toward[place].get(path[left - 1], NONE)
        return True


def _jittery(thinking: _Thinking, member: int) -> None:
    place = thinking.places[member]
    if thinking.queued[member] >= 0:
        thinking.aims[member] = place
        return
    if thinking.aims[member] != place:
        return  # still walking there
    floor, words = thinking.floor, thinking.words
    line = floor.lines[place]
    if line >= 0 and thinking.ends[line] == place:
        if words.uniform() <= ENTER_CHANCE:
            thinking.requests[member] = ENTER
            return
    else:  # the number is drawn everywhere, and decides nothing here
        words.pass_over(2)
    order = thinking.orders[member] = floor.turns[thinking.orders[member]][words.shuffle()][ORDER]
    request = floor.first_valid[order][place] or thinking.requests[member]
    thinking.requests[member] = request
    thinking.aims[member] = floor.adjacent[request][place]


def _extrovert(thinking: _Thinking, member: int) -> None:
    goal, counts = thinking.crowded, thinking.counts
    path = search(thinking.floor, thinking.words, thinking.places[member], goal)
    if not thinking.left[member] or (path and counts[thinking.paths[member][0]] + ALLURE < counts[goal]):
        thinking.set_path(member, path)
    thinking.follow(member)


def _random(size: str) -> Callable[[_Thinking, int], None]:
    def think(thinking: _Thinking, member: int) -> None:
        if not thinking.left[member]:
            choices = thinking.floor.choices[size]
            if thinking.queued[member] >= 0 or not choices:
                return
            goal = thinking.ends[choices[thinking.words.below(len(choices))]]
            path = search(thinking.floor, thinking.words, thinking.places[member], goal)
            if not path:
                return
            thinking.set_path(member, path)
        if not thinking.follow(member):
            thinking.requests[member] = ENTER

    return think


def _follower(thinking: _Thinking, member: int) -> None:
    if thinking.queued[member] >= 0:
        return

    def find() -> tuple[int, ...]:
        visited = thinking.visited[member]
        goals = {end for company, end in enumerate(thinking.ends) if company not in visited}
        return search_any(thinking.floor, thinking.words, thinking.places[member], goals)

    path = find()
    if not path:
        thinking.visited[member] = frozenset()
        path = find()
    _visit(thinking, member, path)


def _realistic(thinking: _Thinking, member: int) -> None:
    if thinking.queued[member] >= 0:
        return
    board, place = thinking.floor.board, thinking.places[member]
    for _ in (*SIZES, SIZES[0]):  # once around: after the last change all companies are new again
        visited, size = thinking.visited[member], SIZES[thinking.size_classes[member]]
        candidates = {c for c, its in enumerate(board.sizes) if its == size and c not in visited}
        booths = {tile for tile, company in enumerate(board.booths) if company in candidates}
        path = search_any(thinking.floor, thinking.words, place, booths)
        if path:
            zone = board.zones[board.booths[path[0]]]
            _visit(thinking, member, search_any(thinking.floor, thinking.words, place, zone))
            return
        thinking.size_classes[member] = (thinking.size_classes[member] + 1) % len(SIZES)
        thinking.visited[member] = frozenset()


def _visit(thinking: _Thinking, member: int, path: tuple[int, ...]) -> None:
    """Walk along a path that ends in a line, ask to enter it there, and remember the company."""
    thinking.set_path(member, path)
    if path and not thinking.follow(member):
        thinking.requests[member] = ENTER
        thinking.visited[member] |= {thinking.floor.lines[thinking.places[member]]}


_THINK: dict[str, Callable[[_Thinking, int], None]] = {
    "jittery": _jittery,
    "extrovert": _extrovert,
    **{f"random:{size}": _random(size) for size in (*SIZES, "*")},
    "follower": _follower,
    "realistic": _realistic,
}


def search(floor: Floor, words: Words, source: int, goal: int) -> tuple[int, ...]:
    """Return a shuffled shortest path from ``source`` to ``goal``, last tile first; empty if no path exists."""
    if source == goal:
        return (goal,)
    near = floor.near(goal)
    if near[source]:  # as for most extroverts: the search ends after its first shuffle
        words.shuffle()
        return (goal, source)
    end, parents, _ = _spread(floor, words, source, near)
    return (goal, *_way_back(parents, end, source)) if end >= 0 else ()


def search_any(floor: Floor, words: Words, source: int, goals: Collection[int]) -> tuple[int, ...]:
    """Return the same to the first found of several ``goals``, which may be booths."""
    if source in goals:
        return (source,)
    end, parents, turn = _spread(floor, words, source, floor.near_any(tuple(goals)))
    if end < 0:
        return ()
    beside = (floor.adjacent[direction][end] for direction in ORDERS[turn[ORDER]])
    return (next(tile for tile in beside if tile in goals), *_way_back(parents, end, source))


def _spread(floor: Floor, words: Words, source: int, near: bytes) -> tuple[int, list[int], Any]:
    """Search breadth first from ``source`` until a tile of ``near`` is reached.

    The rules search over paths, look at every neighbour and shuffle the directions at every tile they
    expand. Four things make the same search cheap: a tile is entered into the queue only once (a second
    entry would be passed over without a shuffle anyway); the goal's neighbours are known beforehand, so no
    neighbour is looked at twice; nor are those that are not farther from the source, which have been in the
    queue already; and a shuffle is one step in the machine of orders.

    Returns:
        The expanded tile next to a goal (-1: none can be reached), per tile its predecessor (-1: not
        reached), and the order of directions at the end.
    """
    parents = [-1] * len(near)
    parents[source] = source
    queue = [source]
    push = queue.append
    away = floor.away(source)
    turn = floor.turns[IDENTITY]
    at, shuffles = words.begin(), words.shuffles
    for tile in queue:
        try:
            shuffle = shuffles[at]
        except IndexError:
            at = words.turn_page(at)
            shuffles = words.shuffles
            shuffle = shuffles[at]
        at += LOW_WORDS[shuffle]
        turn = turn[shuffle]
        if near[tile]:
            break
        for offset in turn[away[tile]]:
            neighbour = tile + offset
            if parents[neighbour] < 0:
                parents[neighbour] = tile
                push(neighbour)
    else:
        tile = -1
    words.end(at)
    return tile, parents, turn


def _way_back(parents: Sequence[int], tile: int, source: int) -> list[int]:
    way = [tile]
    while tile != source:
        tile = parents[tile]
        way.append(tile)
    return way
