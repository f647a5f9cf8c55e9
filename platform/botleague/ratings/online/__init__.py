"""Rating systems that follow each contest: states before and after it, for tables during a season."""
