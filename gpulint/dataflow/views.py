"""Arrays through views: extents, and the element of the base array that a subscript names.

Slices clip as Python's do. A negative subscript counts from the end (one that is out of range anyway
may resolve to anything). A view with a step that is not constant is not followed.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpulint import term as t
from gpulint.dataflow.facts import Facts
from gpulint.dataflow.graph import Path, Place, Slice
from gpulint.dataflow.terms import Terms
from gpulint.ir import symbols
from gpulint.term import Int

FLAT = -1


@dataclass
class Axis:
    """An axis of a view: element i of it lies at offset + stride * i of axis `base`."""

    base: int
    offset: Int
    stride: Int
    extent: Int


@dataclass
class Found:
    """Where a place or an access stands in its base array.

    `flat`: the extents of a base array whose elements are counted in row-major order, as its axis FLAT.
    """

    axes: list[Axis]
    fixed: dict[int, Int] = field(default_factory=dict)
    checks: list[tuple[Int, Int]] = field(default_factory=list)
    flat: tuple[Int, ...] = ()

    @property
    def subscripts(self) -> tuple[Int, ...]:
        if not self.flat:
            return tuple(self.fixed[i] for i in sorted(self.fixed))
        out: list[Int] = []
        left = self.fixed[FLAT]
        for extent in reversed(self.flat[1:]):
            out.append(t.mod(left, extent))
            left = t.floordiv(left, extent)
        return (left, *reversed(out))


def base_extents(tr: Terms, name: str) -> tuple[Int, ...] | None:
    """The extents of a base array, None when not even its rank is known."""
    base = tr.graph.bases[name]
    if base.shape is not None:
        return tuple(tr.integer(i) for i in base.shape)
    if base.ndim is None:
        return None
    return tuple(symbols.extent(name, axis, base.ndim) for axis in range(base.ndim))


def follow(tr: Terms, place: Place, path: Path, *, resolved: bool = False) -> Found | None:
    """The axes of a place; None when it is not known as a view of its base."""
    key = (place, path, resolved)
    if key not in tr.followed:
        tr.followed[key] = _follow(tr, place, path, resolved)
    found = tr.followed[key]
    if found is None:
        return None
    return Found(list(found.axes), dict(found.fixed), list(found.checks), found.flat)


def _follow(tr: Terms, place: Place, path: Path, resolved: bool) -> Found | None:
    extents = base_extents(tr, place.base)
    if not place.known or extents is None:
        return None
    found = Found([Axis(i, t.ZERO, t.ONE, e) for i, e in enumerate(extents)])
    for step in place.steps:
        if step.shape:
            if found.fixed or found.axes != _rows(found, extents):
                return None
            found = _reshaped(tr, extents, step.shape, resolved)
            continue
        if len(step.indices) > len(found.axes):
            return None
        kept: list[Axis] = []
        for axis, index in zip(found.axes, step.indices, strict=False):
            if not isinstance(index, Slice):
                _pick(tr, found, axis, _term(tr, index, resolved), path, resolved, wraps=True)
                continue
            part = _slice(tr, axis, index, path, resolved)
            if part is None:
                return None
            kept.append(part)
        found.axes = kept + found.axes[len(step.indices) :]
        if step.transpose:
            found.axes.reverse()
    return found


def _rows(found: Found, extents: tuple[Int, ...]) -> list[Axis]:
    """The axes of an array in its own order: of the base, or of one that is only reshaped."""
    if not found.flat and found.axes and found.axes[0].base != FLAT:
        return [Axis(i, t.ZERO, t.ONE, e) for i, e in enumerate(extents)]
    return _strided([a.extent for a in found.axes])


def _strided(extents: list[Int]) -> list[Axis]:
    """Axes over the elements in row-major order."""
    axes: list[Axis] = []
    step = t.ONE
    for extent in reversed(extents):
        axes.append(Axis(FLAT, t.ZERO, step, extent))
        step = t.mul(step, extent)
    return axes[::-1]


def _reshaped(tr: Terms, extents: tuple[Int, ...], shape: tuple[int, ...], resolved: bool) -> Found:
    """The whole array under another shape: its element (i, j) is the one that comes i * m + j -th.

    The shape has as many elements as the array, or the thread has ended. So what is in range of the shape is
    an element, at the place that its number has in the array's own row-major order.
    """
    return Found(_strided([_term(tr, i, resolved) for i in shape]), flat=extents)


def locate(tr: Terms, place: Place, subscripts: tuple[int, ...], path: Path, *, wraps: bool,
           resolved: bool = False) -> Found | None:  # fmt: skip
    """The element that an access names; None when its view or rank is not known."""
    found = follow(tr, place, path, resolved=resolved)
    if found is None or len(found.axes) != len(subscripts):
        return None
    for axis, i in zip(found.axes, subscripts, strict=True):
        _pick(tr, found, axis, _term(tr, i, resolved), path, resolved, wraps=wraps)
    return found


def _term(tr: Terms, i: int, resolved: bool) -> Int:
    return tr.resolve(tr.integer(i)) if resolved else tr.integer(i)


def _facts(tr: Terms, path: Path, resolved: bool, extent: Int | None = None) -> Facts:
    """The facts of a path; with an extent, those of a subscript that is in range of it."""
    guard = tr.guard(path)[0]
    guard = tr.resolve(guard) if resolved else guard
    if (guard, extent) not in tr.facts:
        tr.facts[guard, extent] = Facts(guard, () if extent is None else (extent,))
    return tr.facts[guard, extent]


def _pick(tr: Terms, found: Found, axis: Axis, raw: Int, path: Path, resolved: bool, *, wraps: bool) -> None:
    extent = tr.resolve(axis.extent) if resolved else axis.extent
    low = raw.lo is not None and raw.lo >= 0
    if not low or t.apps(raw, op="select"):
        facts = _facts(tr, path, resolved, extent)
        raw = facts.simplify(raw)
        low = facts.nonnegative(raw)
    found.checks.append((raw, extent))
    sub = raw if low or not wraps else t.select(t.lt(raw, t.ZERO), t.add(raw, extent), raw)
    at = t.add(axis.offset, t.mul(axis.stride, sub))
    found.fixed[axis.base] = t.add(found.fixed[axis.base], at) if axis.base in found.fixed else at


def _slice(tr: Terms, axis: Axis, s: Slice, path: Path, resolved: bool) -> Axis | None:
    step = t.ONE if s.step is None else _term(tr, s.step, resolved)
    n = tr.resolve(axis.extent) if resolved else axis.extent
    if step.value is None or step.value == 0:
        return None
    if step.value < 0:
        if s.start is not None or s.stop is not None:
            return None
        start, length = t.sub(n, t.ONE), t.cdiv(n, t.const(-step.value))
    else:
        facts = _facts(tr, path, resolved)
        start = t.ZERO if s.start is None else _clip(_term(tr, s.start, resolved), n, facts)
        stop = n if s.stop is None else t.minimum(_clip(_term(tr, s.stop, resolved), n, facts), n)
        length = t.cdiv(t.maximum(t.ZERO, t.sub(stop, start)), step)
    offset = t.add(axis.offset, t.mul(axis.stride, start))
    return Axis(axis.base, offset, t.mul(axis.stride, step), length)


def _clip(bound: Int, n: Int, facts: Facts) -> Int:
    """A slice bound counted from the start, clipped below; above, the length clips."""
    if facts.nonnegative(bound):
        return bound
    wrapped = t.maximum(t.ZERO, t.add(bound, n))
    if bound.hi is not None and bound.hi < 0:
        return wrapped
    return t.select(t.lt(bound, t.ZERO), wrapped, bound)


def extent(tr: Terms, place: Place, axis: int, path: Path) -> Int | None:
    """The number of elements along an axis of a view."""
    found = follow(tr, place, path)
    if found is None:
        if place.known and not place.steps:
            return symbols.extent(place.base, axis, None)
        return None
    return found.axes[axis].extent if 0 <= axis < len(found.axes) else None


def size(tr: Terms, place: Place, path: Path) -> Int | None:
    """The number of elements of a view in all."""
    found = follow(tr, place, path)
    if found is None:
        return symbols.size(place.base, None) if place.known and not place.steps else None
    out = t.ONE
    for axis in found.axes:
        out = t.mul(out, axis.extent)
    return out


__all__ = ["Found", "extent", "follow", "locate", "size"]
