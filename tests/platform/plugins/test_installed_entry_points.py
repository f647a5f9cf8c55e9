"""Plugins are found where Python finds the packages that offer them."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from pathlib import Path

import pytest

from botleague.plugins import installed_entry_points


def install(folder: Path, name: str, points: str | None) -> None:
    package = folder / name
    package.mkdir(parents=True)
    title, _, version = package.stem.partition("-")
    (package / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {title}\nVersion: {version or 0}\n")
    if points is not None:
        (package / "entry_points.txt").write_text(points)


def seen(points: object) -> list[tuple[str, str, str]]:
    assert isinstance(points, (list, tuple))
    assert all(isinstance(point, EntryPoint) and point.dist for point in points)
    return sorted((point.name, point.value, point.dist.version) for point in points)


@pytest.mark.parametrize("group", ["botleague", "botleague.commands", "no such group"])
def test_they_are_those_that_the_standard_library_finds(
    group: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    later, sooner = tmp_path / "later", tmp_path / "sooner"
    install(later, "Cake_Game-1.0.dist-info", "[botleague]\ncake = old_cake\n")
    install(
        sooner,
        "Cake_Game-2.0.dist-info",
        "[botleague]\ncake = cake\n\n[botleague.commands]\nbake = cake:bake\n",
    )
    install(
        sooner,
        "pie.egg-info",
        "[console_scripts]\npie = pie:main\n[botleague]\npie = pie.plugin\ntart = pie.tart\n",
    )
    install(sooner, "bread-1.0.dist-info", "[botleague-not]\nbread = bread\n")
    install(sooner, "salt-1.0.dist-info", None)
    (sooner / "file-1.0.dist-info").write_text("[botleague]\nfile = file\n")
    monkeypatch.chdir(tmp_path)
    for place in (tmp_path / "nowhere", tmp_path / "sooner" / "file-1.0.dist-info", later, sooner):
        monkeypatch.syspath_prepend(str(place))
    points = installed_entry_points(group)
    assert [point.name for point in points] == sorted(point.name for point in points)
    assert seen(points) == seen(tuple(entry_points(group=group)))
    assert {"botleague": "pie", "botleague.commands": "bake"}.get(group) in {
        None,
        *(point.name for point in points),
    }
