"""What imitates the original's program: its modules as bots import them, and the numbers of its first release."""
