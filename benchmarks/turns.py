"""What a sandboxed turn costs, beside a raw pipe and a plain call, all in one run on one core.

    python benchmarks/turns.py [--turns N]

Three ways to ask the same question: a blocking round trip of the same number of bytes over two pipes between two Python
processes (the floor of any design with processes), our turn with every layer active, and calling the bot's function
directly. They are interleaved in rounds, so that noise of the machine meets all alike; the ratio is the figure that
travels between machines. The bot of the small question answers with a number, those of the large ones with a short
list. One large question is a board as text and a dozen units; the other is made of 250 small objects, and what it costs
more is making them from MessagePack and back, which no process boundary can avoid.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from collections.abc import Callable

import msgspec

from botleague_sandbox import Answer, Bot, Deadline, Limits, Program, Sandbox
from botleague_sandbox.inside.botdraw import Canvas
from botleague_sandbox.testing.sandbox_conformance import HARNESS

ROUNDS = 20
SMALL = {"legal": [1, 2, 3], "turn": 7, "you": 0, "score": [10, 12], "time": 140}
BOARD = {
    **SMALL,
    "board": ["#" + ". o " * 14 + "#" for _ in range(30)],
    "units": [[n, n % 19, n % 7, 50 - n] for n in range(12)],
}
NESTED = {
    **SMALL,
    "board": ["#" + ". o " * 11 + "#" for _ in range(20)],
    "units": [
        {"id": n, "at": [n % 19, n % 7], "hp": 50 - n, "team": n % 2, "doing": "wait"} for n in range(20)
    ],
    "open": [[n % 32, n % 16] for n in range(75)],
}
CASES = {
    "under 100 B": (SMALL, "def move(observation):\n    return observation['turn']\n", int, 2.2),
    "2 KB": (BOARD, "def move(observation):\n    return observation['units'][3]\n", list[int], 3.5),
    "2 KB, nested": (NESTED, "def move(observation):\n    return observation['open'][3]\n", list[int], None),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=20_000)
    turns = parser.parse_args().turns
    core = min(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {core})
    print("observation   bytes   raw pipe    sandbox     p99     call    ratio (target)   p99/median")
    with Sandbox(core=core) as sandbox:
        for name, (observation, source, type_, target) in CASES.items():
            program = Program("turns", {"bot.py": source.encode()}, "bot.py", HARNESS)
            size = len(msgspec.msgpack.encode(observation))
            with sandbox.run(program) as bot:
                raw, ours, called = measure(bot, observation, source, type_, size, turns)
            low, high = statistics.median(raw), statistics.median(ours)
            p99, p99_raw = (statistics.quantiles(times, n=100)[98] for times in (ours, raw))
            wanted = f"<= {target}" if target else "no target"
            print(
                f"{name:12} {size:6} {low:8.1f} us {high:7.1f} us {p99:4.0f} us {statistics.median(called):5.1f} us   "
                f"{high / low:5.2f} ({wanted:9}) {p99 / high:6.2f} (<= 2; raw pipe {p99_raw / low:.2f})"
            )
    print(f"10 shapes drawn and packed: {drawing():.2f} us of the bot's time (<= 5)")


def drawing() -> float:
    """Return the microseconds in which a bot draws ten shapes: the quickest of many short runs."""
    canvas = Canvas(Limits().drawing_bytes)
    functions: dict[str, Callable[..., object]] = dict(canvas.module())  # type: ignore[arg-type]  # all of them
    rect, circle, line = functions["rect"], functions["circle"], functions["line"]

    def turn() -> None:
        for number in range(4):
            rect(number, 2.5, 1, 1, "#ff0000")
            circle(number + 0.5, 2.5, 1.2, stroke="#ff0000")
        line(0, 0, 1, 1)
        line(1, 2, 3, 4, "#aabbcc", 0.2)
        canvas.take()

    return min(sum(timed(turn, 50)) / 50 for _ in range(1000))


def measure(
    bot: Bot, observation: object, source: str, type_: type, size: int, turns: int
) -> tuple[list[float], list[float], list[float]]:
    """Return microseconds a question: over raw pipes, to the sandboxed bot, and by a plain call."""
    namespace: dict[str, Callable[[object], object]] = {}
    exec(source, namespace)  # our own two lines above
    move = namespace["move"]
    deadline = Deadline.cpu(1000)
    expected = move(observation)
    raw_turn, end = raw_echo(b"q" * (size + 4), b"a" * 12)

    def sandboxed_turn() -> None:
        reply = bot.ask(observation, deadline, type_)
        assert isinstance(reply, Answer), reply
        assert reply.value == expected

    raw, ours, called = [], [], []
    for _ in range(ROUNDS):
        raw += timed(raw_turn, turns // ROUNDS)
        ours += timed(sandboxed_turn, turns // ROUNDS)
        called += timed(lambda: move(observation), turns // ROUNDS)
    end()
    return raw, ours, called


def timed(action: Callable[[], object], times: int) -> list[float]:
    """Return the microseconds of each of ``times`` calls."""
    clock = time.perf_counter_ns
    spent = []
    for _ in range(times):
        start = clock()
        action()
        spent.append((clock() - start) / 1000)
    return spent


def raw_echo(question: bytes, answer: bytes) -> tuple[Callable[[], object], Callable[[], object]]:
    """Return a blocking round trip to a forked process that answers every question, and how to end it."""
    question_read, question_write = os.pipe()
    answer_read, answer_write = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(question_write)
        while os.read(question_read, 1 << 16):
            os.write(answer_write, answer)
        os._exit(0)
    os.close(question_read)
    os.close(answer_write)

    def turn() -> None:
        os.write(question_write, question)
        os.read(answer_read, 1 << 16)

    def end() -> None:
        os.close(question_write)
        os.close(answer_read)
        os.waitpid(pid, 0)

    return turn, end


if __name__ == "__main__":
    main()
