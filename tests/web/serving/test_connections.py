"""Slow and half-open connections are closed, counted per team, and delay no other client."""

from __future__ import annotations

import asyncio
import shutil
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from botleague_server.accounts.account_service import Person, make_account
from botleague_server.serving.connections import QUIET_S, STALL_S, Connections, HttpConnection, QuietLog
from botleague_storage import leagues, uploads
from botleague_storage.people_rows.uploads import Limits

from ...conftest import PATIENCE_S
from ..conftest import Open, in_a_loop

BOT = (Path(__file__).parents[2] / "platform" / "plugin" / "guessing_bots" / "five.py").read_bytes()
FORM = (
    b'--xyz\r\nContent-Disposition: form-data; name="file"; filename="five.py"\r\n\r\n%b\r\n--xyz--\r\n' % BOT
)

MOST = 120
"""Connections of a server that may open twice as many files."""

FULL = (
    f"{MOST} connections are open, half of the limit of open files. "
    "Connections that wait for a request are closed to make room for new ones."
)


@pytest.fixture(scope="module")
def site(played: Path, tmp_path_factory: pytest.TempPathFactory, open_server: type[Open]) -> Iterator[Open]:
    """A server with few files, and authors of three teams."""
    folder = Path(shutil.copytree(played, tmp_path_factory.mktemp("connections") / "project"))
    site = open_server(folder, files=2 * MOST)
    with site.database.writing() as connection:
        for handle in ("ann", "bob", "cleo"):
            make_account(connection, Person(handle), 0.0)
        cup = leagues.find(connection, "cup").id
        uploads.set_limits(connection, cup, Limits(a_day=100, gap_s=0.0))
    yield site
    # Only the test of many connections reaches the limit, and it may run in another worker.
    site.end(f"Warning: {FULL}\n" * in_log(site, FULL))


def begin_upload(site: Open, token: str, length: int = len(FORM)) -> socket.socket:
    """Send the head of an upload; return when the server reads its body."""
    connection = socket.create_connection(("127.0.0.1", site.port), timeout=PATIENCE_S)
    connection.sendall(
        b"POST /leagues/cup/hand-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: %d\r\nExpect: 100-continue\r\n"
        b"Content-Type: multipart/form-data; boundary=xyz\r\nAuthorization: Bearer %b\r\n\r\n"
        % (length, token.encode())
    )
    assert connection.recv(1 << 16).startswith(b"HTTP/1.1 100 ")
    return connection


def hand_in(site: Open, token: str) -> int:
    """Send an upload at once, and return the status."""
    kind = "multipart/form-data; boundary=xyz"
    status, _, _ = site.ask(
        "POST",
        "/leagues/cup/hand-in/",
        FORM.decode(),
        Authorization=f"Bearer {token}",
        Content_Type=kind,
    )
    return status


def finish(connection: socket.socket) -> int:
    """Send the body of an upload, and return the status."""
    connection.sendall(FORM)
    return int(connection.recv(1 << 16).split()[1])


def in_log(site: Open, text: str) -> int:
    """Return how many lines of the log contain a text."""
    return site.log.read_text().count(text)


def test_slow_uploads_of_one_team_do_not_delay_others(site: Open) -> None:
    ann, bob = site.token("ann", "submit"), site.token("bob", "submit")
    with ExitStack() as stack:
        slow = [stack.enter_context(begin_upload(site, ann)) for _ in range(2)]
        assert [hand_in(site, ann) for _ in range(43)] == [429] * 43
        assert hand_in(site, bob) == 202
        assert [finish(one) for one in slow] == [202, 202], "what was in progress is accepted"
        assert hand_in(site, ann) == 202


def test_half_open_connections_give_way_to_requests(site: Open) -> None:
    token = site.token("cleo", "submit")
    with ExitStack() as stack:
        half: list[socket.socket] = []
        for number in range(5 * MOST):
            half.append(stack.enter_context(socket.socket()))
            half[-1].bind((f"127.0.0.{2 + number % 3}", 0))
            half[-1].connect(("127.0.0.1", site.port))
            half[-1].sendall(b"GET / HTTP/1.1\r\nHost: ")
            if number % 20 == 0:
                assert site.ask("GET", "/leagues/cup/")[0] == 200
        assert hand_in(site, token) == 202
        closed = 0
        for one in half:
            one.setblocking(False)
            try:
                closed += not one.recv(1)
            except BlockingIOError:
                continue
            except ConnectionError:
                closed += 1
        assert closed >= 4 * MOST, "the others had to give way"
    assert in_log(site, FULL) == 1
    assert in_log(site, "Traceback") == 0


def test_slow_client_is_cut_off(site: Open) -> None:
    ann, bob = site.token("ann", "submit"), site.token("bob", "submit")
    head = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    refused = b"POST /logout/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n"

    async def drip(sent: bytes) -> bytes:
        """Send something, then a byte every tenth of a second; return what is answered until the server closes."""
        loop, answer = asyncio.get_running_loop(), b""
        with socket.socket() as connection:
            connection.setblocking(False)
            await loop.sock_connect(connection, ("127.0.0.1", site.port))
            await loop.sock_sendall(connection, sent)
            # Not a stream: its first write after the server has closed loses what was answered.
            with suppress(ConnectionError):
                while piece := await receive(connection):
                    answer += piece
        return answer

    async def receive(connection: socket.socket) -> bytes:
        loop = asyncio.get_running_loop()
        receiving = asyncio.create_task(loop.sock_recv(connection, 1 << 16))
        while not (await asyncio.wait([receiving], timeout=0.1))[0]:
            with suppress(ConnectionError):
                await loop.sock_sendall(connection, b"x")
        return receiving.result()

    async def all_at_once() -> tuple[bytes, ...]:
        return await asyncio.wait_for(
            asyncio.gather(
                drip(b""),
                drip(head),
                drip(head + b"\r\n"),
                drip(refused),
                drip(upload(ann)),
                drip(upload(bob)),
            ),
            timeout=PATIENCE_S,
        )

    def upload(token: str) -> bytes:
        return (
            b"POST /leagues/cup/hand-in/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000\r\n"
            b"Content-Type: multipart/form-data; boundary=xyz\r\nAuthorization: Bearer %b\r\n\r\n%b"
            % (token.encode(), FORM[:90])
        )

    nothing, half, answered, forbidden, *uploads = in_a_loop(all_at_once)
    assert (nothing, half) == (b"", b"")
    assert answered.startswith(b"HTTP/1.1 200 "), "and the half request after it is cut off"
    assert forbidden.startswith(b"HTTP/1.1 403 ")
    assert all(one.startswith(b"HTTP/1.1 408 ") and b"too slow" in one for one in uploads)
    assert hand_in(site, ann) == 202


class HandMovedLoop(asyncio.SelectorEventLoop):
    """A loop with a clock that a test moves."""

    now = 0.0

    def time(self) -> float:
        return self.now


def test_answer_that_is_not_read_is_cut_off() -> None:
    async def answer(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": bytes(10_000_000)})

    async def read_slowly(loop: HandMovedLoop) -> list[bool]:
        connections, config = Connections(10, QuietLog()), uvicorn.Config(answer, log_config=None)
        made = HttpConnection(
            connections, config=config, server_state=ServerState(), app_state={}, _loop=loop
        )
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)
            theirs.setblocking(False)
            await loop.connect_accepted_socket(lambda: made, ours)
            theirs.send(b"GET / HTTP/1.1\r\nHost: here\r\n\r\n")
            while not made.flow or not made.flow.write_paused:
                await asyncio.sleep(0)
            is_open = []
            for unread in (1_000_000, 1_000_000, 0):
                left = made.transport.get_write_buffer_size() - unread
                while made.transport.get_write_buffer_size() > left:
                    with suppress(BlockingIOError):
                        theirs.recv(1 << 16)
                    await asyncio.sleep(0)
                loop.now += STALL_S + 1
                connections.sweep()
                is_open.append(made.transport.get_write_buffer_size() > 0)
            return is_open

    loop = HandMovedLoop()
    assert in_a_loop(lambda: read_slowly(loop), lambda: loop) == [True, True, False]


def test_reached_limit_is_logged_in_one_line(caplog: pytest.LogCaptureFixture) -> None:
    now = 0.0
    limits = QuietLog(lambda: now)
    for second in range(3000):
        now = float(second)
        limits.note("full")
    assert caplog.messages == ["full"]
    now += QUIET_S + 1
    limits.note("full")
    assert caplog.messages == ["full"] * 2
