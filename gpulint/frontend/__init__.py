"""Dialects: kernel source to the kernel IR, host code to launch sites. One folder a dialect."""
