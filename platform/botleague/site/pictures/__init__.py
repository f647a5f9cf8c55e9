"""Pictures of pages as SVG, built from escaped texts; colours come from the style sheet by class."""

from botleague.site.pictures.bracket_svg import final_of, series_text, tree_svg
from botleague.site.pictures.race_svg import RacePictures, race_data, race_svg, spark_svg
from botleague.site.pictures.rating_curve_svg import curve_svg
