"""GL1xx: accesses whose subscript leaves the array."""
