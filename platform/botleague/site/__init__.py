"""Pages as HTML: templates, pictures, links, and the published site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.site.atom import FEED_TYPE
    from botleague.site.film_embedding import Films
    from botleague.site.links import ServedLinks
    from botleague.site.page import (
        EVERYBODY,
        FLAGS,
        MAX_QUERY_LENGTH,
        AccessRule,
        Owned,
        OwnerOf,
        Page,
        Query,
        Reading,
        RenderedPage,
        Site,
        Who,
    )
    from botleague.site.public_pages import MATCH, PUBLIC_PAGES, SEASON, bot_name, read_match
    from botleague.site.static_site import Matches, publish
    from botleague.site.templating import ASSETS, Renderer, asset

if not TYPE_CHECKING:  # type checkers know the names above, and refuse others
    __getattr__ = late(__name__)
