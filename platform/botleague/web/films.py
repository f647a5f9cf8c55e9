"""Films in pages: as the player finds them there, and what stands in its place without scripts."""

from __future__ import annotations

from dataclasses import dataclass

from markupsafe import Markup

from botleague.film import Film
from botleague.film.page import plain

__all__ = ["EmbeddedFilm"]


@dataclass(frozen=True, slots=True)
class EmbeddedFilm:
    """A film as HTML.

    Attributes:
        plain: a picture of the last state and every turn in words.
        embedded: all of it as JSON, as it may stand inside a script.
    """

    plain: Markup
    embedded: Markup

    @classmethod
    def of(cls, film: Film) -> EmbeddedFilm:
        """Return a film as pages hold it; its texts are escaped."""
        return cls(Markup(plain(film)), Markup(film.embedded()))
