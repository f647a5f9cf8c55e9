"""Shared parts of commands: the command tree, options, help, files and progress."""
