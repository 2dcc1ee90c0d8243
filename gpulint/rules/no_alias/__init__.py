"""GL7xx: arguments that overlap."""
