"""GL5xx: contracts, and launches against them and against the device."""
