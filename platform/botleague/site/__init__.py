"""Pages as HTML: templates, pictures, links, and the published site."""

from __future__ import annotations

from typing import TYPE_CHECKING

from botleague.lazy_exports import late

if TYPE_CHECKING:
    from botleague.site.film_embedding import Films
    from botleague.site.links import ServedLinks
    from botleague.site.static_site import Matches, publish, table_csv
    from botleague.site.templating import ASSETS, Renderer, asset

__getattr__ = late(__name__)
