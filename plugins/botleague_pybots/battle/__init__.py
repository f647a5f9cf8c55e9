"""The battle itself: robots, missiles and contacts, step by step, without the platform."""
