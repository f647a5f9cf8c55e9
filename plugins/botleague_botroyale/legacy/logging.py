"""The logger that bots write to: standard output, which the sandbox captures.

Source: rules/botroyale.md, section 13, ``botroyale.api.logging``.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import ClassVar


class Logger:
    """One switch for everything that is logged."""

    enable_logging: ClassVar[bool] = True

    @classmethod
    def log(cls, text: object) -> None:
        """Print ``text`` if logging is enabled."""
        if cls.enable_logging:
            print(text)

    @classmethod
    @contextmanager
    def set_logging_temp(cls, enabled: bool) -> Iterator[None]:
        """Switch logging on or off inside a ``with`` block."""
        before = cls.enable_logging
        cls.enable_logging = enabled
        try:
            yield
        finally:
            cls.enable_logging = before


logger = Logger.log
