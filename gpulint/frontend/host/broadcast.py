"""Operations on each element of arrays."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from gpulint.frontend.host.values import Arr, Unknown, Value
from gpulint.term import Int, const

if TYPE_CHECKING:
    from gpulint.frontend.host.machine import Machine


def elementwise(m: Machine, operands: tuple[Value, ...], text: str) -> Value:
    """A new array of the broadcast shape."""
    arrays = [v for v in operands if isinstance(v, Arr)]
    shapes = {(a.shape, a.shape_of if a.shape is None else "") for a in arrays}
    others = [v for v in operands if not isinstance(v, Arr)]
    buffer = m.namer.unique(f"{text}@")
    if any(isinstance(v, Unknown) and v.kind != "int" for v in others):
        return replace(new_unknown(m, text), buffer=buffer, fresh=True, initialised=True)
    shape = _broadcast([a.shape for a in arrays]) if all(a.shape is not None for a in arrays) else None
    if shape is None and len(shapes) > 1:
        return replace(new_unknown(m, text), buffer=buffer, fresh=True, initialised=True)
    of = arrays[0].shape_of
    made = Arr(text, shape, buffer, of, True, True, True, arrays[0].contiguous, "", layout=buffer)
    return replace(made, dense=True, values=buffer)


def new_unknown(m: Machine, text: str) -> Arr:
    name = m.opaque(text).name
    return Arr(name, None, name, name)


def _broadcast(shapes: list[tuple[Int, ...] | None]) -> tuple[Int, ...] | None:
    known = [s for s in shapes if s is not None]
    rank = max(len(s) for s in known)
    out = []
    for axis in range(-rank, 0):
        parts = {s[axis] for s in known if -axis <= len(s)}
        wide = {p for p in parts if p.value != 1}
        if len(wide) > 1:
            return None
        out.append(next(iter(wide)) if wide else const(1))
    return tuple(out)
