"""What comes from a bot's process is decoded in one place with fixed types, and nothing else can take it in."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import botleague_sandbox

PACKAGE = Path(botleague_sandbox.__file__).parent
# What runs in a bot's process alone, after its locks, and deals with the bot's own files: as the language layer does.
OF_THE_BOT = {"unrestricted_run.py"}
MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if path.name not in OF_THE_BOT and PACKAGE / "language" not in path.parents
)

# Everything that turns bytes into objects or code, or takes bytes in.
FORBIDDEN_MODULES = {"pickle", "dill", "marshal", "shelve", "cloudpickle", "asyncio"}
FORBIDDEN_CALLS = {
    "eval",
    "exec",
    "compile",
    "__import__",
    "loads",
    "load_module",
    "recv_bytes",
    "Unpickler",
    "Client",
}
RECEIVING = {"read", "recv", "recv_fds", "recvmsg", "recv_into", "readv", "receive"}

# (module, call): the receivers there are. Sockets lead to our own launcher and zygotes, which run no bot's code.
RECEIVERS = {
    ("pending_reply.py", "read"): 2,  # the bot's pipe: an answer, and a byte that should not be there
    ("pending_reply.py", "receive"): 1,
    ("bot_process.py", "read"): 1,  # a file of /proc, in which the kernel tells of a bot's process
    ("sandbox.py", "read"): 1,  # the bot's pipe, before the bot's code is in it
    ("sandbox.py", "receive"): 1,
    ("agent.py", "read"): 1,  # in the bot's process: the host's questions
    ("agent.py", "receive"): 1,
    ("guest_agent.py", "read"): 1,  # the same in the process of a WebAssembly program
    ("guest_agent.py", "receive"): 1,
    ("guest_preloading.py", "receive"): 2,  # in a zygote: a module of ours, and what it answers
    (
        "program_cache.py",
        "read",
    ): 1,  # a file of the cache: bytes that its code vouches for, and that nobody looks into here
    ("confined_call.py", "read"): 2,  # in the locked process: what it is to work on; and outside: its answer
    ("first_run_rehearsal.py", "receive"): 2,  # in a zygote: what a program of ours says
    ("zygote_pool.py", "recv"): 3,
    ("zygote_pool.py", "recv_fds"): 1,
    ("launcher.py", "recv_fds"): 1,
    ("zygote.py", "recv_fds"): 1,
}


def calls(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Call):
            if ast.unparse(node.func) == "re.compile":
                continue  # a pattern, no program
            if isinstance(node.func, ast.Attribute):
                yield node.func.attr
            elif isinstance(node.func, ast.Name):
                yield node.func.id


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name.split(".")[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]


def test_no_module_of_the_host_can_unpickle_or_evaluate() -> None:
    for path in MODULES:
        assert not FORBIDDEN_MODULES & set(imported(path)), path.name
        assert not FORBIDDEN_CALLS & set(calls(path)), path.name


def test_no_other_receiving_call_exists() -> None:
    counted: dict[tuple[str, str], int] = {}
    for path in MODULES:
        for call in calls(path):
            if call in RECEIVING:
                counted[path.name, call] = counted.get((path.name, call), 0) + 1
    assert counted == RECEIVERS


def test_bytes_of_a_bot_are_never_decoded_without_a_type() -> None:
    for name in ("host/pending_reply.py", "host/running_bot.py", "host/sandbox.py", "wire/protocol.py"):
        for node in ast.walk(ast.parse((PACKAGE / name).read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                if node.func.attr == "decode" and isinstance(node.func.value, ast.Attribute):
                    assert [keyword.arg for keyword in node.keywords] == ["type"], (
                        f"{name}, line {node.lineno}"
                    )
                if node.func.attr == "Decoder":
                    assert node.args, f"{name}, line {node.lineno}"
