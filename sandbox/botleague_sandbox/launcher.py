"""The clean parent of the zygotes: started with nothing of the host's, and what they are forked from.

The host starts it isolated, in ``/``, with one socket and an environment that says nothing but the seed of hashes and
that nothing is compiled to machine code; the environment that ``/proc`` shows, ``sys.argv`` and the authkey of
everything below come from here, not from the host. It has the sandbox imported already, so that a zygote costs a fork
and its own imports only. When the host closes the socket, everything below ends.

A zygote is the first process of its PID namespace, so a process between the two enters the namespaces, forks it and
leaves; the kernel makes the zygote a child of the launcher. All are ``multiprocess`` forks: its forkserver would leave
a folder with a listening socket in the system's temporary folder whenever it is not ended in good order.
"""

from __future__ import annotations

import contextlib
import os
import socket

import msgspec

from botleague_sandbox import kernel
from botleague_sandbox.jail import enter_namespaces
from botleague_sandbox.layers import Recipe
from botleague_sandbox.program import Tier
from botleague_sandbox.zygote import serve

__all__ = ["BOOT", "Launch", "main"]

MESSAGE_BYTES = 1 << 16

# Random numbers, threads and logs want to be told of every fork, in Python code that writes to many a page: a third of
# what starting a bot took. There are no other threads here, and a bot begins its random numbers when it is loaded.
# Garbage is collected once everything is loaded: what is imported stays, and looking for it again and again takes long.
#
# The host's import path comes over the socket and after the interpreter's own, so that no file in it can take the
# place of a module of the standard library.
BOOT = """
import gc, os
gc.disable()
os.register_at_fork = lambda **hooks: None
import sys, socket, json
channel = socket.socket(fileno=int(sys.argv[1]))
sys.argv[1:] = []
sys.path += [path for path in json.loads(channel.recv(1 << 16)) if path not in sys.path]
from botleague_sandbox.launcher import main
main(channel)
"""


class Launch(msgspec.Struct, array_like=True):
    """Start a zygote; its end of the socket to the host comes along."""

    recipe: Recipe
    tier: Tier
    harness: str
    cores: tuple[int, ...]


def main(channel: socket.socket) -> None:
    """Start zygotes for the host at the other end of ``channel`` until it closes it."""
    import multiprocess  # not above: the host, which needs the names of this module, would import it for nothing

    multiprocess.current_process().authkey = b""
    fork = multiprocess.get_context("fork").Process
    # So that a zygote, whose parent leaves at once, becomes a child of this process.
    kernel.prctl(kernel.PR_SET_CHILD_SUBREAPER, 1)
    decode = msgspec.msgpack.Decoder(Launch).decode
    try:
        while True:
            data, fds, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, 1)
            if not data:
                break
            _collect_ended()
            wanted = decode(data)
            missing = "" if wanted.recipe.wants("namespaces") else "switched off"
            with socket.socket(fileno=fds[0]) as end:
                while True:
                    between = fork(target=_start_zygote, args=(channel, end, wanted, missing), daemon=True)
                    between.start()
                    between.join()
                    if missing or not between.exitcode:
                        break
                    missing = os.strerror(between.exitcode)  # once more, without namespaces
            channel.send(b"started")
    except OSError:
        pass  # the host was killed: nobody is left to work for
    os._exit(0)


def _start_zygote(channel: socket.socket, end: socket.socket, wanted: Launch, missing: str) -> None:
    """Fork a zygote into new namespaces and leave; the exit code is 0 or the ``errno`` of the refusal."""
    channel.close()
    try:
        if not missing:
            enter_namespaces()
        zygote = os.fork()
    except OSError as error:
        os._exit(error.errno or 1)
    if zygote == 0:
        serve(end, wanted.recipe, wanted.tier, wanted.harness, wanted.cores, missing)
    os._exit(0)


def _collect_ended() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
