"""Which array arguments of a launch share memory.

Sound in this direction: two arguments that may share an element are reported, unless the host code
allocates them apart or one has no element. `certain` overlaps are real.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations

from gpulint.dataflow.access import Array
from gpulint.frontend.host.memories import meet
from gpulint.frontend.host.ranks import with_rank
from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.term import ONE, Int, mul, sub
from gpulint.term.build import ZERO


@dataclass(frozen=True)
class Overlap:
    """Two parameters whose arguments share memory, or may.

    `certain`: they share elements in every launch from this site in which they have any. `same`:
    the very same elements at the same subscripts. `distance`: how many elements after `a`'s first `b`'s
    first lies, where both are runs of one buffer. `reason` says why, in words.
    """

    a: str
    b: str
    certain: bool
    same: bool
    reason: str = ""
    distance: Int | None = None


def overlaps(site: LaunchSite, arrays: Mapping[str, Array] | None = None) -> list[Overlap]:
    """Every pair of array arguments that overlaps or may, in the order of the parameters.

    With `arrays`, only pairs of those parameters of which the kernel may write one: nothing comes
    of two arrays that are only read.
    """
    given = [(p, a) for p, a in site.arguments.items() if isinstance(a, HostArray)]
    if arrays is not None:
        given = [(p, with_rank(a, len(arrays[p].extents), ())[0]) for p, a in given if p in arrays]
    found: list[Overlap] = []
    for (p, a), (q, b) in combinations(given, 2):
        if arrays is not None and not (arrays[p].written or arrays[q].written):
            continue
        overlap = between(p, a, q, b, site.exact)
        if overlap is not None:
            found.append(overlap)
    return found


def between(p: str, a: HostArray, q: str, b: HostArray, exact: bool) -> Overlap | None:
    """How the arguments for `p` and `q` overlap; None when they do not. `exact`: the site is."""
    if _empty(a) or _empty(b):
        return None
    if a.buffer and a.buffer == b.buffer:
        return _same_buffer(p, a, q, b)
    if linked(a, b):
        return Overlap(p, q, False, False, f"{a.name} and {b.name} may be one memory")
    if (a.fresh and b.fresh) or ((a.fresh or b.fresh) and exact):
        return None  # where all is understood, what was allocated here is no array from elsewhere
    return Overlap(p, q, False, False, f"nothing says that {a.name} and {b.name} are distinct")


def linked(a: HostArray, b: HostArray) -> bool:
    """Whether the host code itself says that the two may lie in one allocation."""
    return meet(a.memories, b.memories)


def _same_buffer(p: str, a: HostArray, q: str, b: HostArray) -> Overlap:
    if a.whole and b.whole:
        same = a.shape == b.shape and a.contiguous == b.contiguous and _layout_known(a, b)
        what = f"both are {a.name}" if a.name == b.name else f"both cover the whole of {a.buffer}"
        return Overlap(p, q, True, same, what)
    if a.whole or b.whole:
        whole, part = (a, b) if a.whole else (b, a)
        return Overlap(p, q, True, False, f"{part.name} is a part of {whole.name}", _distance(a, b))
    if a.name == b.name and a.shape == b.shape:
        return Overlap(p, q, True, True, f"both are {a.name}")
    return Overlap(p, q, False, False, f"{a.name} and {b.name} are parts of {a.buffer}", _distance(a, b))


def _distance(a: HostArray, b: HostArray) -> Int | None:
    """From the first element of one to that of the other; None unless both are runs of equal elements.

    Two of one axis that are parts of one array step through it alike, contiguous or not.
    """
    if a.dtype != b.dtype or a.shape is None or b.shape is None:
        return None
    if not (a.contiguous and b.contiguous) and not len(a.shape) == len(b.shape) == 1:
        return None
    first, second = (ZERO if x.whole else x.start for x in (a, b))
    return sub(second, first) if first is not None and second is not None else None


def _layout_known(a: HostArray, b: HostArray) -> bool:
    """Whether equal subscripts are the same element: one name, or two contiguous arrangements."""
    if a.dtype != b.dtype:
        return False
    return a.name == b.name or bool(a.contiguous and b.contiguous and a.shape is not None)


def _empty(a: HostArray) -> bool:
    """Whether the array certainly has no element."""
    return a.shape is not None and _product(a.shape).value == 0


def _product(xs: Iterable[Int]) -> Int:
    out = ONE
    for x in xs:
        out = mul(out, x)
    return out


def certain(found: Iterable[Overlap]) -> list[Overlap]:
    """The overlaps that are real."""
    return [o for o in found if o.certain]
