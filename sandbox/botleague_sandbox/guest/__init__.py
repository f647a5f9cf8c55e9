"""WebAssembly programs: their modules, the engine that interprets them, and the lines that they read and write."""
