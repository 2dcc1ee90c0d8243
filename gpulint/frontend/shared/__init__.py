"""What the frontends of the kernel dialects have in common: names, questions about syntax, limits."""
