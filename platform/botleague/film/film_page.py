"""Replay page in one file: data, player and a still, which works from a disk or an e-mail without a network."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

import msgspec

from botleague.emblems import Emblem, emblem_svg, symbol_sheet
from botleague.errors import counted
from botleague.film.film import Film
from botleague.film.svg_still import page_svg
from botleague.rules import with_names

ASSETS = Path(__file__).with_name("assets")
"""The folder of ``player.js`` and ``player.css``."""

COMMENT = re.compile(r"^\s*(?:/\*.*?\*/|//[^\n]*)$", re.MULTILINE | re.DOTALL)
"""A comment on lines of its own, in JavaScript or CSS."""

END_COMMENT = re.compile(r"(?<=[;{}(,])\s+// .*$", re.MULTILINE)
"""A comment behind code on a line of JavaScript."""

JS_SPACE = re.compile(r"(?<=\{) | (?=\})")
"""Spaces inside braces."""

OPEN_END = re.compile(r"(?<=[{(\[;,])\n")
"""The end of a line that continues a statement, or ends one by its last sign."""

CSS_SPACE = re.compile(r" ?([{};,>]) ?|(?<=[\w-])(:) ")
"""Spaces that a style sheet does not need. Its texts in quotation marks have no such signs."""

STILL_WIDTH = 720
FRAME_HEIGHT = 760


class Stage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Texts of a page around a replay that the replay does not contain.

    Attributes:
        label: place of the match in its league, such as ``final, game 2``.
        notes: text below each bot's name, by seat.
        ratings: rating of each bot before and after the match, rounded, by seat; empty if unrated.
    """

    label: str = ""
    notes: tuple[str, ...] = ()
    ratings: tuple[tuple[int, int], ...] = ()

    def encode(self) -> str:
        """Return it as JSON, for the attribute ``data-stage`` of the player's element."""
        return msgspec.json.encode(self).decode()


NO_STAGE = Stage()


def page(film: Film, again: str = "") -> str:
    """Return the page of a whole replay, with ``again``, the command that shows it again.

    Without JavaScript it shows the last frame and every turn as text.
    """
    style, script = player_file("player.css"), player_file("player.js")
    policy = (
        f"default-src 'none'; style-src {_source(style)}; script-src {_source(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    title = escape(film.title)
    about = f"{film.variant}, seed {film.seed}, {counted(film.frames - 1, 'turn')}"
    footer = f"<footer>Again: <code>{escape(again)}</code></footer>" if again else ""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>{style}</style>
</head>
<body class="bl-page">
{symbol_sheet()}
<main>
<header><h1>{title}</h1><p>{escape(about)}</p></header>
<div class="bl-player" data-film="film">
{plain(film)}
</div>
{footer}
</main>
<script type="application/json" id="film">{film.embedded()}</script>
<script>{script}</script>
</body>
</html>
"""


def framed(film: Film) -> str:
    """Return the page in a frame for notebooks: its script runs, but cannot access the notebook."""
    return (
        f'<iframe sandbox="allow-scripts" srcdoc="{escape(page(film))}" title="{escape(film.title)}"'
        f' width="100%" height="{FRAME_HEIGHT}" frameborder="0"></iframe>'
    )


def plain(film: Film, stage: Stage = NO_STAGE) -> str:
    """Return the content without JavaScript: the bots, the last frame, the turning point, every turn in words."""
    picture = page_svg(film, -1, STILL_WIDTH) if film.frames else ""
    rows = "".join(
        f"<tr><th scope=row><bdi>{escape(seat.name)}</bdi></th><td>{seat.place or ''}</td><td>{seat.score:g}</td></tr>"
        for seat in film.seats
    )
    turns = "".join(f'<li value="{number}">{escape(text)}</li>' for number, text in turns_in_words(film))
    head = "<tr><th scope=col>Bot</th><th scope=col>Place</th><th scope=col>Score</th></tr>"
    reason = escape(with_names(film.reason, film.names))
    table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    turning = ""
    if film.turning is not None:
        sentence = escape(with_names(film.turning.text, film.names))
        turning = f"<p><b>Turning point, turn {film.turning.frame}:</b> {sentence}</p>"
    return f'<div class="bl-plain">{_facing(film, stage)}{picture}<p>{reason}</p>{turning}{table}<ol>{turns}</ol></div>'


def _facing(film: Film, stage: Stage) -> str:
    """Return names, emblems and scores of two seats, as the player shows them; "" for another number."""
    if len(film.seats) != 2:
        return ""
    left, right = (
        (
            emblem_svg(Emblem(*seat.emblem, seat.hue), prefix="bl-"),
            f'<span class="bl-side-name"><bdi class="bl-name">{escape(seat.name)}</bdi>'
            f'<span class="bl-note">{escape(stage.notes[number] if stage.notes else seat.version)}</span></span>',
            f'<b class="bl-points">{seat.score:g}</b>',
        )
        for number, seat in enumerate(film.seats)
    )
    score = f'<span class="bl-result-line">{left[2]}<i aria-hidden="true">–</i>{right[2]}</span>'
    label = f'<span class="bl-note">{escape(stage.label)}</span>'
    return (
        f'<div class="bl-head bl-of-2">{left[0]}{left[1]}<span class="bl-middle">{score}{label}</span>'
        f"{right[1]}{right[0]}</div>"
    )


def turns_in_words(film: Film) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each frame with moves, faults, events or tags."""
    names = film.names
    happened: defaultdict[int, list[str]] = defaultdict(list)
    for frame, seat, kind, detail in film.faults:
        happened[frame].append(f"{names[seat]}: {kind} {film.texts[detail]}".rstrip())
    for frame, _, _, text in film.events:
        happened[frame].append(with_names(film.texts[text], names))
    for frame, seat, text in film.tags:
        happened[frame].append(f"{names[seat]}: #{film.texts[text]}")
    for frame, moves in enumerate(film.moves):
        moves_in_words = [
            f"{names[seat]}: {with_names(film.texts[text], names)}"
            for seat, text in zip(moves[::2], moves[1::2], strict=True)
        ]
        if parts := moves_in_words + happened[frame]:
            yield frame, "; ".join(parts)


@cache
def player_file(name: str) -> str:
    """Return ``player.js`` or ``player.css`` for pages; every replay file contains both."""
    return lean((ASSETS / name).read_text(encoding="utf-8"), is_css=name.endswith(".css"))


def lean(source: str, *, is_css: bool = False) -> str:
    """Return a script or style sheet without comments and most space.

    No text in ``source`` may span lines, or have a space inside a brace.
    """
    text = COMMENT.sub("", source)
    text = (
        CSS_SPACE.sub(lambda sign: sign[1] or sign[2], text)
        if is_css
        else JS_SPACE.sub("", END_COMMENT.sub("", text))
    )
    text = OPEN_END.sub("", "".join(f"{line.strip()}\n" for line in text.splitlines() if line.strip()))
    return text.replace("}\n", "}") if is_css else text


def _source(text: str) -> str:
    """Return the name of an inline script or style in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
