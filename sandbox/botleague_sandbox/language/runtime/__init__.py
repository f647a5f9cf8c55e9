"""A program while it runs: its guards, its builtins and the modules that it may import."""
