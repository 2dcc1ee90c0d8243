"""Tensors of unknown strides whose elements lie apart: an access is told by indices instead of its offset.

A tensor that the host allocates has a place of its own for each element, whatever its strides are. Where an
offset is `sum(i_k * stride_k)`, and each `i_k` is shown to be an index along its axis, two points whose
offsets are equal have equal indices: different index vectors within the shape would be two elements at one
place. Nothing is asked of the strides, not even their order.
"""

from __future__ import annotations

from dataclasses import replace

from gpulint.frontend.host.site import HostArray
from gpulint.solver.setting import Setting
from gpulint.solver.space import Seen
from gpulint.term import ONE, ZERO, Int, Sym, add, and_, const, ge, lt, mul
from gpulint.term.build import monomial
from gpulint.term.mono import without


def by_index(s: Setting, seen: Seen, name: str) -> Seen | None:
    """The access with an index for each axis as its subscripts; None where that is not shown."""
    arg = s.site.arguments.get(name) if s.site is not None else None
    if not isinstance(arg, HostArray) or s.binding is None or len(seen.subscripts) != 1:
        return None
    if not arg.whole or not (arg.fresh or name in s.solid) or not arg.shape or arg.strides is None:
        return None
    strides = [s.binding.host(t) for t in arg.strides]
    if len(set(strides)) < len(strides) or not all(map(_plain, strides)):
        return None
    indices = _split(seen.subscripts[0], strides)
    if indices is None:
        return None
    shape = [s.binding.host(n) for n in arg.shape]
    inside = and_(*(and_(ge(i, 0), lt(i, n)) for i, n in zip(indices, shape, strict=True)))
    return replace(seen, subscripts=indices) if s.prover.prove(seen.domain, inside) else None


def _plain(stride: Int) -> bool:
    return stride == ONE or (isinstance(stride.atom, Sym) and ".stride(" in stride.atom.name)


def _split(offset: Int, strides: list[Int]) -> tuple[Int, ...] | None:
    """The factors of the strides in an offset: of the one stride in a product, or else a stride of one."""
    out = dict.fromkeys(strides, ZERO)
    for mono, coeff in offset.terms:
        found = [t for t in strides if t.atom is not None and t.atom in mono] or [ONE]
        if len(found) != 1 or found[0] not in out:
            return None
        rest = without(mono, (found[0].atom,)) if found[0].atom is not None else mono
        factor = mul(monomial(rest), coeff) if rest else const(coeff)
        out[found[0]] = add(out[found[0]], factor)
    return tuple(out.values())
