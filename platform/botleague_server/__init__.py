"""The server: accounts, uploads, unrated matches and organiser pages over HTTP."""
