"""GL6xx: elements that the launch leaves unwritten."""
