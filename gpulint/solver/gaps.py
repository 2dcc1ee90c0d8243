"""Obligation contract, for tile kernels: an access stays on the elements of its tensor.

A tensor whose strides the host leaves free may be a part of a larger one (every second column, rows of a
wider matrix): its elements then lie apart, and an offset that runs through them all without a gap comes to
places between them that belong to someone else. Nothing leaves the memory, so no other obligation sees it.
It is refuted by a launch with such a tensor whose run touches a place between its elements.

Asked of tensors with a stride that the kernel uses in another access, and of those that a public function
takes from its caller and neither lays out nor asks about.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from collections.abc import Set as Set
from dataclasses import dataclass

from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.interp.machine import run
from gpulint.solver import layouts, space
from gpulint.solver.outputs import pure, small_launch, witness
from gpulint.solver.reader import Reader
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound
from gpulint.solver.verdict import REFUTED, Obligation, Verdict, Witness
from gpulint.term import ONE, ZERO, Int, Sym, ge, lt, mod, mul, sub, subst, symbols

APART = 2  # a tensor's elements, or its rows, are this many times as far apart as if there were no gaps
MAX_ELEMENTS = 1 << 14  # of a tensor whose places are listed


@dataclass(frozen=True)
class Layout:
    """A tensor with gaps: what its free strides are, what they would be without, and where its elements lie,
    in host terms.

    Every element lies at a place that is less than `step` beyond a multiple of `APART * step`.
    """

    known: dict[Sym, Int]
    plain: dict[Sym, Int]
    shape: tuple[Int, ...]
    strides: tuple[Int, ...]
    step: Int


def check(a: SiteRound, sites: Sequence[LaunchSite]) -> None:
    """Add a verdict for the first access of each tensor that comes between its elements.

    None where the launch breaks something else: what goes wrong without gaps comes first.
    """
    s = a.setting
    if a.reason or s.site is None or not s.site.exact or not s.tiles:
        return
    if any(v.kind == REFUTED for v in (*a.answers.values(), *a.extra)):
        return
    for name, arg in s.site.arguments.items():
        if isinstance(arg, HostArray) and arg.whole and not arg.fresh and not arg.sharing:
            v = _first(s, name, arg, sites)
            a.extra += [v] if v is not None else []


def _first(s: Setting, name: str, arg: HostArray, sites: Sequence[LaunchSite]) -> Verdict | None:
    own = [x for x in s.accesses.accesses if x.array.name == name and pure(space.see(x))]
    used = symbols(*(t for x in own for t in s.see(x).subscripts))
    layout = _layout(s, arg, used) if own else None
    if layout is None or not (layout.known.keys() & used or _left_open(s, arg, layout, own, sites)):
        return None
    for x in own:
        w = _between(s, x, layout)
        if w is not None:
            o = Obligation("contract", "gaps", x.span, access=x)
            return Verdict(o, REFUTED, reason=arg.name or name, witness=w, site=s.site, rung="search")
    return None


def _layout(s: Setting, arg: HostArray, used: Set[Sym]) -> Layout | None:
    """The tensor with gaps before every axis whose stride is free; None where none is.

    Where the kernel uses some of them, the others are taken for those without gaps.
    """
    assert s.binding is not None
    plain = {k: s.binding.host(t) for k, t in layouts.unknown_strides(arg).items()}
    if not plain:
        return None
    if arg.shape is None:
        ((span, size),) = plain.items()
        return Layout({span: sub(mul(size, APART), ONE)}, plain, (size,), (mul(ONE, APART),), ONE)
    free = plain.keys() & used or plain.keys()
    known = {k: mul(t, APART) if k in free else t for k, t in plain.items()}
    shape = tuple(map(s.binding.host, arg.shape))
    given = [s.binding.host(t) for t in arg.strides or ()]
    inner = next((t.atom for t in reversed(given) if t.atom in free), None)
    if not isinstance(inner, Sym):
        return None
    return Layout(known, plain, shape, tuple(subst(t, known) for t in given), plain[inner])


def _left_open(
    s: Setting, arg: HostArray, layout: Layout, own: list[Access], sites: Sequence[LaunchSite]
) -> bool:
    """Whether a caller of a public function may give the tensor in any layout: the code says nothing of it.

    A vector that is only read is left to its caller: those are contiguous by their making, mostly. So is a
    tensor of any rank of which the launch takes some stride, or no size where it is only read.
    """
    assert s.site is not None and s.binding is not None
    followed = any(x.span == s.site.span and x.callers for x in sites)
    names = {x.name.removesuffix(".span").partition(".stride(")[0] for x in layout.known}
    if not names <= s.site.open or (followed and not s.site.callers):
        return False
    strides = {x.name for x in symbols(*s.binding.facts, *s.binding.mapping.values()) if ".stride(" in x.name}
    if arg.shape is None and any(x.partition(".stride(")[0] in names for x in strides):
        return False
    if any(x.mode == "write" for x in own):
        return True
    if arg.shape is not None:
        return len(arg.shape) > 1
    scalars = [t for k, t in s.binding.mapping.items() if "." not in k.name or k.name.startswith("grid.")]
    return bool(symbols(*layout.shape) & symbols(*scalars))


def _between(free: Setting, a: Access, layout: Layout) -> Witness | None:
    """A run in which an access touches a place that no element of the tensor has.

    The same launch of a tensor without gaps must run without fault.
    """
    s = layouts.known_at(free, layout.known)
    seen = s.see(a)
    if len(seen.subscripts) != 1:
        return None
    offset, name = seen.subscripts[0], a.array.name
    gap = ge(mod(offset, mul(layout.step, APART)), layout.step)
    found = small_launch(s, [seen.domain, ge(offset, ZERO), lt(offset, s.term(a.array.extents[0])), gap])
    if found is None:
        return None
    reader, launch = found
    place, elements = reader.number(offset, 0), _places(reader, layout)
    if elements is None or place in elements:
        return None
    plain = Reader(layouts.known_at(free, layout.plain), reader.model, ()).launch()
    if plain is None or run(s.kernel, plain).violations:
        return None
    outcome = run(s.kernel, launch)
    touched = outcome.read.get(name, set()) if a.mode == "read" else outcome.written.get(name, {})
    return witness(reader, launch, name, (place,)) if (place,) in touched else None


def _places(reader: Reader, layout: Layout) -> set[int] | None:
    """Where the elements lie; None for too many."""
    shape = [reader.number(n) for n in layout.shape]
    strides = [reader.number(t) for t in layout.strides]
    if math.prod(shape) > MAX_ELEMENTS:
        return None
    indices = itertools.product(*map(range, shape))
    return {sum(i * t for i, t in zip(index, strides, strict=True)) for index in indices}
