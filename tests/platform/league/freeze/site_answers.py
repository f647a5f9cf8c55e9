"""What a server answers at every address of a site, as it goes over the wire."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from botleague.application import Workspace
from botleague.people import PUBLIC, Viewer
from botleague.site.film_embedding import Films
from botleague_server.app import RULES as TABLE
from botleague_server.app import make_app
from botleague_server.serving.event_streams import Streams
from botleague_server.serving.live_streams import Live
from botleague_server.serving.page_cache import PageReader
from botleague_storage import Database, fixtures

from ....conftest import PATIENCE_S
from .frozen_league import League


@dataclass(frozen=True)
class Reply:
    """An answer as it goes over the wire; of a stream what it says first."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    content: bytes


async def ask(app: Any, address: str, cookie: str = "", form: str = "") -> Reply:
    """Ask, or send a form, as somebody does who comes through a proxy; end a stream at its first state."""
    path, _, query = address.partition("?")
    status, headers, content = 0, (), b""
    is_over = asyncio.Event()

    messages = [{"type": "http.request", "body": form.encode(), "more_body": False}] if form else []

    async def receive() -> dict[str, Any]:
        if messages:
            return messages.pop()
        await is_over.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        nonlocal status, headers, content
        if message["type"] == "http.response.start":
            status, headers = message["status"], tuple(sorted(message["headers"]))
        else:
            content += message.get("body", b"")
            if b"\nid: " in content or not message.get("more_body"):
                is_over.set()

    scope = {
        "type": "http",
        "method": "POST" if form else "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": query.encode(),
        "headers": [
            (b"host", b"localhost"),
            (b"x-forwarded-for", b"10.0.0.1"),
            (b"cookie", cookie.encode()),
            (b"sec-fetch-site", b"same-origin"),
            (b"content-type", b"application/x-www-form-urlencoded"),
        ],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 80),
        "scheme": "http",
        "http_version": "1.1",
    }
    await asyncio.wait_for(app(scope, receive, send), PATIENCE_S)
    # How often a stream says that it is alive before its first state depends on the machine.
    return Reply(status, headers, content.replace(b"event: alive\ndata:\n\n", b""))


async def ask_until_made(app: Any, address: str, cookie: str = "", form: str = "") -> Reply:
    """Ask again while a film is being made, or the picture of a variant."""
    has_picture = address.startswith("/variants/guessing/") and not address.endswith((".json", ".md"))
    while True:
        reply = await ask(app, address, cookie, form)
        waits = b"being prepared" in reply.content or any(name == b"refresh" for name, _ in reply.headers)
        if not waits and (not has_picture or b'class="still"' in reply.content):
            return reply
        await asyncio.sleep(0.05)


def addresses(league: League) -> list[str]:
    """Every address of a site: each page with its objects and its stream, for every value it may be asked for."""
    planned = league.read(lambda season: fixtures.counts(season.connection, season.id)[0])
    names = league.read(lambda season: sorted({row.bot for row in season.names.values()}))
    values = {
        "league": ["cup"],
        "season": ["1"],
        "variant": ["guessing"],
        "bot_slug": names,
        "match": list(map(str, (1, *range(6, 10), planned, planned + 1))),
        "name": ["style.css"],
        "code": ["0000-0000-0000-0000"],
        "upload": ["1", "2"],
        "version": ["1", "2"],
        "turn": ["0"],
        "practice": ["1"],
        "one": ["a"],
        "other": ["b"],
    }
    urls = []
    for path in (path for method, path in TABLE if method == "GET"):
        filled = [path]
        for name in re.findall(r"{(\w+)}", path):
            filled = [one.replace(f"{{{name}}}", quote(value)) for one in filled for value in values[name]]
        for one in filled:
            urls.append(one)
            if one.endswith("/1/matches/"):
                urls += [f"{one}?bot=a", f"{one}?bot=a&opponent=b", f"{one}?fault=crash", f"{one}?round=2"]
                urls += [f"{one}index.json?before={number}" for number in (1, 7, 1000)]
            if one.endswith("queue/"):
                urls += [f"{one}index.json?first={number}" for number in (0, 9)]
    return urls


def site(
    league: League,
    viewer: Viewer = PUBLIC,
    only: Sequence[str] = (),
    session: str | None = None,
    form: str = "",
) -> dict[str, Reply]:
    """What a server answers at every address, films left out.

    Args:
        session: of whoever asks, where people can log in; "" for nobody's. None for a server that only shows.
        form: what is sent to each address, instead of asking for it.
    """

    async def answers() -> dict[str, Reply]:
        workspace = Workspace(db=str(league.file), public_url="http://127.0.0.1")
        library = PageReader(workspace, clock=league.clock)
        films, streams = Films(workspace, library.touch), Streams(library)
        live = Live(workspace, streams)
        people = None if session is None else Database(str(league.file))
        app = make_app(library, films, streams, live, people, viewer=viewer)
        cookie = f"botleague={session}" if session else ""
        try:
            urls = only or addresses(league)
            stills = [one for one in urls if one.endswith(".svg")]
            # An empty still does not say whether it is being made. Requested first, it is made before all others.
            await asyncio.gather(*(ask(app, one, cookie, form) for one in stills))
            pages = [one for one in urls if one not in stills]
            replies = await asyncio.gather(*(ask_until_made(app, one, cookie, form) for one in pages))
            replies += await asyncio.gather(*(ask(app, one, cookie, form) for one in stills))
            return dict(zip(pages + stills, replies, strict=True))
        finally:
            streams.stop()
            live.stop()
            await live.close()
            films.close()
            library.close()
            if people is not None:
                people.close()

    # In a thread of its own: the browser of other tests keeps a loop in this one.
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(answers())).result()


def decoded(replies: Mapping[str, Reply], address: str) -> Any:
    return json.loads(replies[address].content)
