"""GL4xx: integer arithmetic leaves its width."""
