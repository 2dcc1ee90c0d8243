"""Elements and slices of arrays."""

from __future__ import annotations

from dataclasses import replace

from gpulint.frontend.host.elements import changed
from gpulint.frontend.host.layout import is_contiguous, layout_of, strides_of
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.tensors import bounds, values_of
from gpulint.frontend.host.values import (
    NONE,
    Arr,
    Bounds,
    Const,
    Num,
    Seq,
    Unknown,
    Value,
    as_int,
    maybe_copy,
    view,
)
from gpulint.term import Int, add, const, eq, floordiv, le, maximum, minimum, mul, or_, select, show, sub


def sliced(index: Value) -> bool:
    return isinstance(index, Bounds) or (
        isinstance(index, Seq) and any(isinstance(i, Bounds) for i in index.items)
    )


def element(m: Machine, s: State, a: Arr, index: Value, text: str) -> Value:
    """An element or a view of an array."""
    parts = index.items if isinstance(index, Seq) else (index,)
    if any(not isinstance(p, (Bounds, Num, Unknown)) and p not in (NONE, Const(...)) for p in parts):
        return maybe_copy(view(a, None, m.opaque(text).name), m.namer.unique(f"{text}@"))
    if a.shape is None or any(p == Const(...) for p in parts):
        if a.shape is None and parts == (Bounds(None, None, None),):
            return a
        if sliced(index) and a.shape is None:
            return _part_of(m, s, a, parts[0], text) if len(parts) == 1 else _loose(m, a, parts, text)
        if not sliced(index):
            return entry(m, s, a, parts, text)
        return view(a, None, m.opaque(text).name)
    shape: list[Int] = []
    steps: list[Int] = []
    known = strides_of(s.facts, a) or ()
    axis = 0
    for p in parts:
        if p == NONE:
            shape.append(const(1))
            steps.append(const(1))
            continue
        if axis >= len(a.shape):
            return m.opaque(text)
        if isinstance(p, Bounds):
            shape.append(_length(m, a.shape[axis], p, text))
            steps.append(mul(known[axis], _step(p)))
        axis += 1
    shape += a.shape[axis:]
    steps += known[axis:]
    if not shape:
        return entry(m, s, a, parts, text)
    forward = all(_step(p) == const(1) for p in parts if isinstance(p, Bounds))
    whole = forward and tuple(shape) == a.shape  # `x[::-1]` has the shape of x, and not its order
    leading = len(parts) == 1 and not (isinstance(parts[0], Bounds) and parts[0].step is not None)
    row_major = is_contiguous(s.facts, a) if m.tiles else a.contiguous
    made = replace(view(a, tuple(shape), text, whole), contiguous=row_major if leading or whole else None)
    if made.contiguous or (leading and len(a.shape) == 1):
        made = replace(made, start=_begin(a, parts[0], known[0]))
    low, high = bounds(s, a) if m.tiles else (None, None)
    return replace(
        made, strides=None if made.contiguous else tuple(steps), low=low, high=high, injective=a.injective
    )


def _begin(a: Arr, p: Value, stride: Int) -> Int | None:
    """How many elements of the buffer lie before a slice of the first axis; None when unknown.

    Of an array with one axis the elements are counted along it, however far they lie apart in memory.
    """
    before = const(0) if a.whole else a.start
    if before is None or not isinstance(p, Bounds):
        return None
    start = const(0) if p.start is None or p.start == NONE else as_int(p.start)
    return add(before, mul(_clip(start, a.extent(0)), stride)) if start is not None else None


def _step(b: Bounds) -> Int:
    step = const(1) if b.step is None or b.step == NONE else as_int(b.step)
    return step if step is not None else const(1)


def entry(m: Machine, s: State, a: Arr, parts: tuple[Value, ...], text: str) -> Value:
    """`x[i]`: data; of a tensor an input, the same one for the same index as long as nothing changes it.

    Of a tensor of unknown rank it may be a row as well.
    """
    if not m.tiles:
        return m.opaque(text, "is data")
    where = [as_int(p) for p in parts]
    if changed(s, a) or any(t is None for t in where):
        return m.unknown(text, "")
    return Unknown(f"{values_of(a)}[{', '.join(show(t) for t in where if t is not None)}]", True)


def _part_of(m: Machine, s: State, a: Arr, index: Value, text: str) -> Value:
    """A slice of the first axis of an array of unknown rank: the other axes stay, and so do the strides.

    Where it starts is counted in rows, which are elements if the rank turns out to be one.
    """
    if not isinstance(index, Bounds) or index.step is not None:
        return _loose(m, a, (index,), text)
    length = _length(m, a.extent(0), index, text)
    made = view(a, None, m.unknown(text, "").name)
    s.assume(eq(made.ndim, a.ndim))
    s.assume(eq(made.extent(0), length))
    for axis in (1, 2, 3):
        s.assume(eq(made.extent(axis), a.extent(axis)))
    s.assume(or_(le(a.ndim, 1), eq(made.extent(-1), a.extent(-1))))  # of one axis, the last is the first
    low, high = bounds(s, a)
    return replace(
        made, contiguous=is_contiguous(s.facts, a) or None, layout=layout_of(a), low=low, high=high,
        injective=a.injective, start=_begin(a, index, const(1)),
    )  # fmt: skip


def _loose(m: Machine, a: Arr, parts: tuple[Value, ...], text: str) -> Value:
    """A slice of an array of unknown rank: the rank is unknown too, but for one plain slice of one axis."""
    return view(a, None, m.opaque(text, "is a view of unknown shape").name)


def _length(m: Machine, extent: Int, b: Bounds, text: str) -> Int:
    """The number of elements that a slice takes from an axis, clipped as Python does."""
    start = const(0) if b.start is None or b.start == NONE else as_int(b.start)
    stop = extent if b.stop is None or b.stop == NONE else as_int(b.stop)
    step = const(1) if b.step is None or b.step == NONE else as_int(b.step)
    if start is None or stop is None or step is None or step.value is None or step.value < 1:
        if step is not None and step.value == -1 and b.start is None and b.stop is None:
            return extent
        return as_int(m.opaque(f"len({text})", kind="int")) or const(0)
    lo, hi = _clip(start, extent), extent if stop is extent else _clip(stop, extent)
    length = maximum(sub(hi, lo), 0)
    return length if step.value == 1 else floordiv(add(length, step.value - 1), step.value)


def _clip(bound: Int, extent: Int) -> Int:
    if bound.value == 0:
        return bound
    if bound.lo is not None and bound.lo >= 0:
        return minimum(bound, extent)
    if bound.hi is not None and bound.hi < 0:
        return maximum(add(extent, bound), 0)
    return select(le(0, bound), minimum(bound, extent), maximum(add(extent, bound), 0))
