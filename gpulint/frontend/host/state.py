"""The state of one path through host code, and what is left when paths meet."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from gpulint.frontend.host.layout import contiguous_literal, layout_of, products, ranked, strides_of
from gpulint.frontend.host.values import (
    NONE,
    Arr,
    Choice,
    Class,
    Cond,
    Config,
    Configured,
    Const,
    Dotted,
    DType,
    Function,
    Kernel,
    Map,
    Num,
    Ratio,
    Seq,
    Unknown,
    Value,
    as_array,
    as_int,
    memories,
)
from gpulint.ir.types import UNKNOWN
from gpulint.term import FALSE, TRUE, Bool, Int, Junction, and_, bool_sym, conjuncts, eq, not_, or_, select

MAX_FACTS = 200
MAX_PARTS = 8  # of a fact that only holds on one of the paths
MAX_CHOICES = 8
Named = Callable[[str, str], Unknown]  # (name, why) -> a new unknown


@dataclass
class State:
    """Locals, attributes of objects (`self.n`), what was written to buffers, and path facts.

    `touched`: whether an allocation has values by now; `changed`: memory that was written since it was made.

    `cells`: what lists and dictionaries hold by now, `moved` those that were changed in place (`cells`).

    `defs` remembers the expression that last gave a name its value, for source ranges.
    """

    env: dict[str, Value] = field(default_factory=dict)
    heap: dict[str, Value] = field(default_factory=dict)
    touched: dict[str, bool | None] = field(default_factory=dict)
    changed: frozenset[str] = frozenset()
    facts: tuple[Bool, ...] = ()
    defs: dict[str, ast.expr] = field(default_factory=dict)
    dead: bool = False
    cells: dict[str, Value] = field(default_factory=dict)
    moved: frozenset[str] = frozenset()

    def copy(self) -> State:
        return State(
            dict(self.env),
            dict(self.heap),
            dict(self.touched),
            self.changed,
            self.facts,
            dict(self.defs),
            self.dead,
            dict(self.cells),
            self.moved,
        )

    def assume(self, cond: Bool) -> State:
        """This path with one more fact; dead when the fact contradicts what is known."""
        known = set(self.facts)
        for part in conjuncts(cond):
            if part == FALSE or not_(part) in known:
                self.dead = True
            elif part not in known and len(self.facts) < MAX_FACTS:
                self.facts = (*self.facts, part)
        return self


def merge(cond: Bool | None, a: State, b: State, named: Named) -> State:
    """Where two paths meet; `a` was taken under `cond`, `b` otherwise (None: nobody knows)."""
    out = State(changed=a.changed | b.changed, facts=_common(cond, a, b), moved=a.moved | b.moved)
    out.env = _merge_maps(cond, *_ranked(a, b), named)
    out.heap = _merge_maps(cond, a.heap, b.heap, named)
    for cell, held in _merge_maps(cond, a.cells, b.cells, named).items():
        out.cells[cell] = replace(held, cells=(cell,)) if isinstance(held, (Seq, Map)) else held
    for buffer in {**a.touched, **b.touched}:
        left, right = a.touched.get(buffer, ...), b.touched.get(buffer, ...)
        out.touched[buffer] = left if left == right and isinstance(left, bool) else None
    out.defs = {k: v for k, v in a.defs.items() if b.defs.get(k) is v}
    return out


def _ranked(a: State, b: State) -> tuple[dict[str, Value], dict[str, Value]]:
    """The locals of both, with what each path tells of arrays that differ."""
    left, right = dict(a.env), dict(b.env)
    for name in left.keys() & right.keys():
        x, y = left[name], right[name]
        if x != y and isinstance(x, (Arr, Unknown)) and isinstance(y, (Arr, Unknown)):
            left[name], right[name] = ranked(a.facts, x), ranked(b.facts, y)
    return left, right


def _common(cond: Bool | None, a: State, b: State) -> tuple[Bool, ...]:
    left, right = set(a.facts), set(b.facts)
    facts = [f for f in a.facts if f in right]
    if cond is not None:
        rest = [f for f in a.facts if f not in right and f != cond][:4]
        facts += [or_(not_(cond), f) for f in rest]
        rest = [f for f in b.facts if f not in left and f != not_(cond)][:4]
        facts += [or_(cond, f) for f in rest]
    return tuple(f for f in facts if f != TRUE and not (isinstance(f, Junction) and len(f.args) > MAX_PARTS))


def _merge_maps(
    cond: Bool | None, a: dict[str, Value], b: dict[str, Value], named: Named
) -> dict[str, Value]:
    out: dict[str, Value] = {}
    for name in (*a, *(n for n in b if n not in a)):
        if name not in a or name not in b:
            out[name] = a[name] if name in a else b[name]
        else:
            out[name] = merge_values(cond, a[name], b[name], name, named)
    return out


def merge_values(cond: Bool | None, a: Value, b: Value, name: str, named: Named) -> Value:
    """The one value that stands for both; a new unknown when there is none."""
    if a == b:
        return a
    if isinstance(a, Seq) and isinstance(b, Seq) and any(isinstance(v, Config) for v in (*a.items, *b.items)):
        return Seq((*a.items, *b.items))
    if isinstance(a, Seq) and isinstance(b, Seq) and len(a.items) == len(b.items):
        pairs = zip(a.items, b.items, strict=False)
        items = tuple(merge_values(cond, x, y, f"{name}[{i}]", named) for i, (x, y) in enumerate(pairs))
        return Seq(items, _either(a, b))
    if isinstance(a, Map) and isinstance(b, Map) and a.items == b.items:
        return Map(a.items, _either(a, b))
    if _callable(a) and _callable(b):
        chosen = _choice(cond, a, b)
        if chosen is not None:
            return chosen
    if cond is not None and not isinstance(a, Arr) and not isinstance(b, Arr):
        if isinstance(a, Cond) and isinstance(b, Cond):
            return Cond(or_(and_(cond, a.term), and_(not_(cond), b.term)))
        merged = _numbers(cond, a, b)
        if merged is not None:
            return merged
    if isinstance(a, Arr) or isinstance(b, Arr):
        if NONE in (a, b):
            return _maybe(cond, a, b, name, named)
        x, y = as_array(a), as_array(b)
        if x is not None and y is not None:
            return _arrays(cond, x, y, name, named)
    if _floaty(a, b) or _floaty(b, a):
        return replace(named(name, ""), kind="float")
    if _wordy(a) and _wordy(b):
        return replace(named(name, ""), kind="text")
    return replace(named(name, f"`{name}` has several values here"), sharing=memories(a, b))


def _either(a: Seq | Map, b: Seq | Map) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*a.cells, *b.cells)))


def _floaty(a: Value, b: Value) -> bool:
    """A float, and another number or an input."""
    known = isinstance(a, Const) and isinstance(a.value, float)
    if not known and not isinstance(a, Ratio) and not (isinstance(a, Unknown) and a.kind == "float"):
        return False
    if isinstance(b, Unknown):
        return b.free and b.kind in ("", "float")
    return isinstance(b, (Num, Ratio)) or (isinstance(b, Const) and isinstance(b.value, float))


def _wordy(v: Value) -> bool:
    """A string or a type that is known, or an input of that kind: which of them it is, is as free as that."""
    if isinstance(v, Const):
        return isinstance(v.value, str)
    return isinstance(v, (DType, Dotted)) or (isinstance(v, Unknown) and v.kind == "text" and v.free)


def _callable(v: Value) -> bool:
    return v == NONE or isinstance(v, (Kernel, Configured, Choice, Function, Class))


def _choice(cond: Bool | None, a: Value, b: Value) -> Value | None:
    yes = cond if cond is not None else TRUE
    no = not_(cond) if cond is not None else TRUE
    options: list[tuple[Bool, Value]] = []
    for guard, v in ((yes, a), (no, b)):
        inner = v.options if isinstance(v, Choice) else ((TRUE, v),)
        options += [(and_(guard, c), x) for c, x in inner]
    return Choice(tuple(options)) if len(options) <= MAX_CHOICES else None


def _numbers(cond: Bool, a: Value, b: Value) -> Value | None:
    """Integers, one of which at least is known to be one."""
    if not any(isinstance(v, Num) or (isinstance(v, Unknown) and v.kind == "int") for v in (a, b)):
        return None
    x, y = as_int(a), as_int(b)
    if x is None or y is None:
        return None
    same = isinstance(a, Num) and isinstance(b, Num) and a.type == b.type
    return Num(select(cond, x, y), a.type if same and isinstance(a, Num) else UNKNOWN)


def _maybe(cond: Bool | None, a: Value, b: Value, name: str, named: Named) -> Value:
    """An array on one path, None on the other."""
    array, missing = (b, cond) if a == NONE else (a, None if cond is None else not_(cond))
    assert isinstance(array, Arr)
    if missing is None:
        missing = bool_sym(named(f"{name} is None", "").name)
    return replace(array, none=or_(missing, array.none))


def _pick(cond: Bool | None, p: Int, q: Int) -> Int | None:
    """`p if cond else q`, which is `p` when q equals p wherever the condition does not hold."""
    if p == q:
        return p
    if cond is None:
        return None
    if eq(p, q) in conjuncts(not_(cond)):
        return p
    return q if eq(p, q) in conjuncts(cond) else select(cond, p, q)


def _lie(cond: Bool | None, x: Arr, y: Arr, name: str, named: Named) -> dict[str, Any]:
    """How the array that is one of two lies in memory."""
    if x.contiguous is None and cond == contiguous_literal(x):
        x = replace(x, contiguous=True)
    if y.contiguous is None and cond is not None and not_(cond) == contiguous_literal(y):
        y = replace(y, contiguous=True)
    if x.contiguous and y.contiguous:
        return {"contiguous": True, "strides": None, "layout": "", "dense": True}
    if layout_of(x) == layout_of(y) and x.strides == y.strides and x.contiguous == y.contiguous:
        return {}
    new: dict[str, Any] = {"contiguous": None, "strides": None, "dense": x.dense and y.dense}
    if x.shape is None or y.shape is None or len(x.shape) != len(y.shape):
        return {**new, "layout": named(f"{name} (either)", "").name}
    old = zip(strides_of((), x) or (), strides_of((), y) or (), strict=True)
    picked = [_pick(cond, p, q) for p, q in old]
    layout = named(f"{name} (either)", "").name
    if any(p is None for p in picked):
        return {**new, "layout": layout}
    strides = tuple(p for p in picked if p is not None)
    if x.shape == y.shape and strides == products(x.shape):
        return {"contiguous": True, "strides": None, "layout": "", "dense": True}
    return {**new, "layout": layout, "strides": strides}


def agreed(x: Arr, y: Arr) -> Arr:
    """The array with what is said of the elements of both."""
    return replace(
        x, injective=x.injective if x.injective == y.injective else None,
        sorted=x.sorted if x.sorted == y.sorted else None, low=x.low if x.low == y.low else None,
        high=x.high if x.high == y.high else None,
    )  # fmt: skip


def _arrays(cond: Bool | None, x: Arr, y: Arr, name: str, named: Named) -> Value:
    none = or_(and_(cond, x.none), and_(not_(cond), y.none)) if cond is not None else or_(x.none, y.none)
    lie = _lie(cond, x, y, name, named)
    known = replace(
        x, name=name, fresh=x.fresh and y.fresh and x.buffer == y.buffer, whole=x.whole and y.whole,
        initialised=x.initialised if x.initialised == y.initialised else None,
        contiguous=x.contiguous if x.contiguous == y.contiguous else None,
        dtype=x.dtype if x.dtype == y.dtype else "", device=x.device and y.device, none=none,
        values=x.values if x.values == y.values else named(f"{name} (either)", "").name,
    )  # fmt: skip
    known = replace(agreed(known, y), **lie)
    if x.buffer != y.buffer:
        known = replace(known, buffer=named(f"{name} (either)", "").name, sharing=memories(x, y))
    if x.shape == y.shape and (x.shape is not None or x.shape_of == y.shape_of):
        return known
    rank = len(x.shape) if x.shape is not None else len(y.shape) if y.shape is not None else None
    both = x.shape is None or y.shape is None or len(x.shape) == len(y.shape)
    if rank is None or not both or cond is None:
        other = named(name, f"`{name}` has several shapes here").name
        return replace(known, name=other, shape=None, shape_of=other)
    shape = tuple(select(cond, x.extent(k), y.extent(k)) for k in range(rank))
    return replace(known, shape=shape, shape_of="")
