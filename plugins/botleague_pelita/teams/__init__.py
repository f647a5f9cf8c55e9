"""What a team sees and does: its bots, the arena they move in, and their calls."""
