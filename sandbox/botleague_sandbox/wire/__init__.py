"""Values and frames that host and bot process exchange."""
