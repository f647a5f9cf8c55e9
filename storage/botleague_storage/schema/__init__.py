"""The schema, and statements for many rows."""
