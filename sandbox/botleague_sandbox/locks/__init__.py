"""The operating system's locks: seccomp, Landlock, namespaces, limits."""
