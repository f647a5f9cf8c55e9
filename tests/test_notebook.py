"""The notebook of the examples: executed by a real kernel, and its output looked at in a browser."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import botleague
from botleague.row_list import Rows

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NOTEBOOK = Path(__file__).parents[1] / "examples" / "league.ipynb"


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, str]]:
    """What the cells of the executed notebook show, by media type."""
    # Here, and not in every process that collects tests: they are large.
    import nbformat
    from nbclient import NotebookClient

    folder = tmp_path_factory.mktemp("notebook")
    notebook: Any = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]  # has no types
    assert not any(cell.get("outputs") for cell in notebook.cells), "it is kept without outputs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("BOTLEAGUE_DB", str(folder / "other.db"))
        NotebookClient(notebook, timeout=300, resources={"metadata": {"path": folder}}).execute()
    cell_outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    return [dict(output.get("data") or {"text/plain": output["text"]}) for output in cell_outputs]


def test_the_notebook_shows_tables_and_what_pandas_makes_of_them(outputs: list[dict[str, str]]) -> None:
    _, _, _, table, matches, history, won, curve = outputs
    assert table["text/html"].count("<tr>") == 4
    for html in (table["text/html"], matches["text/html"], history["text/html"]):
        assert "greedy" in html
        assert "Standing(" not in html
    assert "(greedy, random)" in won["text/plain"]
    assert "before" in curve["text/html"]


@pytest.mark.chromium
def test_the_player_plays_in_the_notebook_and_nothing_runs_over(
    outputs: list[dict[str, str]], tmp_path: Path, browser: Browser
) -> None:
    cells = "".join(
        f"<div>{output.get('text/html') or escape(output['text/plain'])}</div>" for output in outputs
    )
    (tmp_path / "page.html").write_text(f"<!doctype html><meta charset=utf-8><title>cells</title>{cells}")
    page = browser.new_page(viewport={"width": 800, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 800
    frame = page.frame_locator("iframe")
    assert frame.locator("html").evaluate("html => html.scrollWidth - html.clientWidth") <= 0
    frame.get_by_role("button", name="Play").click()
    frame.locator(".bl-counter", has_text="3 /").wait_for()
    page.close()


def test_rows_are_lists_whose_parts_are_rows() -> None:
    import pandas

    rows = Rows([botleague.Seat("<b>", 1, 0.25, False, {"timeout": 2}, 1.0, 1.0, 0, "")] * 101)
    html = rows._repr_html_()
    assert "<td>&lt;b&gt;</td>" in html
    assert "timeout 2" in html
    assert "forfeit" not in html, "no row says anything there"
    assert "… and 1 more" in html
    assert "… and" not in rows[1:]._repr_html_()
    assert "no rows" in rows[:0]._repr_html_()
    assert list(pandas.DataFrame(rows)["score"]) == [0.25] * 101
