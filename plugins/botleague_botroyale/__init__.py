"""Bot Royale: units on a hexagonal board walk, jump and push each other until one is left."""
