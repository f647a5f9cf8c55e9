"""The board: hexagons, plates and terrain."""
