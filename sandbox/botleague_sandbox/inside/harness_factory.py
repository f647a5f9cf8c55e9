"""Creation of a harness by its factory."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["make_harness"]


def make_harness(factory: Callable[..., Any], briefing: Mapping[str, object]) -> Any:
    """Return a new harness: the factory's result for those keyword arguments that it names, as with hooks of plugins.

    A host can therefore offer new arguments to old factories.

    Args:
        factory: of the harness.
        briefing: all keyword arguments; a factory with ``**`` gets all.
    """
    parameters = inspect.signature(factory).parameters
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values()):
        return factory(**briefing)
    return factory(**{name: value for name, value in briefing.items() if name in parameters})
