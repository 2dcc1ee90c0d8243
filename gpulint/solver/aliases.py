"""Obligation no-alias at one launch site: arguments that share memory, or may."""

from __future__ import annotations

from dataclasses import replace

from gpulint.contract.alias import Overlap, linked, overlaps
from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.solver import disjoint, search, separate
from gpulint.solver.pairs import Pair
from gpulint.solver.residual import Named
from gpulint.solver.search import Ask
from gpulint.solver.setting import Setting
from gpulint.solver.sites import meets
from gpulint.solver.space import Seen
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, UNDER, Obligation, Verdict
from gpulint.term import ONE, TRUE, Int, add, le, mul, neg
from gpulint.term.build import ZERO

MAX_OVERLAPS = 24


def overlapping(s: Setting, named: Named) -> list[Verdict]:
    """Arguments that share memory, or are parts of one allocation, where the kernel's accesses would race."""
    assert s.site is not None
    out: list[Verdict] = []
    found = [o for o in overlaps(s.site, s.accesses.arrays) if not _left(s, o)]
    for o in found[:MAX_OVERLAPS]:
        v = _alias(s, named, o) if not _apart(s, o) else None
        out += [v] if v is not None else []
    if len(found) > MAX_OVERLAPS:
        about = Obligation("no-alias", "overlap", s.site.span)
        out.append(Verdict(about, UNDECIDED, reason="more overlaps than the budget", site=s.site))
    return out


def left_to_caller(s: Setting) -> bool:
    """Whether a caller of the host code has to keep arrays apart that would race."""
    assert s.site is not None
    found = overlaps(s.site, s.accesses.arrays)
    return any(_left(s, o) and any(separate.conflicts(s.accesses, o.a, o.b)) for o in found)


def _left(s: Setting, o: Overlap) -> bool:
    """Whether nothing in view says that the two share memory, so that they are assumed not to."""
    assert s.site is not None
    return separate.assumed(s) and not o.certain and not _one_buffer(s.site, o)


def _one_buffer(site: LaunchSite, o: Overlap) -> bool:
    """Whether the two may be in one allocation, where they may or may not have elements in common."""
    a, b = site.arguments.get(o.a), site.arguments.get(o.b)
    return isinstance(a, HostArray) and isinstance(b, HostArray) and linked(a, b)


def _apart(s: Setting, o: Overlap) -> bool:
    """Whether one of two runs of a buffer ends before the other begins.

    Each is the elements from its first to its first plus its size, so that they have none in common
    when the distance between the firsts is at least the size of the earlier.
    """
    if o.distance is None or s.binding is None:
        return False
    distance = s.binding.host(o.distance)
    first, second = (s.term(_size(s, x)) for x in (o.a, o.b))
    return any(s.prover.prove(TRUE, le(n, d)) for n, d in ((first, distance), (second, neg(distance))))


def _size(s: Setting, name: str) -> Int:
    out = ONE
    for x in s.accesses.arrays[name].extents:
        out = mul(out, x)
    return out


def _alias(s: Setting, named: Named, o: Overlap) -> Verdict | None:
    """One overlapping pair: proved harmless (None), refuted, or undecided."""
    assert s.site is not None
    text = o.reason or f"{o.a} and {o.b} overlap"
    for first, second in separate.conflicts(s.accesses, o.a, o.b):
        pair = Pair(first, second)
        seen: tuple[Seen, Seen] = disjoint.views(s, pair)
        about = Obligation("no-alias", "overlap", s.site.span, access=first, other=second)
        if o.same and len(first.subscripts) == len(second.subscripts):
            v = disjoint.decide(s, pair, named)
            if v.kind == PROVED or (v.kind == UNDER and all(meets(s, c) for c in v.clauses)):
                continue
            why = f"{text}: {v.reason}"
        elif o.distance is not None:
            seen = _from_one_start(s, o, seen)
            if s.prover.unsat(*disjoint.collision(s, pair, *seen)):
                continue
            why = f"{text}, and threads may meet"
        else:
            unknown = Obligation("no-alias", "overlap", s.site.span)
            return Verdict(unknown, UNDECIDED, reason=f"{text}, at an unknown distance", site=s.site)
        ask = Ask(disjoint.obligation(pair), tuple(disjoint.collision(s, pair, *seen)), seen, "race")
        w = search.find(s, ask) if s.site.exact else None
        if w is not None:
            return Verdict(about, REFUTED, reason=text, witness=w, site=s.site, rung="search")
        return Verdict(about, UNDECIDED, reason=why, site=s.site)
    return None


def _from_one_start(s: Setting, o: Overlap, seen: tuple[Seen, Seen]) -> tuple[Seen, Seen]:
    """Both accesses by the element of the common buffer, row-major, counted from the first of `o.a`."""
    assert o.distance is not None and s.binding is not None
    out = []
    for v in seen:
        assert isinstance(v.source, Access)
        array = v.source.array
        flat = ZERO
        for x, n in zip(v.subscripts, s.accesses.arrays[array.name].extents, strict=True):
            flat = add(mul(flat, s.term(n)), x)
        by = s.binding.host(o.distance) if array.name == o.b else ZERO
        out.append(replace(v, subscripts=(add(flat, by),)))
    return out[0], out[1]
