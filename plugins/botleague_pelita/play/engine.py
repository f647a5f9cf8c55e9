"""The engine: a game as pure functions from state to state, with the original's draws in their order.

:func:`set_up` makes the state before the first turn. A turn then has two halves, because what a bot is shown is
partly chance: :func:`prepare` begins the turn (food grows old and moves, enemies blur) and :func:`play` carries
out what the bot on turn did. All chance comes from the one generator that is passed in.

Source: rules/pelita.md, sections 5 to 10.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar, cast

from msgspec.structs import replace

from botleague_pelita.mazes.layout import Layout
from botleague_pelita.play.food import age_food, relocate_food
from botleague_pelita.play.kills import fight
from botleague_pelita.play.sight import look_for_enemies
from botleague_pelita.play.state import (
    DRAW,
    NO_RESULT,
    TRAIL_STEPS,
    Action,
    FatalKind,
    Settings,
    State,
    Step,
    Tally,
    Verdict,
    with_side,
)

T = TypeVar("T")

_NAMES = ("blue", "red")


def set_up(
    settings: Settings,
    layout: Layout,
    rng: Random,
    names: tuple[str, str] = _NAMES,
    absent: Sequence[int] = (),
) -> State:
    """Return the state before the first turn; it has a verdict if the game cannot begin.

    Args:
        settings: the options of the engine.
        layout: board, pellets and all four bots.
        rng: the game's generator; it may have drawn the maze before.
        names: of the teams.
        absent: the teams that could not be loaded.

    Raises:
        ValueError: a bot is missing from the layout.

    Source: rules/pelita.md, section 10.
    """
    if None in layout.bots:
        raise ValueError("a game needs all four bots: a, b, x and y")
    board = layout.board
    a, x, b, y = (board.number(square) for square in layout.bots if square is not None)
    bots = (a, x, b, y)
    everything = board.mask(layout.food)
    left = (1 << (board.width // 2 * board.height)) - 1
    food = (everything & left, everything & ~left)
    can_begin = settings.max_rounds >= 1 and food[0] != 0 and food[1] != 0
    verdict: Verdict | None = None
    if absent:
        verdict = Verdict(_winner_without(settings, absent), "setup", tuple(absent))
    elif not can_begin:
        verdict = Verdict(DRAW if settings.setup_failure == "opponent_wins" else NO_RESULT, "setup")
    seeds = [0, 0]
    if verdict is None or (not absent and settings.setup_failure == "opponent_wins"):
        for team in (0, 1):
            seeds[team] = rng.randint(0, 2**63 - 1)
            # These two are never shown, but the original draws them.
            look_for_enemies(settings, board, bots, team, rng)
    if settings.same_team_seed:
        seeds[1] = seeds[0]
    return State(board, names, (seeds[0], seeds[1]), 0, 3, bots, food, verdict=verdict)


def prepare(settings: Settings, state: State, rng: Random) -> State:
    """Return the beginning of the next turn: food of the team on turn aged and moved, enemies blurred.

    Args:
        settings: the options of the engine.
        state: as :func:`set_up` or :func:`play` returned it, without a verdict.
        rng: the game's generator.

    Source: rules/pelita.md, sections 7 and 8.
    """
    turn = (state.turn + 1) % 4
    round_number = state.round + 1 if turn == 0 else state.round
    team = turn % 2
    board, bots, food, ages = state.board, state.bots, state.food, state.ages
    serial = (round_number - 1) * 4 + turn
    food_moves = state.food_moves
    if food_moves:
        food_moves = tuple(move for move in food_moves if move[0] > serial - 3)
    aged = age_food(settings, board, bots, food[team], ages[team], team)
    if aged and not settings.allow_camping and max(age for _, age in aged) > settings.max_food_age:
        food, aged, moved = relocate_food(settings, board, bots, food, aged, team, serial, rng)
        food_moves += moved
    if aged != ages[team]:
        ages = with_side(ages, team, aged)
    places, noisy = look_for_enemies(settings, board, bots, turn, rng)
    return replace(
        state,
        round=round_number,
        turn=turn,
        food=food,
        ages=ages,
        shown=places,
        noisy=noisy,
        food_moves=food_moves,
    )


def play(
    settings: Settings,
    state: State,
    action: Action,
    rng: Random,
    say: str = "",
    paint: tuple[tuple[int, str], ...] = (),
) -> State:
    """Return the state after the bot on turn did ``action``.

    Args:
        settings: the options of the engine.
        state: as :func:`prepare` returned it.
        action: a square number, which may be anything, or a fault.
        rng: the game's generator, for the random step after a time-out.
        say: the bot's text for this turn.
        paint: squares that the bot wishes to be tinted, with colours.

    Source: rules/pelita.md, sections 5, 6 and 9.
    """
    turn, board, bots = state.turn, state.board, state.bots
    team = turn % 2
    tally = state.tally
    by_chance = False
    if action == "timeout":
        late = tally.timeouts[team] + 1
        tally = replace(tally, timeouts=with_side(tally.timeouts, team, late))
        if settings.timeout_limit and late >= settings.timeout_limit:
            if not settings.count_last_timeout:
                return _lost(state, "timeout")
            ending = Verdict(1 - team, "timeouts")
            return replace(state, tally=tally, painted=(), verdict=ending, step=None)
        target = rng.choice(board.legal[bots[turn]])
        by_chance = True
    elif isinstance(action, int):
        target = action
    else:
        return _lost(state, action)

    was_killed = state.was_killed
    if was_killed[turn]:
        was_killed = _with(was_killed, turn, False)
    origin = bots[turn]
    if target not in board.legal[origin]:
        return _lost(replace(state, was_killed=was_killed), "illegal", target)

    bots = _with(bots, turn, target)
    food, food_moves, ages = state.food, state.food_moves, state.ages
    enemy = 1 - team
    if food[enemy] >> target & 1:  # pellets of the enemy lie in its half only
        left = food[enemy] & ~(1 << target)
        food = with_side(food, enemy, left)
        food_moves = (*food_moves, (state.serial, enemy, target, -1))
        if not settings.keep_eaten_age and ages[enemy]:
            rest = tuple(entry for entry in ages[enemy] if entry[0] != target)
            ages = with_side(ages, enemy, rest)
        points = tally.score[team] + settings.food_points
        tally = replace(tally, score=with_side(tally.score, team, points))
    killed: tuple[int, ...] = ()
    if target in (bots[1 - team], bots[3 - team]):
        bots, tally, was_killed = fight(settings, board, bots, turn, tally, was_killed)
        killed = tuple(bot for bot in range(4) if tally.deaths[bot] > state.tally.deaths[bot])
    trails = _with(state.trails, turn, (*state.trails[turn], origin)[-TRAIL_STEPS:])
    for bot in killed:
        trails = _with(trails, bot, ())

    verdict: Verdict | None = None
    if not food[0] or not food[1]:
        verdict = Verdict(_leader(tally), "food")
    elif turn == 3 and state.round >= settings.max_rounds:
        verdict = Verdict(_leader(tally), "rounds")
    return replace(
        state,
        bots=bots,
        food=food,
        ages=ages,
        tally=tally,
        was_killed=was_killed,
        said=_with(state.said, turn, say),
        painted=paint,
        food_moves=food_moves,
        trails=trails,
        step=Step(turn, origin, target, True, by_chance, killed),
        verdict=verdict,
    )


def _lost(state: State, kind: FatalKind, target: int = -1) -> State:
    team = state.team
    event = (state.round, state.turn, kind)
    fatal = state.tally.fatal
    return replace(
        state,
        tally=replace(state.tally, fatal=with_side(fatal, team, (*fatal[team], event))),
        painted=(),
        step=Step(state.turn, state.bots[state.turn], target, False),
        verdict=Verdict(1 - team, "fatal"),
    )


def _leader(tally: Tally) -> int:
    blue, red = tally.score
    return DRAW if blue == red else int(red > blue)


def _winner_without(settings: Settings, absent: Sequence[int]) -> int:
    if settings.setup_failure == "no_result":
        return NO_RESULT
    return DRAW if len(absent) == 2 else 1 - absent[0]


def _with(four: tuple[T, T, T, T], index: int, value: T) -> tuple[T, T, T, T]:
    changed = list(four)
    changed[index] = value
    return cast("tuple[T, T, T, T]", tuple(changed))
