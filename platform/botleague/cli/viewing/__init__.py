"""Watching matches in a terminal."""
