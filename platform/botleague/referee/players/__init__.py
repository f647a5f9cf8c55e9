"""Players of a match: sandboxed bots, or those of the caller next to them."""
