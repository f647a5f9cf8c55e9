"""Our own sandbox passes the suite that any other of the same face would have to pass."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from botleague_sandbox import Sandbox, ask_together
from botleague_sandbox.testing.sandbox_conformance import CHECKS, Check, Face


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_our_sandbox_conforms(check: Check, sandbox: Sandbox) -> None:
    @contextmanager
    def opened() -> Iterator[Sandbox]:
        yield sandbox  # one for all checks: starting is measured elsewhere

    check(Face(open=opened, ask_together=ask_together))
