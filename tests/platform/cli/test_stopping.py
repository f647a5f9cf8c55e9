"""Ctrl-C during work that changes nothing before its end, and the end of a command's process."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from botleague.cli.kit.run_progress import stoppable
from botleague.errors import Stopped


@pytest.mark.parametrize(
    ("saved", "message"), [((), "Nothing was changed."), (("cup was not changed.",), "cup was not changed.")]
)
def test_ctrl_c_ends_it_with_a_sentence_about_what_is_kept(saved: tuple[str, ...], message: str) -> None:
    with pytest.raises(Stopped, match=rf"^Stopped\. {re.escape(message)}$"), stoppable("fold cup", 3, *saved):
        raise KeyboardInterrupt


def test_a_process_ends_in_time_for_earlier_exit_functions_and_without_a_traceback_after_ctrl_c() -> None:
    def ended(program: str) -> tuple[int, str, str]:
        program += "; from botleague.cli import main; main()"
        process = subprocess.run(
            [sys.executable, "-c", program, "--version"], capture_output=True, text=True, check=False
        )
        return process.returncode, process.stdout.rpartition("\n")[0].rpartition("\n")[2], process.stderr

    assert ended("import atexit; atexit.register(print, 'saved')") == (0, "saved", "")
    early = "import sys; interrupt = type('', (), {'find_spec': lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)})"
    assert ended(f"{early}; import botleague.cli; sys.meta_path.insert(0, interrupt)") == (130, "", "")
