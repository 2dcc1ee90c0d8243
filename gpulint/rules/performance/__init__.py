"""GL81x: barriers and shared memory that cost time without need."""
