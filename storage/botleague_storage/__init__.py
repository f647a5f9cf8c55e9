"""The database; knows nothing of sandboxes or of any game."""
