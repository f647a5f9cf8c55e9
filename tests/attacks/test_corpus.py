"""Every attack gets its expected verdict and achieves nothing, in every mode; see ``corpus/README.md``."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .conftest import Results

GROWTH_BYTES = 64 << 20


def header(attack: Path) -> dict[str, str]:
    return dict(re.findall(r"^# (\w+): *(.*)$", attack.read_text(errors="replace"), re.MULTILINE))


def allowed_verdicts(attack: Path) -> set[str]:
    return set(header(attack).get("verdict", "move exception").split())


def verdict(result: dict[str, Any]) -> str:
    """Return the verdict of a run: the first turn that did not go well, else ``move``."""
    verdicts: list[str] = result["verdicts"]
    return next((kind for kind in verdicts if kind != "move"), "move")


def died_of_a_forbidden_call(result: dict[str, Any]) -> bool:
    """Whether the kernel killed the process for a system call: an attack that ended there achieved nothing."""
    return any("SIGSYS" in detail for detail in result["details"])


def test_it_is_refused_or_contained_with_an_expected_verdict(
    attack: Path, result: dict[str, Any], os_only: bool, record_property: Callable[[str, object], None]
) -> None:
    expectation = header(attack)
    replies: list[str] = result["replies"]
    escaped = any(reply.startswith("ESCAPED") for reply in replies)
    is_promised = expectation.get("language") == "promised"
    assert not [reply for reply in replies if reply.startswith("PWNED")]
    if result["findings"]:
        line, message = result["findings"][0]
        assert line >= 1
        assert message
    elif expectation["expect"] == "rejected":
        assert os_only or not is_promised, f"accepted, and then: {result}"
        assert escaped or verdict(result) in allowed_verdicts(attack) or died_of_a_forbidden_call(result), (
            result
        )
        if not os_only:
            record_property("accepted", attack.stem)
    elif not os_only and not escaped:
        assert verdict(result) in allowed_verdicts(attack), result
    if escaped and not os_only:
        assert not is_promised, result
        record_property("escaped", attack.stem)  # the report of the run lists them


def test_it_leaves_nothing_behind_and_the_next_bot_plays_as_usual(
    attack: Path, result: dict[str, Any]
) -> None:
    assert result["harm"] == []
    assert result["honest"]
    assert result["growth"] < GROWTH_BYTES


def test_the_setting_was_what_it_says(results: Results, setting: str) -> None:
    alone = "seccomp alone" in setting
    for result in results.values():
        layers = set(result["layers"])
        assert {"limits", "rights", "seccomp"} <= layers
        assert ("landlock" in layers) == (not alone)
        assert ("as root" in setting) == (result["uid"] == 0)
        assert ("uid" in layers) == ("as root" in setting and not alone)
        assert not ("no namespaces" in setting and "namespaces" in layers)
