"""Access to plugins: the mark of hooks, rules named by text, modules from files, own variants, executors."""
