"""Opening, upgrading, copying and checking a database."""
