"""What an author starts from: templates of bots and games, type stubs, the description of a variant."""
