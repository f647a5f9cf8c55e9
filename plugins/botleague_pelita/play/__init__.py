"""The rules of one match: its state, and how steps, food and kills change it."""
