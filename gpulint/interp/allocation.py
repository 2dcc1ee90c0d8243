"""Names for arrays: views, aliases, and shared, local and constant allocations."""

from __future__ import annotations

import math
from typing import Any

from gpulint.interp.accesses import as_index, region_of, resolve
from gpulint.interp.expressions import Env, Evaluate, Names, expression
from gpulint.interp.memory import Array, Buffer, Region, reshaped, slice_bounds, transposed, whole
from gpulint.interp.thread import Cut, Thread
from gpulint.interp.values import POISON, itemsize
from gpulint.ir import nodes as n
from gpulint.ir.span import Span


def alias(s: n.Alias, names: Names) -> Any:
    target, source = names.slot(s.target), names.slot(s.array)

    def run(env: Env) -> None:
        env[target] = env[source]

    return run


def view(s: n.View, names: Names) -> Any:
    """An index out of range breaks the view; only an access through it is then reported."""
    target, source = names.slot(s.target), names.slot(s.array)
    if s.shape is not None:
        return _arranged(s, [expression(e, names) for e in s.shape], target, source)
    parts = [_part(i, names) for i in s.indices]

    def run(env: Env) -> None:
        region = region_of(env[source], s.array, s.span)
        if len(parts) > len(region.extents):
            raise Cut("not-executable", s.span, "more indices than axes", region.array.name)
        made = _cut_out(env[0], region, [p(env) for p in parts], s)
        env[target] = transposed(made) if s.transpose else made

    return run


def _arranged(s: n.View, shape: list[Evaluate], target: int, source: int) -> Any:
    """The elements under another shape; the thread is cut where it does not fit."""

    def run(env: Env) -> None:
        region = region_of(env[source], s.array, s.span)
        extents = tuple(as_index(e(env), s.span, region.array.name) for e in shape)
        if not extents or not region.in_order or math.prod(extents) != region.size():
            raise Cut("not-executable", s.span, "another arrangement of the elements", region.array.name)
        env[target] = reshaped(region, extents)

    return run


def _part(index: n.Expr | n.Range, names: Names) -> Evaluate:
    if not isinstance(index, n.Range):
        return expression(index, names)
    bounds = [None if b is None else expression(b, names) for b in (index.start, index.stop, index.step)]
    return lambda env: slice(*[None if b is None else b(env) for b in bounds])


def _cut_out(thread: Thread, region: Region, parts: list[Any], s: n.View) -> Region:
    origin, axes, extents = list(region.origin), [], []
    broken = region.broken
    for k, (extent, (axis, step)) in enumerate(zip(region.extents, region.axes, strict=True)):
        part = parts[k] if k < len(parts) else slice(None)
        if isinstance(part, slice):
            first, stride, count = _bounds(part, extent, s.span, region.array.name)
            extents.append(count)
            axes.append((axis, step * stride))
        else:
            (first,), inside, wrapped = resolve([part], (extent,), True, s.span, region.array.name)
            if not inside and broken is None:
                broken = ((int(part),), (extent,))
            elif wrapped:
                _note_negative(thread, region, int(part), extent, s.span)
        origin[axis] += step * first
    return Region(region.array, tuple(extents), tuple(origin), tuple(axes), False, broken, region.flat)


def _note_negative(thread: Thread, region: Region, index: int, extent: int, span: Span) -> None:
    thread.machine.report(
        "negative-index", span, thread.point, array=region.array.name, element=(index,), extents=(extent,)
    )


def _bounds(part: slice, extent: int, span: Span, array: str) -> tuple[int, int, int]:
    given = [None if b is None else as_index(b, span, array) for b in (part.start, part.stop, part.step)]
    if given[2] == 0:
        raise Cut("not-executable", span, "slice step is zero", array)
    return slice_bounds(slice(*given), extent)


def alloc(s: n.Alloc, names: Names) -> Any:
    """Memory of one statement is one array: a block's when shared, a thread's when local."""
    target = names.slot(s.target)
    shape = None if s.shape is None else [expression(e, names) for e in s.shape]

    def run(env: Env) -> None:
        thread: Thread = env[0]
        space = s.type.space
        owner = {"shared": thread.block.shared, "const": thread.machine.constants}.get(space, thread.local)
        region = owner.get(id(s))
        if region is None:
            extents = _dynamic(thread, s) if shape is None else _static(env, shape, s)
            buffer = _buffer(thread, s, shape is None)
            name = s.target
            if shape is None:  # known by the name of the first one
                name = thread.block.shared.setdefault(("dynamic name", itemsize(s.type.element)), name)
            array = Array(name, extents, s.type.element, buffer, _initial(s, extents))
            region = owner[id(s)] = whole(array)
        env[target] = region

    return run


def _static(env: Env, shape: list[Evaluate], s: n.Alloc) -> tuple[int, ...]:
    extents = tuple(as_index(e(env), s.span, s.target) for e in shape)
    if any(e < 0 for e in extents):
        raise Cut("not-executable", s.span, f"shape {extents} is negative", s.target)
    return extents


def _dynamic(thread: Thread, s: n.Alloc) -> tuple[int, ...]:
    width = itemsize(s.type.element)
    if width is None:
        raise Cut("not-executable", s.span, "element size of dynamic shared memory is not known", s.target)
    return (thread.machine.launch.dynamic_shared // width,)


def _buffer(thread: Thread, s: n.Alloc, dynamic: bool) -> Buffer:
    """Dynamic shared arrays of one block overlay each other; those of different element sizes
    overlap in part, which is not modelled: they are taken as apart."""
    if not dynamic:
        return Buffer(private=s.type.space == "local", writable=True)
    key = ("dynamic", itemsize(s.type.element))
    return thread.block.shared.setdefault(key, Buffer(writable=True))  # type: ignore[no-any-return]


def _initial(s: n.Alloc, extents: tuple[int, ...]) -> Any:
    """A constant array starts with its elements; one whose elements are not known, with POISON."""
    if s.type.space != "const":
        return None
    given = s.initial
    if given is None:
        return lambda index: POISON
    shape = Array("", extents, None, Buffer(), None)

    def start(index: tuple[int, ...]) -> Any:
        flat = shape.flat(index)
        return given[flat] if flat < len(given) else POISON

    return start
