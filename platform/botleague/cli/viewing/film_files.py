"""Options of `play` and `replay` that write files: an HTML page, a picture or a record."""

from __future__ import annotations

import tempfile
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from botleague.cli.printing.texts import say
from botleague.errors import UsageError
from botleague.referee import Finished, Record, Started, replay, scene_of
from botleague.rules import Variant

Html = Annotated[
    Path | None, typer.Option("--html", help="Write the replay as one self-contained HTML file.")
]
Open = Annotated[bool, typer.Option("--open", help="Open the HTML file in the browser.")]
RecordFile = Annotated[Path | None, typer.Option("--record", help="Write the record to this file.")]
Still = Annotated[int | None, typer.Option("--svg", min=0, help="Print the position after N turns as SVG.")]

PICTURE_WIDTH = 800


def write_new(
    option: str, file: Path, content: bytes, opener: Callable[[str, int], int] | None = None
) -> None:
    """Write a new file completely or not at all.

    Args:
        option: the option that names the file.
        opener: see :func:`~botleague.cli.kit.file_output.private`.

    Raises:
        UsageError: it cannot be written.
    """
    try:
        with open(file, "wb", opener=opener) as out:
            out.write(content)
    except OSError as error:
        if not isinstance(error, FileExistsError):
            file.unlink(missing_ok=True)
        raise UsageError(f"Cannot write {option} {file} ({error.strerror}).") from error


def show_page(
    record: Record,
    variant: Variant,
    journals: Mapping[int, bytes],
    html: Path | None,
    opens: bool,
    again: str,
) -> None:
    """Write a match as an HTML page and open it, as requested.

    Args:
        journals: stored bot logs, by seat.
        html: output file; None for a temporary file if ``opens``.
        again: the command that shows the match again.
    """
    if html is None and not opens:
        return
    from botleague.film import film, page  # here and not above: most matches are only played

    seats = range(len(record.seats))
    content = page(film(record, variant, journals, viewer=seats, views=seats), again).encode()
    file = html or Path(tempfile.mkdtemp(prefix="botleague-")) / "match.html"
    write_new("--html", file, content)
    if opens and not webbrowser.open(file.resolve().as_uri()):
        say(f"No browser found. The replay is in {file}.")


def picture(record: Record, variant: Variant, turns: int, names: Sequence[str]) -> str:
    """Return the position after a number of turns as SVG.

    Raises:
        UsageError: the match has fewer turns.
    """
    if turns > len(record.turns):
        raise UsageError(
            f"--svg {turns}: the match has {len(record.turns)} turns, so give 0 to {len(record.turns)}."
        )
    from botleague.film import svg

    state = None
    for event in replay(record, variant):
        if isinstance(event, Finished) or not (isinstance(event, Started) or event.number < turns):
            break
        state = event.state
    return svg(scene_of(variant, state), PICTURE_WIDTH, names)
