"""GL8xx: barriers that not all threads reach."""
