"""GL3xx: two threads meet in an element."""
