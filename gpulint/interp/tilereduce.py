"""Reductions, products and sorts of tiles: which elements of the result are undefined.

Their values are not computed; an element that depends on an undefined lane is undefined itself.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from gpulint.interp import tilevalues as tv
from gpulint.interp.tilevalues import Tile, Undefined, Value
from gpulint.interp.values import POISON
from gpulint.ir import nodes as n


def combined(e: n.Opaque, given: list[Value]) -> Value:
    """The value of a fresh tile value of which some operand is undefined somewhere."""
    parts = []
    for i, value in enumerate(given):
        follows = e.follows[i] if i < len(e.follows) else ()
        parts.append(_part(e, value, follows) if isinstance(value, Tile) else _mark(e, value))
    return tv.each(_first, *parts, lenient=True)


def _first(*given: Any) -> Any:
    return tv.depends(given) or POISON


def _mark(e: n.Opaque, value: Any) -> Any:
    return value.combined(e.span, e.name) if value.__class__ is Undefined else POISON


def _part(e: n.Opaque, value: Tile, follows: tuple[int, ...]) -> Value:
    """What one operand makes undefined, over the axes of the result that it is taken along."""
    to = [follows[axis] if axis < len(follows) else n.EVERY for axis in value.axes]
    sizes = {_axis(t): size for t, size in zip(to, value.shape, strict=True) if t != n.EVERY}
    axes = sorted(sizes)
    found: dict[tuple[int, ...], Undefined] = {}
    lanes = itertools.product(*(range(size) for size in value.shape))
    for at, element in zip(lanes, value.data, strict=True):
        if element.__class__ is Undefined:
            for key in _keys(axes, to, at, sizes):
                mark = element.combined(e.span, e.name)
                found[key] = tv.depends((found[key], mark)) or mark if key in found else mark
    if not axes:
        return next(iter(found.values()), POISON)
    every = itertools.product(*(range(sizes[a]) for a in axes))
    data = [found.get(key, POISON) for key in every]
    return Tile.of(tuple(axes), tuple(sizes[a] for a in axes), data)


def _axis(to: int) -> int:
    return to if to >= 0 else n.upto(to)


def _keys(
    axes: list[int], to: list[int], at: tuple[int, ...], sizes: dict[int, int]
) -> Iterator[tuple[int, ...]]:
    """The elements of the result that depend on one element of an operand."""
    place: dict[int, range] = {}
    for t, i in zip(to, at, strict=True):
        if t != n.EVERY:
            place[_axis(t)] = range(i, i + 1 if t >= 0 else sizes[_axis(t)])
    return itertools.product(*(place[a] for a in axes))
