"""Ctrl-C during work that changes nothing before its end."""

from __future__ import annotations

import pytest
import typer

from botleague.cli.kit.run_progress import stoppable


@pytest.mark.parametrize(
    ("saved", "message"), [((), "Nothing was changed."), (("cup was not changed.",), "cup was not changed.")]
)
def test_ctrl_c_ends_it_with_a_sentence_about_what_is_kept(
    capsys: pytest.CaptureFixture[str], saved: tuple[str, ...], message: str
) -> None:
    with pytest.raises(typer.Exit) as stopped, stoppable("fold cup", 3, *saved):
        raise KeyboardInterrupt
    assert stopped.value.exit_code == 1
    assert capsys.readouterr().err == f"Stopped. {message}\n"
