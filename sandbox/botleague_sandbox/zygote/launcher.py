"""The clean parent of the zygotes: started with nothing of the host's, and what they are forked from.

The host starts it isolated, in ``/``, with one socket and an environment of the seed of hashes and the setting
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
import sys
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location

import msgspec
import multiprocess

from botleague_sandbox.locks import syscalls
from botleague_sandbox.locks.namespaces import enter_namespaces
from botleague_sandbox.wire.spawn_orders import MESSAGE_BYTES, Launch
from botleague_sandbox.zygote.zygote import serve


def main(channel: socket.socket) -> None:
    """Start zygotes for the host at the other end of ``channel`` until it closes it."""
    multiprocess.current_process().authkey = b""
    fork = multiprocess.get_context("fork").Process
    # So that a zygote, whose parent leaves at once, becomes a child of this process.
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    decode = msgspec.msgpack.Decoder(Launch).decode
    try:
        while True:
            data, fds, _, _ = socket.recv_fds(channel, MESSAGE_BYTES, 1)
            if not data:
                break
            _collect_ended()
            launch = decode(data)
            sys.path += [entry for entry in launch.path if entry not in sys.path]
            # A bot inherits this frame and the arguments of its process: :mod:`.memory_scrubbing` takes the rest.
            launch.path.clear()
            data = b""
            missing = "" if launch.recipe.wants("namespaces") else "switched off"
            with socket.socket(fileno=fds[0]) as end:
                while True:
                    between = fork(target=_start_zygote, args=(channel, end, launch, missing), daemon=True)
                    between.start()
                    between.join()
                    if missing or not between.exitcode:
                        break
                    missing = os.strerror(between.exitcode)  # once more, without namespaces
            channel.send(b"started")
    except OSError:
        pass  # the host was killed: no work is left
    os._exit(0)


def _start_zygote(channel: socket.socket, end: socket.socket, launch: Launch, missing: str) -> None:
    """Fork a zygote into new namespaces and leave; the exit code is 0 or the ``errno`` of the refusal."""
    channel.close()
    try:
        if not missing:
            enter_namespaces()
        zygote = os.fork()
    except OSError as error:
        os._exit(error.errno or 1)
    if zygote == 0:
        sys.meta_path.append(_OneFile(launch))
        serve(end, launch.recipe, launch.tier, launch.harness, launch.cores, missing)
    os._exit(0)


class _OneFile:
    """Finds the top-level module of a harness where it is in none of the folders on the import path.

    Its own folder is not added to them: the files next to it may be untrusted.
    """

    def __init__(self, launch: Launch) -> None:
        self._name = launch.harness.partition(":")[0].partition(".")[0]
        self._file, launch.file = launch.file, ""  # forgotten with this finder, before there is a bot

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """Return how to load the module, None for any other."""
        return spec_from_file_location(name, self._file) if name == self._name and self._file else None


def _collect_ended() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
