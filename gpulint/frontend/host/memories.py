"""Which memory a value that is not followed exactly may lie in.

A buffer has a name. `name*` stands for the value of that name, and whatever is an item or an attribute of
it: what a subscript that is not constant, a loop or `max` takes out of a collection lies somewhere there.
`name*.x` is the attribute `x` of such a value, and `name*.x*` whatever lies in that.
Sound in this direction: values that may be one array have memories that `meet`, as long as what comes in
from outside under different names (parameters, attributes, constant items, results of calls that are not
followed) is distinct, which is the assumption `distinct-arrays`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import Arr, Map, Seq, Unknown, Value

ANY_PART = "*"
MAX_NESTED = 4  # collections within collections that are looked into

# Functions and methods that give back what they are given, or a part of it.
CHOOSING = frozenset({"builtins", "collections", "copy", "functools", "itertools", "operator", "random"})
TAKING = frozenset({"get", "pop", "popitem", "popleft", "setdefault", "values", "items", "__getitem__"})


def within(v: Value | None, nested: int = 0) -> tuple[str, ...]:
    """The memories of a value and of all that can be taken out of it."""
    if isinstance(v, Arr):
        return v.memories
    if isinstance(v, Unknown) and v.kind in ("", "array", "object"):
        return (v.name + ANY_PART, *v.sharing)
    if nested >= MAX_NESTED or not isinstance(v, (Seq, Map)):
        return ()
    items = v.items if isinstance(v, Seq) else [item for _, item in v.items]
    return tuple(dict.fromkeys(b for item in items for b in within(item, nested + 1)))


def among(v: Value, *sources: Value | None) -> Value:
    """A value that may be any array in these."""
    if not isinstance(v, Unknown) or v.kind not in ("", "array", "object"):
        return v
    found = dict.fromkeys(v.sharing)
    for source in sources:
        found.update(dict.fromkeys(within(source)))
    return v if len(found) == len(v.sharing) else replace(v, sharing=tuple(found))


def mentioned(s: State, v: Value, node: ast.AST) -> Value:
    """A value that may be any array that the expression names."""
    if not isinstance(v, Unknown):
        return v
    names = {n.id: None for n in ast.walk(node) if isinstance(n, ast.Name) and n.id in s.env}
    found = [s.env[name] for name in names]
    cells = [c for f in found if isinstance(f, (Seq, Map)) for c in f.cells if c in s.cells]
    return among(v, *found, *(s.cells[c] for c in cells))


def meet(a: Iterable[str], b: Iterable[str]) -> bool:
    """Whether some memory of one may be some of the other."""
    first, second = frozenset(a), frozenset(b)
    if not first.isdisjoint(second):
        return True
    return any(_row(x, y) or _row(y, x) or _may_be(x, y) for x in first for y in second)


def _row(x: str, y: str) -> bool:
    """Whether one is an item of the other, which as an array has it as a row."""
    return y.startswith(x + "[")


def _may_be(x: str, y: str) -> bool:
    """Whether two patterns may be one name: what stands before the first `*` and after the last one fits.

    Of two plain names only equal ones are one.
    """
    if ANY_PART not in x + y:
        return False
    roots, ends = (x.partition(ANY_PART)[0], y.partition(ANY_PART)[0]), (_last(x), _last(y))
    if not (roots[0] == roots[1] or _in(roots[1], roots[0], x) or _in(roots[0], roots[1], y)):
        return False
    first, second = ends
    return first is None or second is None or first.endswith(second) or second.endswith(first)


def _last(pattern: str) -> str | None:
    """What a pattern ends with, less items of that; None for one that is open at its end."""
    end = pattern.rpartition(ANY_PART)[2]
    while end.endswith("]") and "[" in end:
        end = end.rpartition("[")[0]
    return end or None


def _in(name: str, root: str, pattern: str) -> bool:
    """Whether a name lies within the root of a pattern, where that is open for parts."""
    return ANY_PART in pattern and name.startswith((root + "[", root + "."))
