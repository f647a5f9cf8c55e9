"""The commands, one module per noun; imported when a command is called."""
