"""Clause expressions: Python's `ast` to terms. Nothing is evaluated; every form is listed here."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from gpulint import term as t
from gpulint.contract import names as n
from gpulint.contract.error import Unreadable
from gpulint.ir import symbols as s
from gpulint.term import Bool, Int

ARITHMETIC: dict[type[ast.operator], Callable[[Int, Int], Int]] = {
    ast.Add: t.add, ast.Sub: t.sub, ast.Mult: t.mul, ast.FloorDiv: t.floordiv, ast.Mod: t.mod,
}  # fmt: skip
COMPARISONS: dict[type[ast.cmpop], Callable[[Int, Int], Bool]] = {
    ast.Lt: t.lt, ast.LtE: t.le, ast.Gt: t.gt, ast.GtE: t.ge, ast.Eq: t.eq, ast.NotEq: t.ne,
}  # fmt: skip


class Reader:
    """Reads the expressions of one clause of one kernel."""

    def __init__(self, names: n.Names) -> None:
        self.names = names
        self.divisors: list[Int] = []  # of the comparison being read, where they may be zero

    # --- conditions ---

    def condition(self, node: ast.expr) -> Bool:
        if isinstance(node, ast.BoolOp):
            join = t.and_ if isinstance(node.op, ast.And) else t.or_
            return join(*(self.condition(v) for v in node.values))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return t.not_(self.condition(node.operand))
        if isinstance(node, ast.Compare):
            return self.comparison(node)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in n.PREDICATES:
            raise Unreadable(node, f"{node.func.id}(...) must be a clause of its own")
        found = self.value(node)
        if isinstance(found, Bool):
            return found
        raise Unreadable(node, f"{ast.unparse(node)} is no condition: compare it with something")

    def comparison(self, node: ast.Compare) -> Bool:
        outer, self.divisors = self.divisors, []
        sides = [(x, self.value(x)) for x in (node.left, *node.comparators)]
        parts = [self.relation(node, op, a, b) for op, a, b in zip(node.ops, sides, sides[1:], strict=False)]
        nonzero = [t.ne(d, t.ZERO) for d in self.divisors]
        self.divisors = outer
        return t.and_(*nonzero, *parts)

    def relation(
        self, node: ast.Compare, op: ast.cmpop, a: tuple[ast.expr, n.Value], b: tuple[ast.expr, n.Value]
    ) -> Bool:
        make = COMPARISONS.get(type(op))
        if make is None:
            raise Unreadable(node, "only <, <=, >, >=, == and != compare in a clause")
        (left_node, left), (right_node, right) = a, b
        if isinstance(left, n.Row) or isinstance(right, n.Row):
            return self.rows(node, op, self.row(left_node, left), self.row(right_node, right))
        return make(self.as_number(left_node, left), self.as_number(right_node, right))

    def row(self, node: ast.expr, value: n.Value) -> n.Row:
        """A side of a comparison of tuples; a number beside block or grid is its first axis."""
        if isinstance(value, n.Row):
            return value
        return n.Row((self.as_number(node, value),))

    def rows(self, node: ast.Compare, op: ast.cmpop, a: n.Row, b: n.Row) -> Bool:
        if not isinstance(op, (ast.Eq, ast.NotEq)):
            raise Unreadable(node, "tuples are compared with == or != only")
        if a.launch or b.launch:
            a, b = (n.Row((*r.items, *[t.ONE] * (3 - len(r.items)))) for r in (a, b))
        if len(a.items) != len(b.items):
            raise Unreadable(node, f"{len(a.items)} axes are compared with {len(b.items)}")
        same = t.and_(*(t.eq(x, y) for x, y in zip(a.items, b.items, strict=True)))
        return same if isinstance(op, ast.Eq) else t.not_(same)

    # --- numbers ---

    def number(self, node: ast.expr) -> Int:
        return self.as_number(node, self.value(node))

    def as_number(self, node: ast.expr, value: n.Value) -> Int:
        if isinstance(value, Int):
            return value
        if isinstance(value, n.Open):
            text = f"the rank of {value.array} is not known: name one axis of its {value.attribute}"
            raise Unreadable(node, text)
        if isinstance(value, n.ArrayRef):
            raise Unreadable(node, f"{value.name} is an array, not a number", f"{value.name}.size")
        if isinstance(value, Bool):
            return t.select(value, t.ONE, t.ZERO)
        raise Unreadable(node, f"{ast.unparse(node)} is a tuple, not a number")

    def value(self, node: ast.expr) -> n.Value:
        if isinstance(node, ast.Constant):
            return _constant(node)
        if isinstance(node, ast.Name):
            return self.names.lookup(node, node.id)
        if isinstance(node, ast.Tuple):
            return n.Row(tuple(self.number(x) for x in node.elts))
        if isinstance(node, ast.UnaryOp):
            return self.unary(node)
        if isinstance(node, ast.BinOp):
            return self.binary(node)
        if isinstance(node, ast.Attribute):
            return self.attribute(node)
        if isinstance(node, ast.Subscript):
            return self.subscript(node)
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, (ast.Compare, ast.BoolOp)):
            return self.condition(node)
        if isinstance(node, ast.IfExp):
            return t.select(self.condition(node.test), self.number(node.body), self.number(node.orelse))
        raise Unreadable(node, f"a clause has no place for {type(node).__name__}")

    def unary(self, node: ast.UnaryOp) -> n.Value:
        if isinstance(node.op, ast.Not):
            return self.condition(node)
        if isinstance(node.op, ast.Invert):
            raise Unreadable(node, "~ is not part of the clause language", "not")
        operand = self.number(node.operand)
        return t.neg(operand) if isinstance(node.op, ast.USub) else operand

    def binary(self, node: ast.BinOp) -> Int:
        make = ARITHMETIC.get(type(node.op))
        if make is None:
            meant = "//" if isinstance(node.op, ast.Div) else ""
            raise Unreadable(node, "only +, -, *, // and % compute in a clause", meant)
        left, right = self.number(node.left), self.number(node.right)
        if isinstance(node.op, (ast.FloorDiv, ast.Mod)):
            self.divisor(node.right, right)
        return make(left, right)

    def divisor(self, node: ast.expr, value: Int) -> None:
        if value.value == 0:
            raise Unreadable(node, "division by zero")
        if value.value is None:
            self.divisors.append(value)

    # --- attributes, subscripts, calls ---

    def attribute(self, node: ast.Attribute) -> n.Value:
        dotted = ast.unparse(node)
        if dotted in self.names.values:
            return self.names.values[dotted]
        if isinstance(node.value, ast.Name) and self.names.record(node.value.id):
            meant = n.nearest(dotted, self.names.values)
            raise Unreadable(node, f"{dotted} is not used by the kernel", meant)
        base = self.value(node.value)
        if isinstance(base, n.Row) and base.launch:
            if node.attr in ("x", "y", "z"):
                return base.items["xyz".index(node.attr)]
            raise Unreadable(node, f"a launch size has .x, .y and .z, not .{node.attr}")
        if not isinstance(base, n.ArrayRef):
            raise Unreadable(node, f"{ast.unparse(node.value)} has no attributes here")
        return self.array_attribute(node, base)

    def array_attribute(self, node: ast.Attribute, a: n.ArrayRef) -> n.Value:
        if node.attr == "size":
            return s.size(a.name, a.ndim)
        if node.attr == "ndim":
            if a.ndim is None:
                raise Unreadable(node, f"the kernel does not fix the rank of {a.name}")
            return t.const(a.ndim)
        if node.attr in ("shape", "strides"):
            if a.ndim is None:
                return n.Open(a.name, node.attr)
            return n.Row(tuple(_axis(a, node.attr, axis) for axis in range(a.ndim)))
        if node.attr in ("stride", "numel"):
            meant = "stride(0)" if node.attr == "stride" else "numel()"
            raise Unreadable(node, f".{node.attr} is called", meant)
        raise Unreadable(node, f"an array has no .{node.attr} here", n.nearest(node.attr, n.ATTRIBUTES))

    def subscript(self, node: ast.Subscript) -> Int:
        base = self.value(node.value)
        axis = _whole(self.number(node.slice), node.slice)
        if isinstance(base, n.Open):
            if not 0 <= axis < 32:
                raise Unreadable(node.slice, f"the kernel does not fix the rank of {base.array}")
            return _axis(n.ArrayRef(base.array, None), base.attribute, axis)
        if isinstance(base, n.ArrayRef):
            raise Unreadable(node, "elements are no part of a clause: see sorted, injective and within")
        if not isinstance(base, n.Row):
            raise Unreadable(node, f"{ast.unparse(node.value)} has no axes")
        if not -len(base.items) <= axis < len(base.items):
            raise Unreadable(node.slice, f"axis {axis} of {len(base.items)}")
        return base.items[axis]

    def call(self, node: ast.Call) -> n.Value:
        if node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
            raise Unreadable(node, "functions in a clause take plain arguments only")
        if isinstance(node.func, ast.Attribute):
            return self.method(node, node.func)
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "len":
            return self.length(node)
        if name in ("min", "max") and len(node.args) >= 2:
            numbers = [self.number(a) for a in node.args]
            return t.minimum(*numbers) if name == "min" else t.maximum(*numbers)
        if name == "abs" and len(node.args) == 1:
            return t.absolute(self.number(node.args[0]))
        if name == "cdiv" and len(node.args) == 2:
            a, b = (self.number(x) for x in node.args)
            self.divisor(node.args[1], b)
            return t.cdiv(a, b)
        if name in n.FUNCTIONS:
            raise Unreadable(node, f"{name} does not take {len(node.args)} arguments")
        known: Iterable[str] = (*n.FUNCTIONS, *n.PREDICATES, *n.LIMITS)
        meant = n.nearest(name, known)
        raise Unreadable(node.func, f"{ast.unparse(node.func)} is no function of clauses", meant)

    def length(self, node: ast.Call) -> Int:
        if len(node.args) != 1:
            raise Unreadable(node, f"len does not take {len(node.args)} arguments")
        found = self.value(node.args[0])
        if isinstance(found, n.Row):
            return t.const(len(found.items))
        if isinstance(found, n.ArrayRef):
            return s.extent(found.name, 0, found.ndim)
        raise Unreadable(node, f"{ast.unparse(node.args[0])} has no length")

    def method(self, node: ast.Call, func: ast.Attribute) -> Int:
        a = self.names.array(func.value)
        if func.attr == "numel" and not node.args:
            return s.size(a.name, a.ndim)
        if func.attr == "stride" and len(node.args) == 1:
            axis = _whole(self.number(node.args[0]), node.args[0])
            if axis < 0 and a.ndim is not None:
                axis += a.ndim
            if not 0 <= axis < (32 if a.ndim is None else a.ndim):
                raise Unreadable(node.args[0], f"{a.name} has no axis {axis}")
            return s.stride(a.name, axis, "element")
        meant = n.nearest(func.attr, n.ATTRIBUTES)
        raise Unreadable(node, f"an array has no such .{func.attr}(...) here", meant)


def _axis(a: n.ArrayRef, attribute: str, axis: int) -> Int:
    return s.extent(a.name, axis, a.ndim) if attribute == "shape" else s.stride(a.name, axis, "byte")


def _whole(value: Int, node: ast.expr) -> int:
    if value.value is None:
        raise Unreadable(node, "an axis is a plain number")
    return value.value


def _constant(node: ast.Constant) -> n.Value:
    if isinstance(node.value, bool):
        return t.TRUE if node.value else t.FALSE
    if isinstance(node.value, int):
        return t.const(node.value)
    raise Unreadable(node, f"{ast.unparse(node)} is no whole number")
