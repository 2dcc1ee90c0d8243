"""GL0xx: the tool itself."""
