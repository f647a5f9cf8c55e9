"""What imitates the original's program: its modules as bots import them, its data files."""
