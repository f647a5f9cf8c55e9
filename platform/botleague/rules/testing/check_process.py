"""The conformance kit in a process of its own, so that a crash of native code is a finding and not the end.

In a test of rules that use native code::

    def test_my_variant_keeps_the_contract() -> None:
        with CheckProcess(MY_VARIANT) as check:
            check.result()
"""

from __future__ import annotations

import faulthandler
import json
import os
import re
import signal
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NoReturn

from botleague.rules.plugin_support.error_place import with_place
from botleague.rules.testing.rules_conformance import NotConforming, check, smallest
from botleague.rules.variant import Variant

__all__ = ["CheckProcess"]

_RULES_FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

_FRAME = re.compile(rb'File "(?P<file>.+)", line (?P<line>\d+) in (?P<function>\S+)')


class CheckProcess:
    """A running check. As a context manager, it ends the process on exit.

    The process is a copy of this one, so it has the variant as it is here. Iterating yields the numbers of finished
    and of planned matches.

    Args:
        variant: the variant to check.
        options: further arguments of :func:`~botleague.rules.testing.rules_conformance.check`.
    """

    def __init__(self, variant: Variant, **options: Any) -> None:
        self._variant = variant
        self._match = variant.name
        self._report: dict[str, Any] = {}
        self._status: int | None = None
        self._stack = tempfile.TemporaryFile()  # noqa: SIM115  # of a crash; closed on exit
        reader, writer = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # The child takes no lock of another thread: it runs rules and writes to its own pipe.
            warnings.simplefilter("ignore", DeprecationWarning)
            self._pid = os.fork()
        if self._pid == 0:
            os.close(reader)
            self._run(writer, options)
        os.close(writer)
        self._lines = os.fdopen(reader, encoding="utf-8")

    def __enter__(self) -> CheckProcess:
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is None:
            os.kill(self._pid, signal.SIGKILL)
            os.waitpid(self._pid, 0)
        self._lines.close()
        self._stack.close()

    def __iter__(self) -> Iterator[tuple[int, int]]:
        for line in self._lines:
            message = json.loads(line)
            if "match" in message:
                self._match = message["match"]
                yield message["done"], message["planned"]
            else:
                self._report = message

    def result(self) -> Counter[str]:
        """Wait for the end, and return the number of checks of each kind.

        Raises:
            NotConforming: the variant breaks the contract, its rules raised an exception, or the process died.
        """
        for _ in self:
            pass
        if self._status is None:
            self._status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if "checked" in self._report:
            return Counter(self._report["checked"])
        if "problem" in self._report:
            raise NotConforming(self._report["problem"], self._report["turn"])
        status = self._status
        end = f"died ({signal.Signals(-status).name})" if status < 0 else f"ended with exit code {status}"
        raise NotConforming(f"{self._match}: the process {end}{self._place()}")

    def _place(self) -> str:
        """Return where Python was at the crash, "" if that is unknown."""
        self._stack.seek(0)
        frame = _FRAME.search(self._stack.read())
        if frame is None:
            return ""
        file, line, function = (part.decode(errors="replace") for part in frame.groups())
        return f" in {file}, line {line}, in {function}"

    def _run(self, writer: int, options: dict[str, Any]) -> NoReturn:
        """Check in the child, and write one JSON object per line: the matches, then the result."""

        def send(**message: object) -> None:
            os.write(writer, json.dumps(message).encode() + b"\n")

        def begin(done: int, planned: int, match: str) -> None:
            send(done=done, planned=planned, match=match)

        signal.signal(signal.SIGINT, signal.SIG_DFL)
        faulthandler.enable(self._stack, all_threads=False)
        try:
            with suppress(BrokenPipeError):  # the parent was killed
                try:
                    send(checked=check(self._variant, progress=begin, **options))
                except NotConforming as failure:
                    earliest = smallest(self._variant, failure)
                    send(problem=str(earliest), turn=earliest.turn)
                except BaseException as error:  # of the game, also SystemExit
                    send(
                        problem=f"The rules of {self._variant.name} failed: {with_place(error, _RULES_FOLDER)}",
                        turn=-1,
                    )
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(0)  # this copy of the program must not continue
