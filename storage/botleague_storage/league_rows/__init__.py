"""Rows of bots, leagues, fixtures, results and ratings."""
