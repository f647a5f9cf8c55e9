"""Streams of pages to many readers of a busy database: each page is read once for all."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
import zlib
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.requests import Request

from botleague.application import Workspace
from botleague_server.serving import event_streams as streaming
from botleague_server.serving import page_cache as reading
from botleague_server.serving.event_streams import Streams
from botleague_server.serving.page_cache import Answer, Cache, Pace, PageReader
from botleague_server.serving.responses import streamed
from botleague_storage import ConnectionLost, Database, server_metrics

from ...conftest import PATIENCE_S
from ..conftest import in_a_loop

COST_S = 0.01
"""CPU time."""


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[PageReader]:
    file = str(tmp_path / "league.db")
    Database(file).close()
    reader = PageReader(Workspace(db=file))
    yield reader
    reader.close()


class Page:
    """A page whose content a test decides on; it has changed again whenever it was read."""

    def __init__(self, reader: PageReader) -> None:
        self.content = "0"
        self.reads = 0
        self._library = reader

    def read(self) -> Answer:
        self.reads += 1
        content = self.content
        self._library.touch()
        return Answer(content.encode(), "text/html", main=content, digest=content)


async def always() -> bool:
    return True


def test_changing_page_is_read_once_for_all(reader: PageReader, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> int:
        cache, page = Cache(reader), Page(reader)
        for _ in range(2):
            await asyncio.gather(*(cache.get("/", page.read) for _ in range(200)))
        return page.reads

    monkeypatch.setattr(reading, "MIN_REST_S", 3600.0)
    assert in_a_loop(ask) == 1
    monkeypatch.setattr(reading, "MIN_REST_S", 0.0)
    assert in_a_loop(ask) > 1


def test_page_waits_for_the_cost_of_all_pages(reader: PageReader, monkeypatch: pytest.MonkeyPatch) -> None:
    class Costly(Page):
        def read(self) -> Answer:
            begun = time.thread_time()
            while time.thread_time() - begun < COST_S:
                pass
            return super().read()

    async def rests() -> list[float]:
        cache, page = Cache(reader), Costly(reader)
        entries = [await cache.look(address, page.read) for address in ("/a", "/b", "/a", "/b")]
        return [one.again_at - one.at for one in entries]

    monkeypatch.setattr(reading, "MIN_REST_S", 0.0)
    _, _, alone, one_of_two = in_a_loop(rests)
    assert alone >= COST_S / reading.SHARE
    assert one_of_two >= 2 * COST_S / reading.SHARE


def test_other_requests_are_answered_while_the_server_of_a_database_is_silent() -> None:
    pytest.importorskip("psycopg")
    heard: list[bytes] = []

    async def listen(connection: asyncio.StreamReader, answer: asyncio.StreamWriter) -> None:
        while len(heard) < 9:
            message = await connection.read(1024)
            heard.append(message)
            if len(message) != 8:  # no request for encryption
                break
            answer.write(b"N")
        answer.close()

    async def ask() -> Answer:
        async with await asyncio.start_server(listen, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            reader = PageReader(Workspace(db=f"postgresql://ann@127.0.0.1:{port}/league"))
            return await Cache(reader).get("/", lambda: Answer(b"page", "text/html"))

    assert in_a_loop(ask).content == b"page"
    assert b"ann" in heard[-1], "the client was still there when the loop had time for it"


def test_readers_of_an_unavailable_database_share_one_attempt(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("psycopg")
    monkeypatch.setattr(reading, "AWAY_S", PATIENCE_S)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        reader = PageReader(Workspace(db=f"postgresql://ann@127.0.0.1:{port}/league?sslmode=disable"))
        threading.Thread(target=lambda: server.accept()[0].close(), daemon=True).start()
        for _ in range(3):
            assert reader.mark() is None
            with pytest.raises(ConnectionLost):
                reader.read(server_metrics.uploads_waiting, None)
        server.setblocking(False)
        with pytest.raises(BlockingIOError):
            server.accept()


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=20))
def test_changed_pages_share_the_reading_time(costs: list[float]) -> None:
    pace = Pace()
    for number, cost_s in enumerate(costs):
        pace.spent(f"of before: {number}", 1.0)
        pace.spent(f"of before: {number}", cost_s)
    rest_s = pace.rest_s()
    assert reading.MIN_REST_S <= rest_s <= reading.FRESH_S
    assert sum(costs) <= reading.SHARE * rest_s * (1 + 1e-9) or rest_s == reading.FRESH_S


def test_stream_reaches_the_last_state_and_repeats_no_state(
    reader: PageReader, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Nothing but a change that is noticed may bring the last state.
    monkeypatch.setattr(streaming, "TIMED_S", 3600.0)

    async def follow(stream: AsyncIterator[bytes], states: list[str], page: Page) -> None:
        async for event in stream:
            if event.startswith(b"id: "):
                states.append(event.split()[1].decode())
                # What others have seen changes the page, so it changes while it is being sent.
                page.content = str(max(int(page.content), min(int(states[-1]) + 1, 3)))
                reader.touch()
            if states and states[-1] == "3":
                return

    async def look() -> list[list[str]]:
        cache, page, streams = Cache(reader), Page(reader), Streams(reader)
        opened = [streams.open("", "/", "", lambda: cache.look("/", page.read), always) for _ in range(200)]
        await anext(opened[0])  # and is never ready for more
        all_states: list[list[str]] = [[] for _ in opened[1:]]
        async with asyncio.timeout(PATIENCE_S):
            await asyncio.gather(*(follow(*one, page) for one in zip(opened[1:], all_states, strict=True)))
        streams.stop()
        return all_states

    for states in in_a_loop(look):
        assert states == sorted(set(states))
        assert states[-1] == "3"


def test_compressed_stream_sends_each_event_at_once() -> None:
    sent = [b"event: alive\n\n", b"id: 1\ndata: <p>\n\n" * 1000, b"id: 2\n\n", b"id: 1\ndata: <p>\n\n" * 1000]

    async def events() -> AsyncGenerator[bytes, None]:
        for event in sent:
            yield event

    async def unpacked() -> list[bytes]:
        answer = streamed(Request({"type": "http", "headers": [(b"accept-encoding", b"br, gzip")]}), events())
        assert answer.headers["content-encoding"] == "gzip"
        unpacking = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
        return [
            unpacking.decompress(piece) async for piece in answer.body_iterator if isinstance(piece, bytes)
        ]

    assert in_a_loop(unpacked) == [b"", *sent]
