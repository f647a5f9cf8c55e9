"""Plugins are found where Python finds the packages that offer them."""

from __future__ import annotations

from importlib.metadata import Distribution, entry_points
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
        "[console_scripts]\npie = pie:main\n\n [botleague] \n# two\npie=pie.plugin\n  tart = os : path.join [sugar] \n",
    )
    install(sooner, "bread-1.0.dist-info", "[botleague-not]\nbread = bread\n")
    install(sooner, "salt-1.0.dist-info", None)
    install(later, "salt-0.9.dist-info", "[botleague]\nsalt = old_salt\n")
    install(later, "sour.dough-1.0.dist-info", "[botleague]\ndough = old_dough\n")
    install(sooner, "sour_dough-2.0.dist-info", "[botleague]\ndough = dough\n")
    (sooner / "file-1.0.dist-info").write_text("[botleague]\nfile = file\n")
    monkeypatch.chdir(tmp_path)
    for place in (tmp_path / "nowhere", tmp_path / "sooner" / "file-1.0.dist-info", later, sooner):
        monkeypatch.syspath_prepend(str(place))
    points = installed_entry_points(group)
    same = {(one.name, one.value): one for one in entry_points(group=group) if one.dist}
    assert [(one.name, one.value) for one in points] == sorted(same)
    for one in points:
        dist = same[one.name, one.value].dist
        assert dist is not None
        assert Distribution.at(one.package).version == dist.version
        if one.name in {"tart", "isolation", "serve"}:
            assert one.load() is same[one.name, one.value].load()
    assert {"botleague": "pie", "botleague.commands": "bake"}.get(group) in {
        None,
        *(point.name for point in points),
    }
