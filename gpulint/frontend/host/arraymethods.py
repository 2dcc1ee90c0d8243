"""Methods of arrays: copies, other arrangements of the same buffer, writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from gpulint.frontend.host.access import flag, transposed
from gpulint.frontend.host.arrays import Keywords, copy, dtype_value
from gpulint.frontend.host.elements import touch, unsaid
from gpulint.frontend.host.layout import is_contiguous
from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.state import State
from gpulint.frontend.host.tensors import bound
from gpulint.frontend.host.values import (
    NONE,
    TRUE_VALUE,
    Arr,
    Const,
    Dotted,
    DType,
    Num,
    Seq,
    ShapeOf,
    Value,
    as_array,
    as_int,
    maybe_copy,
    view,
)
from gpulint.term import Int, const, floordiv, mul


def method(
    m: Machine, s: State, owner: Value, name: str, args: Sequence[Value], kw: Keywords, text: str
) -> Value | None:
    """`owner.name(...)` of an array; None when it is no method that is understood."""
    a = as_array(owner)
    if a is None:
        return None
    if name in ("copy", "clone", "astype", "copy_to_host", "get", "flatten", "to", "cuda", "cpu", "numpy"):
        return _copied(m, s, a, name, args, kw, text)
    if name in ("fill", "fill_", "zero_", "copy_to_device", "set", "copy_"):
        touch(s, a)
        s.touched[a.buffer] = True if a.whole else None
        return a if name.endswith("_") else NONE
    if name in ("reshape", "view", "ravel", "squeeze", "contiguous", "detach"):
        return _rearranged(m, s, a, name, args, text)
    if name == "transpose" or name == "t":
        return transposed(m, a, text) if not args else _loose(m, a, text)
    if name in ("numel", "dim"):
        return Num(a.size if name == "numel" else a.ndim)
    if name == "is_contiguous":
        return flag(m, a, "c_contiguous")
    if name in ("min", "max") and not args and not kw:
        return bound(m, s, a, name, text)
    if name == "item":
        return m.opaque(text, "is data")
    return None


def _copied(m: Machine, s: State, a: Arr, name: str, args: Sequence[Value], kw: Keywords, text: str) -> Value:
    if name == "copy_to_host":
        target = as_array(kw.get("ary", args[0] if args else None))
        if target is not None:
            touch(s, target)
            s.touched[target.buffer] = True if target.whole else None
            return unsaid(target)
    dtype = dtype_value(args[0]) if args and name in ("astype", "to") else ""
    made = copy(m, s, a, text, dtype)
    itself = name == "astype" and kw.get("copy", TRUE_VALUE) != TRUE_VALUE
    if itself or name in ("to", "cuda", "cpu", "numpy"):  # the array itself where it is as wanted already
        made = replace(made, fresh=False, sharing=a.memories)
    if name == "flatten":
        return replace(made, shape=(a.size,), contiguous=True)
    return made


def _rearranged(m: Machine, s: State, a: Arr, name: str, args: Sequence[Value], text: str) -> Value:
    """The same elements in another shape: the same buffer where the layout allows it, else a copy.

    Numba's device arrays are never copied: those that are not contiguous are refused.
    """
    own = a
    if not (a.contiguous or a.device or is_contiguous(s.facts, a)):
        own = maybe_copy(a, m.namer.unique(f"{text}@"))
    if name in ("contiguous", "detach") or (name == "view" and not args):
        return own if name == "contiguous" else a
    if name == "view" and isinstance(args[0], (DType, Dotted, Const)):
        if isinstance(args[0], DType) and a.dtype and args[0].name == a.dtype:
            return a
        return _loose(m, a, text)
    if name == "ravel":
        return replace(own, name=text, shape=(a.size,), shape_of="", contiguous=True)
    if name == "squeeze":
        return _loose(m, a, text)
    parts = args[0].items if len(args) == 1 and isinstance(args[0], Seq) else tuple(args)
    if len(args) == 1 and isinstance(args[0], ShapeOf):
        of = args[0].array.shape_of or args[0].array.name
        return replace(own, name=text, shape=None, shape_of=of)
    terms = [as_int(p) for p in parts]
    if not terms or any(t is None for t in terms):
        return _loose(m, a, text)
    return replace(own, name=text, shape=_inferred(a, [t for t in terms if t is not None]), shape_of="")


def _inferred(a: Arr, terms: list[Int]) -> tuple[Int, ...]:
    """The shape with `-1` replaced by what is left of the size."""
    rest = const(1)
    for t in terms:
        if t.value != -1:
            rest = mul(rest, t)
    return tuple(floordiv(a.size, rest) if t.value == -1 else t for t in terms)


def _loose(m: Machine, a: Arr, text: str) -> Arr:
    return view(a, None, m.opaque(text).name, whole=True)
