"""The clean parent of the zygotes: started with nothing of the host's, it owns the ``multiprocess`` forkserver.

The host starts it isolated, in ``/``, with one socket and an environment that says nothing but the seed of hashes and
that nothing is compiled to machine code; the environment that ``/proc`` shows, ``sys.argv`` and the authkey of
everything below come from here, not from the host. Zygotes are processes of its forkserver, which has the sandbox
imported already, so that one more costs a fork and its own imports only. When the host closes the socket, everything
below ends.
"""

from __future__ import annotations

import os
import socket

import msgspec
import multiprocess

from botleague_sandbox.layers import Recipe
from botleague_sandbox.program import Tier
from botleague_sandbox.zygote import serve

__all__ = ["BOOT", "Hatch", "main"]

MESSAGE_BYTES = 1 << 16
PRELOAD = ["botleague_sandbox.zygote"]

# The host's import path comes over the socket and after the interpreter's own, so that no file in it can take the
# place of a module of the standard library.
BOOT = """
import sys, socket, json
channel = socket.socket(fileno=int(sys.argv[1]))
sys.argv[1:] = []
sys.path += [path for path in json.loads(channel.recv(1 << 16)) if path not in sys.path]
from botleague_sandbox.nursery import main
main(channel)
"""


class Hatch(msgspec.Struct, array_like=True):
    """Start a zygote; its end of the socket to the host comes along."""

    recipe: Recipe
    tier: Tier
    harness: str
    cores: tuple[int, ...]


def main(channel: socket.socket) -> None:
    """Start zygotes for the host at the other end of ``channel`` until it closes it."""
    multiprocess.current_process().authkey = b""
    context = multiprocess.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    decode = msgspec.msgpack.Decoder(Hatch).decode
    try:
        while True:
            data, fds, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, 1)
            if not data:
                break
            wanted = decode(data)
            with socket.socket(fileno=fds[0]) as end:
                zygote = context.Process(
                    target=serve,
                    args=(end, wanted.recipe, wanted.tier, wanted.harness, wanted.cores),
                    daemon=True,
                )
                zygote.start()
            channel.send(b"started")
    except (OSError, EOFError):
        pass  # the host or the forkserver was killed: nobody is left to work for, or with
    os._exit(0)
