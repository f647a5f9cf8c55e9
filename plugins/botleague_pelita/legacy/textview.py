"""What Pelita's users are used to see in a terminal: text boards, a line of progress, the last line.

Source: rules/pelita.md, section 14.
"""

from __future__ import annotations

from botleague_pelita.mazes.board import LETTERS
from botleague_pelita.mazes.layout import format_layout
from botleague_pelita.play.state import DRAW, State


def board_text(state: State) -> str:
    """Return the game as text: names and score, the board as layout text, and what is drawn over (``--ascii``)."""
    board = state.board
    blue, red = state.names
    food = board.listed(state.food[0] | state.food[1])
    bots = [board.squares[bot] for bot in state.bots]
    lines = [
        f"Round {state.round}, bot {LETTERS[state.turn]}: {blue} {state.tally.score[0]}:{state.tally.score[1]} {red}",
        format_layout(board.walls, food, bots, board.shape).rstrip("\n"),
        "Bots: " + ", ".join(f"{letter} {square}" for letter, square in zip(LETTERS, bots, strict=True)),
    ]
    lines += [
        f"{letter} says: {text}" for letter, text in zip(LETTERS, state.said, strict=True) if text.strip()
    ]
    return "\n".join(lines) + "\n"


def progress_line(state: State, max_rounds: int, width: int = 30) -> str:
    """Return one line with a bar of ``width`` characters for the rounds played (``--progress``)."""
    done = round(width * min(1.0, state.round / max_rounds)) if max_rounds else width
    blue, red = state.tally.score
    return f"[{'#' * done}{' ' * (width - done)}] round {state.round} of {max_rounds}, score {blue}:{red}"


def result_line(state: State) -> str:
    """Return the line that the original prints at the end of a game, the winner's score first; scripts read it.

    Args:
        state: with a verdict.
    """
    assert state.verdict is not None, "the game is not over"
    blue, red = state.names
    rounds = f"{state.round} round" + ("" if state.round == 1 else "s")
    winner, score = state.verdict.counted, state.tally.score
    if winner == DRAW:
        return f"Finished after {rounds}. {blue!r} and {red!r} had a draw. ({score[0]}:{score[1]})"
    first, second = (blue, red) if winner == 0 else (red, blue)
    return f"Finished after {rounds}. {first!r} won over {second!r}. ({score[winner]}:{score[1 - winner]})"
