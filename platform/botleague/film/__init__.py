"""Replays of matches: made where plugins run, shown by any viewer.

:func:`film` replays a record, draws every state, and returns a :class:`Film`: one self-contained value without
rules. :class:`FilmMaker` does the same event by event, for the live view of a match. A :class:`Film` is stored as
compressed JSON (:meth:`Film.compressed`, :func:`read_film`). Processes that must not run plugin code use a
:class:`FilmHost`, and store its results with :func:`cached`::

    order = FilmOrder(stored.content, journals, viewer=readable_seats(...), views=(0, 1))
    key = film_key(record.digest, plugin_version(plugins, record.game), order)
    content = cached(folder, key, lambda: host.make(order))     # gzip; send it as it is, with Content-Encoding

There are four viewers, none of which runs plugin code:

* the player, ``player.js`` and ``player.css`` (:func:`player_file`). It replaces the content of an element::

          <div class="bl-player" data-film="ID-OF-A-SCRIPT">content without JavaScript</div>
      <script type="application/json" id="ID-OF-A-SCRIPT">{Film.embedded()}</script>

  or, with ``data-src="ADDRESS"``, uses JSON that it fetches. ``botleague.mount(element, film)`` does the same from a
  script and returns a player, whose ``append(part)`` adds the newest result of :meth:`FilmMaker.part`.
* :func:`svg`, a still of one frame: ``svg(film.scene(37), 640, film.names)``, and :func:`svg_file` for a file;
* :func:`card_png`, the last frame with names and score as one picture, for links on other sites;
* :func:`page`, a whole page in one file without a network; without scripts it shows a still and every turn as text.
"""

from botleague.film.film import FORMAT, Film, FilmSeat, Limits, read_film
from botleague.film.film_page import framed, lean, plain, player_file
from botleague.film.film_page import page as page  # explicit, like svg: docs/watch.md offers both
from botleague.film.film_process import (
    CardOrder,
    FilmHost,
    FilmOrder,
    FilmResult,
    LiveOrder,
    cached,
    film_key,
    plugin_version,
    source_version,
)
from botleague.film.filming import FilmMaker, film, sample_film
from botleague.film.link_card import can_make_cards, card_png
from botleague.film.svg_still import page_svg, svg_file
from botleague.film.svg_still import svg as svg
