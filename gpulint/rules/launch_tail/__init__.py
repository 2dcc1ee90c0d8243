"""GL2xx: accesses past the data because the launch was rounded up."""
