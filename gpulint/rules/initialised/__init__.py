"""GL9xx: values read before they are written."""
