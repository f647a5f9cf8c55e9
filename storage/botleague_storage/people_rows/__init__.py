"""Rows of accounts, credentials, uploads and what belongs to people."""
