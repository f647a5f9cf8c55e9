"""How the platform reaches a plugin: the mark of hooks, rules by text, modules from files, own variants, executors."""
