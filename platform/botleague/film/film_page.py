"""Replay page in one file: data, player and a still, which works from a disk or an e-mail without a network."""

from __future__ import annotations

import base64
import hashlib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path

from botleague.errors import counted
from botleague.film.film import Film
from botleague.film.svg_still import svg
from botleague.rules import with_names

ASSETS = Path(__file__).with_name("assets")
"""The folder of ``player.js`` and ``player.css``."""

STILL_WIDTH = 720
FRAME_HEIGHT = 760


def page(film: Film, again: str = "") -> str:
    """Return the page of a whole replay, with ``again``, the command that shows it again.

    Without JavaScript it shows the last frame and every turn as text.
    """
    style, script = _asset("player.css"), _asset("player.js")
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


def plain(film: Film) -> str:
    """Return the content without JavaScript: the last frame, the bots, every turn in words."""
    scene = film.scene(-1)
    picture = svg(scene, STILL_WIDTH, film.names) if scene else ""
    rows = "".join(
        f"<tr><th scope=row><bdi>{escape(seat.name)}</bdi></th><td>{seat.place or ''}</td><td>{seat.score:g}</td></tr>"
        for seat in film.seats
    )
    turns = "".join(f'<li value="{number}">{escape(text)}</li>' for number, text in turns_in_words(film))
    head = "<tr><th scope=col>Bot</th><th scope=col>Place</th><th scope=col>Score</th></tr>"
    reason = escape(with_names(film.reason, film.names))
    table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>"
    return f'<div class="bl-plain">{picture}<p>{reason}</p>{table}<ol>{turns}</ol></div>'


def turns_in_words(film: Film) -> Iterator[tuple[int, str]]:
    """Yield the number and text of each frame with moves, faults or events."""
    names = film.names
    happened: defaultdict[int, list[str]] = defaultdict(list)
    for frame, seat, kind, detail in film.faults:
        happened[frame].append(f"{names[seat]}: {kind} {film.texts[detail]}".rstrip())
    for frame, _, _, text in film.events:
        happened[frame].append(with_names(film.texts[text], names))
    for frame, moves in enumerate(film.moves):
        moves_in_words = [
            f"{names[seat]}: {with_names(film.texts[text], names)}"
            for seat, text in zip(moves[::2], moves[1::2], strict=True)
        ]
        if parts := moves_in_words + happened[frame]:
            yield frame, "; ".join(parts)


@cache
def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _source(text: str) -> str:
    """Return the name of an inline script or style in a content security policy."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
