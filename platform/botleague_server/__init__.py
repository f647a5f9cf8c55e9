"""The server for strangers: accounts, uploads, unrated matches and organiser pages over HTTP."""
