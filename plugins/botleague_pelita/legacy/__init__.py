"""What imitates the original's program: its command line, files and test games, its modules as bots import them."""
