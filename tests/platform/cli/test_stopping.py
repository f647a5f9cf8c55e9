"""Ctrl-C during work that changes nothing before its end."""

from __future__ import annotations

import re

import pytest

from botleague.cli.kit.run_progress import stoppable
from botleague.errors import Stopped


@pytest.mark.parametrize(
    ("saved", "message"), [((), "Nothing was changed."), (("cup was not changed.",), "cup was not changed.")]
)
def test_ctrl_c_ends_it_with_a_sentence_about_what_is_kept(saved: tuple[str, ...], message: str) -> None:
    with pytest.raises(Stopped, match=rf"^Stopped\. {re.escape(message)}$"), stoppable("fold cup", 3, *saved):
        raise KeyboardInterrupt
