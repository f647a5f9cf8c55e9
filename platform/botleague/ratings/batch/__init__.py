"""Strengths from all results of a season at once, with their errors."""
