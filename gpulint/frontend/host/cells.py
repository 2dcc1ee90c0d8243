"""Lists and dictionaries change in place, under whatever name they are reached.

Each that is made has a cell. A value carries the cells that it may be (`Seq.cells`), `State.cells` what each
cell holds by now, and every evaluation gives that (`content`). What an object is that is not followed gets
another name at each change, so that items read before and after are not taken as equal.
Sound in this direction: a change that is seen through one name is seen through all, and code that is not
followed may have changed whatever it could reach.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from gpulint.frontend.host.machine import Machine, shorten, text_of
from gpulint.frontend.host.memories import among, within
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import Map, Seq, Unknown, Value

MAKING = (ast.List, ast.Dict, ast.ListComp, ast.DictComp, ast.Call, ast.BinOp, ast.Subscript)
GROWING = frozenset({"append", "extend", "insert", "pop", "remove", "clear", "sort", "reverse"})
CHANGING = GROWING | {"update", "setdefault", "popitem", "add", "discard", "appendleft", "popleft"}
# Methods that leave what they are called on as it was: of dictionaries and lists, of PyTorch's ctx.
READING = frozenset(
    {
        "items", "keys", "values", "copy", "get", "index", "count", "save_for_backward", "save_for_forward",
        "mark_dirty", "mark_non_differentiable", "set_materialize_grads",
    }
)  # fmt: skip
# Libraries whose functions leave the lists that they are given alone.
LEAVING = frozenset(
    {
        "builtins", "numpy", "cupy", "torch", "math", "numba", "triton", "time", "os", "sys", "itertools",
        "functools", "operator", "logging", "warnings", "typing", "dataclasses", "collections", "pytest",
    }
)  # fmt: skip
MAX_NESTED = 4
MARK = "@"
CHANGED = "(changed)"  # in the name of what code that is not followed may have changed: no input


def is_cell(key: str) -> bool:
    """Whether the key is a list or dictionary that was made here, and not an object that is not followed."""
    return key.startswith(MARK)


def covers(old: Value, new: Value) -> bool:
    """Whether an unknown content stands for this one as well, as far as arrays in it go."""
    if not isinstance(old, Unknown):
        return False
    return set(new.sharing if isinstance(new, Unknown) else within(new)) <= set(within(old))


def made(m: Machine, s: State, v: Value, node: ast.expr) -> Value:
    """A value that an expression makes: a list or dictionary gets a cell of its own."""
    if not isinstance(v, (Seq, Map)) or v.cells or not isinstance(node, MAKING):
        return v
    m.made += 1
    cell = f"{MARK}{m.made} {shorten(text_of(node))}"
    s.cells[cell] = out = replace(v, cells=(cell,))
    return out


def content(m: Machine, s: State, v: Value) -> Value:
    """What a list or dictionary holds now; something unknown where it is one of several that changed."""
    if not isinstance(v, (Seq, Map)) or not v.cells:
        return v
    if len(v.cells) == 1:
        return s.cells.get(v.cells[0], v)
    if s.moved.isdisjoint(v.cells):
        return v
    return among(m.opaque(v.cells[0], "may be one of several lists that change"), v, *_held(s, v))


def _held(s: State, v: Seq | Map) -> list[Value]:
    return [s.cells[c] for c in v.cells if c in s.cells] or [v]


def put(s: State, owner: Seq | Map, new: Value) -> bool:
    """Changes what the list or dictionary holds; False for one that has no cell."""
    if len(owner.cells) == 1:
        s.cells[owner.cells[0]] = replace(new, cells=owner.cells) if isinstance(new, (Seq, Map)) else new
        s.moved |= set(owner.cells)
    else:
        for cell in owner.cells:
            _lose(s, cell, new)
    return bool(owner.cells)


def stored(s: State, owner: Unknown, value: Value) -> None:
    """An item of something that is not followed is set: an item that is read later is another one.

    An input of the function is no list that the function made; anything else may be any of these.
    """
    s.cells[owner.name] = _renewed(s.cells.get(owner.name, owner), value)
    if not owner.free:
        for cell in list(s.cells):
            _lose(s, cell, value)


def lost(s: State, v: Value) -> None:
    """Code that is not followed may have changed the lists that it can reach, and attributes."""
    for cell in dict.fromkeys(_reached(s, v)):
        _lose(s, cell)
    if isinstance(v, Unknown):
        s.cells[f"{v.name}."] = _renewed(attributes(s, v))
        for key in [k for k in s.heap if k.startswith(f"{v.name}.")]:
            s.heap[key] = _renewed(s.heap[key])


def attributes(s: State, v: Unknown) -> Unknown:
    """The object under the name that its attributes go by now."""
    now = s.cells.get(f"{v.name}.", v)
    return now if isinstance(now, Unknown) else v


def _lose(s: State, cell: str, *more: Value) -> None:
    known = s.cells.get(cell)
    s.cells[cell] = among(_renewed(known if known is not None else Unknown(cell)), *more)
    s.moved |= {cell}


def _renewed(v: Value, *more: Value) -> Value:
    """An unknown under a name of its own, which may be any array that the value held."""
    base = v.name if isinstance(v, Unknown) else " ".join(v.cells) if isinstance(v, (Seq, Map)) else ""
    name = f"{base}'" if base.endswith((CHANGED, "'")) else f"{base} {CHANGED}"
    return among(Unknown(name, kind=v.kind if isinstance(v, Unknown) else ""), v, *more)


def _reached(s: State, v: Value, nested: int = 0) -> Iterator[str]:
    if not isinstance(v, (Seq, Map)) or nested > MAX_NESTED:
        return
    yield from v.cells
    for held in _held(s, v):
        items = held.items if isinstance(held, (Seq, Map)) else ()
        for item in items:
            yield from _reached(s, item[1] if isinstance(item, tuple) else item, nested + 1)


def lost_all(s: State) -> None:
    """Any list or dictionary may have changed."""
    for cell in list(s.cells):
        _lose(s, cell)


def changes(top: ast.AST) -> frozenset[str]:
    """The names and attributes whose list or dictionary the code changes by syntax: `x[k] = v`, `x.pop()`."""
    out: set[str] = set()
    for n in ast.walk(top):
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, (ast.Store, ast.Del)):
            out.add(_base(n.value))
        elif isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in CHANGING:
            out.add(_base(n.func.value))
        elif isinstance(n, ast.AugAssign):
            out.add(_base(n.target))
    return frozenset(out - {""})


def _base(expr: ast.expr) -> str:
    while isinstance(expr, ast.Subscript):
        expr = expr.value
    return expr.id if isinstance(expr, ast.Name) else expr.attr if isinstance(expr, ast.Attribute) else ""
