"""Mazes: coordinates, texts, graphs of cells, and their generation."""
