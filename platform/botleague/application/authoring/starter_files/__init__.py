"""Starter files for authors: templates of bots and games, type stubs, the description of a variant."""
