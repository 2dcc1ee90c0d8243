"""Masks of tile accesses by themselves: where an access is reached, and what its mask asks there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gpulint import term as t
from gpulint.dataflow.signs import truncates
from gpulint.term import Bool

if TYPE_CHECKING:
    from gpulint.dataflow.analysis import Analysis
    from gpulint.dataflow.graph import Event


def masked(a: Analysis, event: Event) -> tuple[Bool, Bool] | None:
    """Where a masked access is reached, whatever its mask says, and the mask.

    None unless the mask is known exactly. Its divisions are left as they are: what a guard says of signs
    may be the mask itself.
    """
    if event.mask is None or not event.path or event.path[-1] != event.mask:
        return None
    mask, exact = a.terms.guard((event.mask,))
    mask = a.terms.resolve(mask)
    if not exact or a.terms.names.loses(mask):
        return None
    reached, _ = a.guard(event.path[:-1])
    if truncates(reached):
        reached = a.signs(reached).apply(reached)
    return t.and_(reached, *a.sides(reached, mask)), mask
