"""Monomials: products of atoms, each as often as it is a factor."""

from __future__ import annotations

from gpulint.term.node import Mono


def without(m: Mono, part: Mono) -> Mono | None:
    """A monomial less the factors of another one, or None when it lacks one."""
    left = list(m)
    for a in part:
        if a not in left:
            return None
        left.remove(a)
    return tuple(left)
