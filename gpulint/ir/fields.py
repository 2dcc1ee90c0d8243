"""Fields of records, by their path: `pos`, or `pos.x` for a field of a record within the record."""

from __future__ import annotations


def inner(outer: str, name: str) -> str:
    """The path of a field within what a path names; '' is the record itself."""
    return f"{outer}.{name}" if outer else name


def apart(a: str, b: str) -> bool:
    """Whether the two share no memory: neither is the other, nor a part of it."""
    if not a or not b:
        return False
    return not f"{a}.".startswith(f"{b}.") and not f"{b}.".startswith(f"{a}.")
