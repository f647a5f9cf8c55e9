"""The host's side: starting bot processes, requests, deadlines, replies."""
