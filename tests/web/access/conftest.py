"""A server with logins for all tests of this folder."""

from __future__ import annotations

import pytest

from ..conftest import Open


@pytest.fixture
def site(open_site: Open) -> Open:
    """A server that people log in to."""
    return open_site
