"""Teams: their bots, the arena they move in, and the calls of their functions."""
