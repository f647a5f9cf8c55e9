"""Data of a match that are not in its record: output, drawings and measurements of each seat."""
