"""Default name of a bot: that of its file or folder, unless the name is generic."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath

GENERIC = {
    *(
        "__init__",
        "__main__",
        "main",
        "bot",
        "bots",
        "my_bot",
        "mybot",
        "my_custom_player",
        "player",
        "team",
        "agent",
    ),
    *(
        "ai",
        "src",
        "code",
        "submission",
        "upload",
        "abgabe",
        "solution",
        "hand-in",
        "archive",
        "new-folder",
        "files",
    ),
}
"""Generic names of files and folders, in lower case."""

# Moodle gives a participant's folder the name "Ann Example_1234_assignsubmission_file_".
_OF_A_PLATFORM = re.compile(r"_\d+_assignsubmission_\w*$")
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "ø": "o", "Ø": "O", "œ": "oe", "ł": "l", "Ł": "L", "đ": "d"}
)
_LONGEST = 64


def name_from(places: Iterable[str], entries: Sequence[str] = ()) -> str:
    """Return the first of some names that tells a bot from others, written as a bot's name.

    Args:
        places: of the file or folder, of what is in it, of the folders above.
        entries: names of entry modules, which tell nothing in this game.

    Returns:
        The first specific name; else the first valid one; "" without any.
    """
    generic = GENERIC | {part.removesuffix(".py") for entry in entries for part in PurePosixPath(entry).parts}
    names = [name for place in places if (name := plain_name(place))]
    return next((name for name in names if name.lower() not in generic), names[0] if names else "")


def places_above(path: Path) -> list[str]:
    """Return the names of a file or folder and of the folders above it, the nearest first, without suffix."""
    whole = path.resolve()
    own = whole.name if whole.is_dir() else whole.stem
    return [own, *(folder.name for folder in whole.parents)]


def plain_name(place: str) -> str:
    """Return a file's or folder's name in the letters that names of bots have: "Anna-Muller" for "Anna Müller"."""
    letters = unicodedata.normalize("NFKD", _OF_A_PLATFORM.sub("", place).translate(_LETTERS))
    plain = re.sub(r"[^A-Za-z0-9_.+-]+", "-", "".join(x for x in letters if not unicodedata.combining(x)))
    return plain.strip("-_.+")[:_LONGEST].rstrip("-_.+")
