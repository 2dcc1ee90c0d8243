"""The kernel IR: one for the three dialects. Types, values, statements, printer, checker."""
