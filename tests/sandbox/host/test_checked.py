"""A source is checked and compiled once, in a process of its own; matches after that run what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import msgspec
import pytest

from botleague_sandbox import Bot, Crashed, Deadline, Program, Rejected, Request, Sandbox
from botleague_sandbox.host.checked_programs import CheckedPrograms, key_of
from botleague_sandbox.host.zygote_pool import ProcessSpec, Zygote
from botleague_sandbox.testing.sandbox_conformance import HARNESS

HONEST = Program("x", {"bot.py": b"print('hello')\ndef move(o): return o"}, "bot.py", HARNESS)
REFUSED = msgspec.structs.replace(HONEST, files={"bot.py": b"x = 1\nimport os\n"})


@pytest.fixture
def starts(monkeypatch: pytest.MonkeyPatch) -> list[ProcessSpec]:
    """Fills with what each process that is started is for."""
    specs: list[ProcessSpec] = []
    start = Zygote.start

    def counted(zygote: Zygote, spec: ProcessSpec) -> object:
        specs.append(spec)
        return start(zygote, spec)

    monkeypatch.setattr(Zygote, "start", counted)
    return specs


@pytest.fixture
def sandbox() -> Iterator[Sandbox]:
    with Sandbox() as opened:
        yield opened


def test_only_the_first_start_of_a_source_takes_a_process_to_check_it(
    sandbox: Sandbox, starts: list[ProcessSpec]
) -> None:
    taken = []
    for program in (
        HONEST,
        HONEST,
        msgspec.structs.replace(HONEST, random_seed=5),
        msgspec.structs.replace(HONEST, name="other"),
    ):
        starts.clear()
        with sandbox.run(program) as bot:
            assert bot.output == "hello\n"
            assert getattr(bot.ask([7], Deadline.cpu(1000)), "value", None) == [7]
        taken.append(len(starts))
    assert taken == [2, 1, 1, 2]


def test_bots_of_one_source_are_checked_together(sandbox: Sandbox, starts: list[ProcessSpec]) -> None:
    started = sandbox.run_together([Request(HONEST), Request(REFUSED), Request(HONEST)])
    assert [type(one) for one in started] == [Bot, Rejected, Bot]
    assert len(starts) == 5
    for one in started:
        if isinstance(one, Bot):
            one.close()


def test_a_refusal_is_the_same_each_time(sandbox: Sandbox) -> None:
    findings = [sandbox.check(REFUSED) for _ in range(2)]
    assert findings[0] == findings[1]
    (finding,) = findings[0]
    assert (finding.file, finding.line, finding.column, finding.text) == ("bot.py", 2, 8, "import os")


def test_a_program_that_is_too_large_once_compiled_is_refused(sandbox: Sandbox) -> None:
    source = "\n".join(f"a{number} = 'b{number:04}' * 800" for number in range(5500))
    findings = sandbox.check(msgspec.structs.replace(HONEST, files={"bot.py": source.encode()}))
    assert "too large once it is compiled" in findings[0].message


def test_program_that_breaks_its_check_breaks_no_other(sandbox: Sandbox) -> None:
    slow = msgspec.structs.replace(HONEST, files={"bot.py": b"x = [" + b"(1, a.b)," * 20_000 + b"]"})
    with pytest.raises(Crashed, match="timeout"):
        sandbox.run(slow, load=Deadline.cpu(5))
    sandbox.run(HONEST).close()


@pytest.mark.parametrize(
    "change",
    [
        lambda program: msgspec.structs.replace(program, name="y"),
        lambda program: msgspec.structs.replace(program, files={"bot.py": b"other"}),
        lambda program: msgspec.structs.replace(program, files={**program.files, "data.txt": b""}),
        lambda program: msgspec.structs.replace(program, entry="other.py"),
        lambda program: msgspec.structs.replace(program, tier="scientific"),
        lambda program: msgspec.structs.replace(program, imports="lenient"),
    ],
)
def test_all_that_a_check_follows_from_is_in_its_key(change: Callable[[Program], Program]) -> None:
    assert key_of(HONEST, b"c", b"o") != key_of(change(HONEST), b"c", b"o")


def test_the_key_holds_what_compiles_and_what_the_harness_offers() -> None:
    assert (
        len({key_of(HONEST, compiler, offered) for compiler in (b"c", b"d") for offered in (b"c", b"d")}) == 4
    )


def test_recently_used_programs_stay_while_there_is_room() -> None:
    programs = CheckedPrograms(room_bytes=10)
    programs.keep(b"a", b"1234")
    programs.keep(b"b", b"1234")
    assert programs.get(b"a") == b"1234"
    programs.keep(b"c", b"123")
    assert [programs.get(key) for key in (b"a", b"b", b"c")] == [b"1234", None, b"123"]
    programs.keep(b"d", b"more than there is room")
    assert [programs.get(key) for key in (b"a", b"c", b"d")] == [None, None, b"more than there is room"]


def test_libraries_that_nobody_names_are_not_loaded_and_nothing_else_is_different(sandbox: Sandbox) -> None:
    def written(source: str) -> Program:
        return msgspec.structs.replace(HONEST, tier="scientific", files={"bot.py": source.encode()})

    plain = written("def move(o): return len(bytearray(300 << 20))")  # more than the strict tier has

    def answered(program: Program) -> object:
        with sandbox.run(program) as bot:
            return getattr(bot.ask(0, Deadline.cpu(1000)), "value", None)

    assert (answered(plain), sandbox.examine(Request(plain))) == (300 << 20, ())
    assert [tier for _, tier, _ in sandbox._zygotes] == ["strict"]
    # What is said of a wrong name follows from all that there is; letters that Python takes for others name it, too.
    assert 'did you mean "numpy"' in sandbox.examine(Request(written("import nunpy")))[0].message
    with pytest.raises(Rejected, match='did you mean "numpy"'):
        sandbox.run(written("import nunpy"))
    assert answered(written("import ｎumpy as np\ndef move(o): return int(np.arange(o + 4).sum())")) == 6
    assert answered(plain) == 300 << 20
