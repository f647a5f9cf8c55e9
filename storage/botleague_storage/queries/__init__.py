"""Queries that read many rows for a page, a table, a metric or a shell."""
