"""Shared parts of commands: the command tree, options, help, printing and progress."""
