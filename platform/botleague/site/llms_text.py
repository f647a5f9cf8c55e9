"""``llms.txt``: the contents of a site for programs that read and write text. Source: https://llmstxt.org."""

from __future__ import annotations

from collections.abc import Iterator

from botleague.application.pages import HomePage
from botleague.site import urls
from botleague.site.page import RenderedPage

_ABOUT = """\
# botleague

> Programs (bots) play matches against each other in leagues. Each bot runs in a sandbox without
> files, network and other processes.

Addresses are relative to this file. The data of a page is in `index.json` below the address of the
page, which ends with `/`.
"""

_ON_A_SERVER = """\
## Write and submit a bot

Install botleague (Python 3.11 or newer, Linux). Every command takes `--json`; a refusal is then
`{"error": {"code", "message", "file", "line", "column", "advice"}, "findings": [...]}` with the exit
code 2. This server answers programs in the same shape (`Accept: application/json`).

    botleague new bot NAME --variant VARIANT       # a folder with a bot and AGENTS.md, its instructions
    botleague check NAME --variant VARIANT --json  # is it accepted, and how does it play?
    botleague try NAME --matches 20 --json         # a set of test matches
    botleague login URL                            # with the account that the organiser gave you
    botleague submit NAME --variant VARIANT --server --json
    botleague practice NAME OPPONENT --matches 20 --json
"""


def llms_text(rendered: RenderedPage[HomePage]) -> str:
    """Return the contents of a site as Markdown: leagues, briefs of their variants, and how to take part."""
    return "\n".join(_lines(rendered)) + "\n"


def _lines(rendered: RenderedPage[HomePage]) -> Iterator[str]:
    heads = [line.head for line in rendered.value.leagues]
    yield _ABOUT
    yield from ("## Leagues", "")
    for head in heads:
        season = urls.season(head.league, head.season)
        yield (
            f"- [{_plain(head.league)}]({urls.league(head.league)}index.json): standings of season {head.season}; "
            f"it plays {head.variant}. [Matches]({season}matches/index.json), [CSV]({season}table.csv)."
        )
    yield from ("" if heads else "No leagues yet.\n", "## Variants", "")
    for variant in dict.fromkeys(head.variant for head in heads):
        page = urls.variant(variant)
        yield (
            f"- [{variant}]({page}brief.md): rules, interface, limits and a complete bot as text. "
            f"[The same with JSON Schemas]({page}index.json)."
        )
    if rendered.more.get("is_served"):
        yield f"\n{_ON_A_SERVER}".rstrip()


def _plain(name: str) -> str:
    """Return a name without characters that Markdown interprets."""
    return "".join(char if char.isalnum() or char in " .-_+" else "?" for char in name)
