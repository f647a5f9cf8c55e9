"""What commands share: the command tree, options, help, printing, progress."""
