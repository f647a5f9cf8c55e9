"""Starting and operating a server: `serve`, `runner`, readiness checks."""
