"""Runs untrusted Python; knows nothing of games, matches or leagues."""
