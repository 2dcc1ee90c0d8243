"""What is known of the elements of arrays, and how long it holds.

Bounds, distinctness and order of the elements are part of an array's abstract value. They hold until
something writes to its memory: a store, an in-place method, a kernel that stores through it, code that is
not followed. `State.changed` remembers such memory for the rest of the path; every evaluation gives an
array that may lie there without the facts (`current`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from gpulint.frontend.host.machine import Machine
from gpulint.frontend.host.memories import meet
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import NONE, Arr, Map, Seq, Value, as_array, as_int
from gpulint.source.dtypes import RANGES
from gpulint.term import const

EVERYTHING = "*"  # in `State.changed`: paths were joined without following what they write


def touch(s: State, a: Arr) -> None:
    """The elements change in place: what was known of them is so no longer."""
    s.changed |= set(a.memories)


def changed(s: State, a: Arr) -> bool:
    return bool(s.changed) and (EVERYTHING in s.changed or meet(s.changed, a.memories))


def current(m: Machine, s: State, v: Value) -> Value:
    """The value with nothing said of elements that something may have written since."""
    return rewritten(m, v) if isinstance(v, Arr) and changed(s, v) else v


def rewritten(m: Machine, a: Arr) -> Arr:
    """The array with other elements than it had: those that conditions spoke of are not meant any more."""
    return replace(unsaid(a), values=m.namer.unique(f"{a.values or a.name} (rewritten)"))


def unsaid(a: Arr) -> Arr:
    return replace(a, low=None, high=None, injective=None, sorted=None)


def lasting(v: Value) -> Value:
    """A value that outlives the path which made it: nothing is said of its elements."""
    if isinstance(v, Seq):
        return Seq(tuple(lasting(x) for x in v.items))
    if isinstance(v, Map):
        return Map(tuple((k, lasting(x)) for k, x in v.items))
    return unsaid(v) if isinstance(v, Arr) else v


def constant(v: Value, number: int) -> Value:
    """An array of one number."""
    return replace(v, low=const(number), high=const(number)) if isinstance(v, Arr) else v


def full(v: Value, name: str, args: Sequence[Value], kw: Mapping[str, Value]) -> Value:
    """An array that `full(shape, number)` made, if that is its name, of a number that its elements hold."""
    term = as_int(kw.get("fill_value", args[1] if len(args) > 1 else NONE)) if name == "full" else None
    number = term.value if term is not None else None
    low, high = RANGES.get(v.dtype or "", (number, number)) if isinstance(v, Arr) else (None, None)
    fits = number is not None and low is not None and high is not None and low <= number <= high
    return constant(v, number) if fits and number is not None else v


def exposed(s: State, v: Value) -> None:
    """Code that is not followed, or a kernel, may write to what it is given."""
    for item in v.items if isinstance(v, Seq) else (v,):
        a = as_array(item)
        if a is not None:
            touch(s, a)
            if s.touched.get(a.buffer, a.initialised) is False:
                s.touched[a.buffer] = None
