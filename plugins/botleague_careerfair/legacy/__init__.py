"""What imitates the original's program: its command line, its files, its classes as bots use them."""
