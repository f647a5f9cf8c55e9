"""Emblems and colours of bots, computed from their names.

:func:`emblem_of` returns the emblem of a name, with a colour. :func:`match_colors` replaces similar colours of seats in
a match. ``emblems.svg`` contains the drawing of every part; a page includes it once (:func:`symbol_sheet`) and then
refers to its symbols (:func:`emblem_svg`).
"""

from botleague.emblems.bot_colors import BOT_COLORS, BotColor, match_colors
from botleague.emblems.emblem import GLYPHS, Emblem, emblem_of, match_emblems
from botleague.emblems.emblem_svg import emblem_group, emblem_paths, emblem_svg, symbol_sheet
