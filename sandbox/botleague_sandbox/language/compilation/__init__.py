"""A source before it runs: the policy on its syntax and names, and its compilation and linking."""
