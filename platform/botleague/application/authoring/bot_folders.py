"""Folders of bots where a command expects one bot."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from botleague.application.authoring.submission_finder import collect, is_collection
from botleague.application.workspace import Workspace
from botleague.errors import UsageError
from botleague.league.submission import is_path
from botleague.league.trials import try_out
from botleague.rules import Variant


class FolderBots(msgspec.Struct, frozen=True):
    """The bots of a folder.

    Attributes:
        bots: paths of its bots that can play.
        left_out: the other entries, each with the reason.
    """

    bots: list[str]
    left_out: dict[str, str]


def bots_in(workspace: Workspace, folder: str, variant: Variant) -> FolderBots | None:
    """Return the bots of a folder of bots; None if ``folder`` is anything else.

    Raises:
        UsageError: no entry of the folder can play.
        MachineryError: no sandbox is available.
    """
    if not is_path(folder) or not is_collection(Path(folder), variant):
        return None
    contents = FolderBots([], {})
    with workspace.open_sandbox() as sandbox:
        for submission in collect([folder], variant):
            path = str(submission.path)
            try:
                (player,) = workspace.find_bots([path], variant)
                problems: Sequence[str] = try_out(player, variant, sandbox).problems
            except UsageError as error:
                problems = [str(error)]
            if problems:
                contents.left_out[submission.path.name] = problems[0].partition("\n")[0]
            else:
                contents.bots.append(path)
    if not contents.bots:
        reasons = "\n".join(f"{name}: {reason}" for name, reason in contents.left_out.items())
        raise UsageError(f"No entry of {folder} can play {variant.name}:\n{reasons}")
    return contents
