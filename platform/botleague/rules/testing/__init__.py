"""The conformance kit for authors of games."""
