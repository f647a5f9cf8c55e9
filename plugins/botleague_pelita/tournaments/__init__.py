"""Pelita's own tournament as a format: the bracket and its matches."""
