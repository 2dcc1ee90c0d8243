"""What the uses of a name in a function say of it: array and rank, record, integer.

A flow-insensitive pass over the syntax, used where no signature gives a type. Names are dotted paths
(`p.xs` for a field). It only chooses representations: a rank that no use fixes stays open.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from gpulint.frontend.numba.calleefacts import Callees
from gpulint.frontend.numba.facts import Facts
from gpulint.frontend.numba.syntax import (
    ARITHMETIC,
    ARRAY_ATTRIBUTES,
    SCALAR_ATTRIBUTES,
    added,
    called,
    coordinate,
    counts,
    path_of,
    tuple_length,
)
from gpulint.source.model import FunctionNode, Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.world import World


class Inference:
    """Facts of functions, remembered; a function that reaches itself has none within itself."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._done: dict[FunctionNode, Facts] = {}

    def facts(self, function: FunctionNode, scope: Scope, tuples: Mapping[str, int]) -> Facts:
        if tuples:
            return _Reader(self.world, scope, tuples).run(function)
        found = self._done.get(function)
        if found is None:
            self._done[function] = Facts()
            found = _Reader(self.world, scope, tuples).run(function)
            self._done[function] = found
        return found


class _Reader(Callees):
    def __init__(self, world: World, scope: Scope, tuples: Mapping[str, int]) -> None:
        super().__init__(world, scope)
        self.tuples: dict[str, int] = {}  # lengths of names that hold tuples
        self.spread: set[str] = set()
        for name, length in tuples.items():
            self.spread.add(name)
            self.fact(name).items = min(length, 64)

    def run(self, function: FunctionNode) -> Facts:
        if function.args.vararg is not None:
            self.spread.add(function.args.vararg.arg)
        body: list[ast.AST] = [function.body] if isinstance(function, ast.Lambda) else list(function.body)
        nodes = [node for part in body for node in ast.walk(part)]
        self.find_tuples(function, nodes)
        for node in nodes:
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                self.tuple_length(node.targets[0], node.value)
        for node in nodes:
            handler = _READERS.get(type(node))
            if handler is not None:
                handler(self, node)
        self.settle()
        self.find_points(function, nodes)
        self.facts.result = self.result(function)
        return self.facts

    def find_tuples(self, function: FunctionNode, nodes: list[ast.AST]) -> None:
        """Parameters that are unpacked, or whose items have shapes, are tuples: no array can be unpacked."""
        names = {a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
        self.mixed(names, nodes)
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Tuple, ast.List)):
                self.tuple_parameter(node.value, names)
            elif isinstance(node, ast.Attribute) and node.attr in _OF_ARRAYS:
                item = node.value
                if isinstance(item, ast.Subscript) and isinstance(item.slice, ast.Constant):
                    self.tuple_parameter(item.value, names)

    def find_points(self, function: FunctionNode, nodes: list[ast.AST]) -> None:
        """Tuples that alone index a parameter, which has as many axes as the longest one has items."""
        names = {a.arg for a in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
        for node in nodes:
            base, index = None, None
            if isinstance(node, ast.Subscript):
                base, index = node.value, node.slice
            elif isinstance(node, ast.Call) and _atomic(node):
                base, index = node.args[0], node.args[1]
            if not isinstance(base, ast.Name) or not isinstance(index, ast.Name) or base.id not in names:
                continue
            if self.tuples.get(index.id, 0) == self.facts.get(base.id).ndim:
                self.facts.points.add(index.id)

    def mixed(self, names: set[str], nodes: list[ast.AST]) -> None:
        """Parameters of which one item is stored as a number and another has items of its own."""
        numbers: set[tuple[str, object]] = set()
        nested: set[tuple[str, object]] = set()
        for node in nodes:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
                numbers |= _const_item(node.value)
            elif isinstance(node, ast.Subscript):
                nested |= _const_item(node.value)
        deep = {name for name, _ in nested - numbers}
        self.spread.update(name for name, _ in numbers - nested if name in deep & names)

    def tuple_parameter(self, value: ast.expr, names: set[str]) -> None:
        if isinstance(value, ast.Name) and value.id in names:
            self.spread.add(value.id)

    def tuple_length(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            count = tuple_length(value)
            if count is not None:
                self.tuples[target.id] = max(count, self.tuples.get(target.id, 0))

    # --- uses

    def subscript(self, node: ast.Subscript) -> None:
        name, rank, _, records = self.chain(node)
        if name is not None:
            if records and rank == 0:
                self.fact(name).record = True
                self.stored_field(node)
            elif name.endswith("]") and rank == 0:
                self.fact(name)
            elif name not in self.tuples:
                f = self.fact(name)
                f.array, f.rank = True, max(f.rank, rank)
        index = node.slice
        for part in index.elts if isinstance(index, ast.Tuple) else (index,):
            for item in (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else (part,):
                if item is not None:
                    self.integers(item)

    def stored_field(self, node: ast.Subscript) -> None:
        """`record['x'] = value`."""
        name, field = path_of(node.value), node.slice
        text = field.value if isinstance(field, ast.Constant) else None
        if isinstance(node.ctx, ast.Store) and name is not None and isinstance(text, str):
            self.fact(name).fields.add(text)
            self.fact(f"{name}.{text}").stored = True

    def chain(self, node: ast.expr) -> tuple[str | None, int, int, bool]:
        """The name below chained subscripts, the rank they need, the axes they drop, and whether a field
        is named."""
        groups: list[tuple[int, int]] = []
        slices: list[ast.expr] = []
        records = False
        while isinstance(node, ast.Subscript):
            slices.append(node.slice)
            if isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, str):
                records = True
            else:
                groups.append(self.entries(node.slice))
            node = node.value
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Subscript):
                groups.clear()  # a[i].x[j]: the field's own subscripts say nothing of a
                node = node.value
        if slices and isinstance(node, ast.Name) and node.id in self.spread:
            name: str | None = node.id
            while slices and name is not None and name in self.spread:
                groups = groups[:-1]
                name = self.star_item(name, slices.pop())
        else:
            name = path_of(node)
        need = dropped = 0
        for entries, kept in reversed(groups):
            need = max(need, dropped + entries)
            dropped += entries - kept
        return name, need, dropped, records

    def star_item(self, name: str, index: ast.expr) -> str | None:
        """`args[0]` as a name of its own."""
        if not isinstance(index, ast.Constant) or not isinstance(index.value, int) or index.value < 0:
            return None
        self.fact(name).items = max(self.fact(name).items, min(index.value + 1, 64))
        return f"{name}[{index.value}]"

    def entries(self, index: ast.expr) -> tuple[int, int]:
        """How many axes an index covers, and how many of them it keeps."""
        parts = index.elts if isinstance(index, ast.Tuple) else [index]
        count = kept = 0
        for part in parts:
            if isinstance(part, ast.Constant) and (part.value is None or part.value is Ellipsis):
                continue
            kept += isinstance(part, ast.Slice)
            count += self.length(part)
        return count, kept

    def length(self, part: ast.expr) -> int:
        if isinstance(part, ast.Name) and part.id in self.tuples:
            return self.tuples[part.id]
        if isinstance(part, ast.BinOp) and isinstance(part.op, ast.Add):
            left, right = tuple_length(part.left), tuple_length(part.right)
            left = left if left is not None else self._named_length(part.left)
            right = right if right is not None else self._named_length(part.right)
            if left and right:
                return left + right
        found = tuple_length(part)
        return 1 if found is None else found

    def _named_length(self, node: ast.expr) -> int | None:
        return self.tuples.get(node.id) if isinstance(node, ast.Name) else None

    def attribute(self, node: ast.Attribute) -> None:
        base = node.value
        name = path_of(base)
        if isinstance(node.ctx, ast.Store) and name is not None:
            self.fact(f"{name}.{node.attr}").stored = True
        if name is None:
            root, _, _, records = self.chain(base)
            if (
                root
                and node.attr not in SCALAR_ATTRIBUTES
                and not (records and node.attr in ARRAY_ATTRIBUTES)
            ):
                self.fact(root).array = True
            return
        if node.attr in ARRAY_ATTRIBUTES:
            self.fact(name).array = True
        elif node.attr not in SCALAR_ATTRIBUTES:
            f = self.fact(name)
            f.record = True
            f.fields.add(node.attr)

    def shape_index(self, node: ast.Subscript) -> None:
        """`x.shape[k]` needs rank k + 1."""
        if isinstance(node.value, ast.Attribute) and node.value.attr in ("shape", "strides"):
            axis = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if isinstance(axis, int):
                self.array_use(node.value.value, axis + 1)
            return
        self.subscript(node)

    def assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.assigned(target, node.value)

    def assigned(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, (ast.Tuple, ast.List)):
            self.unpacked(target, value)
        elif isinstance(target, ast.Name):
            self.row(target.id, value)
            if counts(value) or (not added(value) and any(map(coordinate, ast.walk(value)))):
                self.fact(target.id).index = True
            self.flows.append((target.id, added(value)))

    def unpacked(self, target: ast.Tuple | ast.List, value: ast.expr) -> None:
        if counts(value):
            for t in target.elts:
                if isinstance(t, ast.Name):
                    self.fact(t.id).index = True
        elif isinstance(value, ast.Attribute) and value.attr == "shape":
            name, dropped = self.source(value.value)
            if name is not None and not any(isinstance(e, ast.Starred) for e in target.elts):
                f = self.fact(name)
                f.array, f.exact = True, dropped + len(target.elts)
        elif isinstance(value, ast.Name) and value.id in self.spread:
            self.fact(value.id).items = max(self.fact(value.id).items, len(target.elts))
            for i, t in enumerate(target.elts):
                if isinstance(t, ast.Name):
                    self.arrays_of.append((f"{value.id}[{i}]", t.id, 0))
        elif isinstance(value, (ast.Tuple, ast.List)) and len(value.elts) == len(target.elts):
            for t, v in zip(target.elts, value.elts, strict=False):
                self.assigned(t, v)

    def row(self, target: str, value: ast.expr) -> None:
        """`row = x[i]`: what row is, x has below the axes that the subscripts drop."""
        name, dropped = self.returned(value) if isinstance(value, ast.Call) else self.source(value)
        if name is not None:
            self.arrays_of.append((name, target, dropped))

    def source(self, value: ast.expr) -> tuple[str | None, int]:
        """The name that a value is a part of, and the axes that it lacks."""
        if isinstance(value, ast.Attribute) and value.attr in ("real", "imag"):
            return self.source(value.value)
        if not isinstance(value, ast.Subscript):
            return path_of(value), 0
        name, _, dropped, _ = self.chain(value)
        return name, dropped

    def annotated(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assigned(node.target, node.value)

    def augmented(self, node: ast.AugAssign) -> None:
        if isinstance(node.target, ast.Name) and isinstance(node.op, ARITHMETIC):
            self.flows.append((node.target.id, added(node.value)))

    def loop(self, node: ast.For) -> None:
        if isinstance(node.iter, ast.Call) and called(node.iter.func) in ("enumerate", "zip", "reversed"):
            for argument in node.iter.args:
                self.iterated(argument, None)
        else:
            self.iterated(node.iter, node.target)

    def iterated(self, node: ast.expr, target: ast.expr | None) -> None:
        name = path_of(node)
        if name is not None and name not in self.tuples:
            f = self.fact(name)
            f.array, f.rank = True, max(f.rank, 1)
            if isinstance(target, ast.Name):
                self.arrays_of.append((name, target.id, 1))

    def compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        self.compares.extend(itertools.pairwise(sides))
        if any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops):
            for side in sides:
                self.number(side)

    def operation(self, node: ast.BinOp) -> None:
        sides = (node.left, node.right)
        if isinstance(node.op, (ast.LShift, ast.RShift, ast.BitAnd, ast.BitOr, ast.BitXor)):
            for side in sides:
                if not isinstance(side, ast.Compare):
                    self.integers(side)
        elif any(isinstance(s, ast.Constant) and isinstance(s.value, float) for s in sides):
            self.floats.update(s.id for s in sides if isinstance(s, ast.Name))

    def call(self, node: ast.Call) -> None:
        text = called(node.func)
        if text == "range":
            for argument in node.args:
                self.integers(argument)
        elif text == "len" and len(node.args) == 1:
            name, dropped = self.source(node.args[0])
            if name is not None and name not in self.tuples:
                self.fact(name).array = True
                self.fact(name).rank = max(self.fact(name).rank, dropped + 1)
        elif text in _LIKE and node.args:
            self.array_use(node.args[0], 1)
        elif _atomic(node):
            self.atomic(node.args)
        elif text.startswith("xoroshiro128p_") and node.args:
            self.array_use(node.args[0], 1)
        elif text == "reshape":
            if isinstance(node.func, ast.Attribute):
                self.array_use(node.func.value, 1)
            lone = node.args[0] if len(node.args) == 1 else None  # a name alone may be a tuple
            for item in node.args if lone is None else getattr(lone, "elts", ()):
                self.integers(item)
        elif text not in _BUILTIN_CALLS:
            self.device_call(node)
        if text in _OF_NUMBERS:
            for argument in node.args:
                self.number(argument)

    def atomic(self, args: list[ast.expr]) -> None:
        self.array_use(args[0], self.length(args[1]) if len(args) > 2 else 1)
        for item in args[1].elts if isinstance(args[1], ast.Tuple) else (args[1],):
            self.integers(item)


def _const_item(node: ast.AST) -> set[tuple[str, object]]:
    """`x[0]` as a name and a constant."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return set()
    return {(node.value.id, node.slice.value)} if isinstance(node.value, ast.Name) else set()


def _atomic(node: ast.Call) -> bool:
    """Whether a call is `cuda.atomic.add(array, index, value)` or the like; `min(a, b, c)` is none."""
    builtin = isinstance(node.func, ast.Name) and node.func.id in ("min", "max")
    return called(node.func) in _ATOMICS and len(node.args) >= 3 and not builtin


_OF_ARRAYS = frozenset(("shape", "strides", "ndim", "dtype"))
_LIKE = frozenset(("empty_like", "zeros_like", "ones_like", "full_like"))
_ATOMICS = frozenset(
    ("add", "sub", "max", "min", "nanmax", "nanmin", "and_", "or_", "xor", "inc", "dec", "exch", "cas")
)
_BUILTIN_CALLS = frozenset((
    "min", "max", "abs", "int", "float", "bool", "grid", "gridsize", "syncthreads", "sqrt", "exp",
    "float32", "float64", "int32", "int64", "print", "round", "divmod", "zip", "enumerate", "sin",
    "cos", "log", "array",
))  # fmt: skip

_OF_NUMBERS = frozenset(("int", "float", "range", "sqrt", "exp", "floor", "ceil", "isnan", "isinf"))

_READERS: dict[type[ast.AST], Callable[[_Reader, Any], None]] = {
    ast.Subscript: _Reader.shape_index, ast.Attribute: _Reader.attribute, ast.Assign: _Reader.assign,
    ast.AnnAssign: _Reader.annotated, ast.AugAssign: _Reader.augmented, ast.For: _Reader.loop,
    ast.Compare: _Reader.compare, ast.BinOp: _Reader.operation, ast.Call: _Reader.call,
}  # fmt: skip
