"""Queries that read many rows for a page, a table or a metric."""
