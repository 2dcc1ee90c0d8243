"""GL8xx: barriers and warp operations that not all threads reach."""
