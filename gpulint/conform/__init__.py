"""Launches within a kernel's contract: run by the reference interpreter and on a GPU, and compared."""
