"""Predicates at a launch site: what the host code by itself settles.

Sound: True and False are certain; None says that the host code does not tell.
"""

from __future__ import annotations

from itertools import combinations

from gpulint.contract.alias import between
from gpulint.contract.clause import Clause
from gpulint.frontend.host.site import HostArray, LaunchSite

ALLOCATION_ALIGNMENT = 256  # bytes; CUDA C++ Programming Guide, "Device Memory Accesses"


def at_site(c: Clause, site: LaunchSite) -> bool | None:
    """Whether a predicate clause holds of the arguments that this site passes."""
    given = [site.arguments.get(name) for name in c.arrays]
    arrays = [a for a in given if isinstance(a, HostArray)]
    if not arrays or len(arrays) < len(given):
        return None
    if c.predicate == "noalias":
        return _apart(arrays, site.exact)
    if c.predicate == "contiguous":
        return arrays[0].contiguous
    if c.predicate == "aligned":
        return _aligned(arrays[0], c.bounds[0].value)
    return None


def _apart(arrays: list[HostArray], exact: bool) -> bool | None:
    found = [o for a, b in combinations(arrays, 2) if (o := between("", a, "", b, exact)) is not None]
    if not found:
        return True
    return False if any(o.certain for o in found) and exact else None


def _aligned(a: HostArray, amount: int | None) -> bool | None:
    """An allocation in view starts at a multiple of the allocator's alignment."""
    if amount is None or not (a.fresh and a.whole):
        return None
    return True if ALLOCATION_ALIGNMENT % amount == 0 else None
