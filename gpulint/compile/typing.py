"""Every scalar of a kernel with the type that it has at its place, as Numba types it.

Numba types each version of a variable: a name may hold an int64 here and a float64 there, and where paths
meet, the version that they make is of the type that holds both. The frontend types expressions as it reads
them, before it has seen the rest of a loop; here loops are typed to a fixed point, and the kernel is
rewritten with the types found. What the frontend knew of an expression is kept wherever its operands have
the types that it was read with, so that the arithmetic is that which was proved.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, cast

from gpulint.compile.error import CompileError
from gpulint.compile.records import Record
from gpulint.compile.roots import roots as under
from gpulint.frontend.numba import types as nt
from gpulint.ir import nodes as n
from gpulint.ir.types import FLOAT64, INT32, INT64, UINT64, ArrayType, FloatType, IntType, Type, Unknown
from gpulint.ir.walk import statements

Env = dict[str, Type]
ROUNDS = 8  # a type can widen a few times only: bool, three int widths, two float widths
HOW = "give them with --signature, for example --signature 'record(x=float32, n=int32)[::1]'"
_VALUES = n.Expr.__args__  # type: ignore[attr-defined]


def typed(kernel: n.Kernel, records: Mapping[str, Record] | None = None) -> n.Kernel:
    """The kernel with the type of every scalar, which is then proved and compiled.

    `records` are the element types of arrays of records, by parameter.

    Statements that nothing reaches are left out. Raises CompileError where a type is not known.
    """
    work = _Typer(kernel, records or {})
    return dataclasses.replace(kernel, body=work.run())


class _Typer:
    """Walks in program order; `env` is None where nothing can reach."""

    def __init__(self, kernel: n.Kernel, records: Mapping[str, Record]) -> None:
        self.kernel = kernel
        self.records = _of_roots(kernel, records)
        self.env: Env | None = {p.name: cast(Type, p.type) for p in kernel.params if not p.is_array}
        self.elements = _elements(kernel)
        self.exits: dict[str, list[Env]] = {}
        self.loops: list[tuple[list[Env], list[Env]]] = []  # of breaks, of continues

    def run(self) -> tuple[n.Stmt, ...]:
        return self.block(self.kernel.body)

    # --- statements

    def block(self, body: tuple[n.Stmt, ...]) -> tuple[n.Stmt, ...]:
        out = []
        for s in body:
            if self.env is None:
                break  # no thread gets here
            out.append(self.statement(s))
        return tuple(out)

    def statement(self, s: n.Stmt) -> n.Stmt:
        special: Callable[[Any], n.Stmt] | None = getattr(self, f"_{type(s).__name__.lower()}", None)
        return special(s) if special is not None else self.plain(s)

    def plain(self, s: n.Stmt) -> n.Stmt:
        """A statement without statements of its own."""
        made: n.Stmt = self.parts(s)
        target = getattr(made, "target", "")
        if target and not isinstance(made, (n.View, n.Alias, n.Alloc)):
            self.define(target, self.result(made))
        return made

    def parts(self, s: Any) -> Any:
        """The statement with its own expressions typed."""
        changes = {}
        for f in dataclasses.fields(s):
            if f.name in ("span", "type", "body", "then", "other", "before"):
                continue
            value = getattr(s, f.name)
            new = self.inside(value)
            if new is not value:
                changes[f.name] = new
        return dataclasses.replace(s, **changes) if changes else s

    def inside(self, value: Any) -> Any:
        if isinstance(value, _VALUES):
            return self.expression(value)
        if isinstance(value, n.Range):
            return n.Range(*(self.inside(x) for x in (value.start, value.stop, value.step)))
        if isinstance(value, tuple) and any(isinstance(x, (*_VALUES, n.Range)) for x in value):
            return tuple(self.inside(x) for x in value)
        return value

    def result(self, s: n.Stmt) -> Type:
        """What a statement gives its target."""
        if isinstance(s, n.Assign):
            return _of(s.value)
        if isinstance(s, (n.Load, n.Atomic)):
            return self.elements[s.array]
        return INT32  # the votes of a block

    def define(self, name: str, t: Type) -> None:
        assert self.env is not None
        self.env[name] = t

    def _load(self, s: n.Load) -> n.Stmt:
        s = self.parts(s)
        found = self.element(s)
        self.define(s.target, found)
        return dataclasses.replace(s, type=found)

    def _store(self, s: n.Store) -> n.Stmt:
        self.element(s)
        return cast(n.Stmt, self.parts(s))

    def element(self, s: n.Load | n.Store) -> Type:
        """The type of the scalar that a load or a store moves."""
        record = self.records.get(s.array)
        if record is None:
            if s.field:
                raise CompileError(f"the fields of `{s.array}` are not known", s.span, HOW)
            return self.elements[s.array]
        if not s.field:
            raise CompileError("a record as a whole is not compiled", s.span, "move it field by field")
        return record.field(s.field, s.span)

    def _unsupported(self, s: n.Unsupported) -> n.Stmt:
        raise CompileError(s.reason, s.span)

    def _if(self, s: n.If) -> n.Stmt:
        condition = self.expression(s.condition)
        before = dict(self.env or {})
        then = self.block(s.then)
        after_then, self.env = self.env, before
        other = self.block(s.other)
        self.env = _join([e for e in (after_then, self.env) if e is not None])
        return n.If(condition, then, other, s.span)

    def _block(self, s: n.Block) -> n.Stmt:
        outer = self.exits.get(s.label)
        self.exits[s.label] = []
        body = self.block(s.body)
        ends = self.exits.pop(s.label)
        if outer is not None:
            self.exits[s.label] = outer
        self.env = _join([*ends, *([self.env] if self.env is not None else [])])
        return n.Block(s.label, body, s.span)

    def _leave(self, s: n.Leave) -> n.Stmt:
        if s.label in self.exits and self.env is not None:
            self.exits[s.label].append(self.env)
        self.env = None
        return s

    def _break(self, s: n.Break) -> n.Stmt:
        return self._jump(s, 0)

    def _continue(self, s: n.Continue) -> n.Stmt:
        return self._jump(s, 1)

    def _jump(self, s: n.Stmt, which: int) -> n.Stmt:
        assert self.env is not None
        self.loops[-1][which].append(self.env)
        self.env = None
        return s

    def _for(self, s: n.For) -> n.Stmt:
        start, stop, step = (self.expression(e) for e in (s.start, s.stop, s.step))
        type_ = _counter(s, start, stop, step)

        def once() -> n.Stmt:
            self.define(s.target, type_)
            return n.For(s.target, start, stop, step, self.block(s.body), type_, s.span)

        return self.loop(once, lambda head: head)

    def _while(self, s: n.While) -> n.Stmt:
        leaving: list[Env] = []

        def once() -> n.Stmt:
            before = self.block(s.before)
            condition = self.expression(s.condition) if self.env is not None else s.condition
            leaving[:] = [dict(self.env)] if self.env is not None else []
            return n.While(before, condition, self.block(s.body), s.span)

        return self.loop(once, lambda head: leaving[0] if leaving else None)

    def loop(self, once: Callable[[], n.Stmt], end: Callable[[Env], Env | None]) -> n.Stmt:
        """Type the body until the types at its head no longer widen."""
        head = dict(self.env or {})
        outer = {k: list(v) for k, v in self.exits.items()}
        for _ in range(ROUNDS):
            self.exits = {k: list(v) for k, v in outer.items()}
            self.loops.append(([], []))
            self.env = dict(head)
            out = once()
            breaks, continues = self.loops.pop()
            back = [*continues, *([self.env] if self.env is not None else [])]
            wider = _join([head, *back]) or head
            if wider == head:
                last = end(head)
                self.env = _join([*breaks, *([last] if last is not None else [])])
                return out
            head = wider
        raise CompileError("the types of a loop do not settle", out.span)

    # --- expressions

    def expression(self, e: n.Expr) -> n.Expr:
        if isinstance(e, n.Var):
            return self._variable(e)
        changes: dict[str, Any] = {}
        same = True
        for f in dataclasses.fields(e):
            value = getattr(e, f.name)
            if isinstance(value, _VALUES):
                changes[f.name] = self.expression(value)
                same = same and _of(changes[f.name]) == _of(value)
            elif isinstance(value, tuple) and value and isinstance(value[0], _VALUES):
                changes[f.name] = tuple(self.expression(x) for x in value)
                same = same and all(_of(a) == _of(b) for a, b in zip(changes[f.name], value, strict=True))
        if not changes:
            return e
        made = dataclasses.replace(e, **changes)
        return made if same and not isinstance(_of(e), Unknown) else _retyped(made)

    def _variable(self, e: n.Var) -> n.Expr:
        found = (self.env or {}).get(e.name)
        if found is None or isinstance(found, Unknown):
            raise CompileError(f"the type of `{e.name}` is not known", e.span)
        return dataclasses.replace(e, type=found)


def _of(e: n.Expr) -> Type:
    return e.type


def _retyped(e: Any) -> n.Expr:
    """An operation with the type that its operands give it."""
    if isinstance(e, n.Binary):
        a, b = _of(e.left), _of(e.right)
        found = nt.unify(a, b) if e.op in ("min", "max") else _arithmetic(e.op, a, b)
        return dataclasses.replace(e, type=found)
    if isinstance(e, n.Choose):
        return dataclasses.replace(e, type=nt.unify(_of(e.then), _of(e.other)))
    if isinstance(e, n.Unary) and e.op != "not":
        return dataclasses.replace(e, type=_unary(e.op, _of(e.operand)))
    if isinstance(e, n.Opaque) and isinstance(e.type, (FloatType, Unknown)):
        return dataclasses.replace(e, type=_function(e))
    return cast(n.Expr, e)


def _arithmetic(op: str, a: Type, b: Type) -> Type:
    if op in ("truncdiv", "truncmod") and not isinstance(a, FloatType) and not isinstance(b, FloatType):
        return INT64
    return nt.binary("floordiv" if op.startswith("trunc") else op, a, b, False) or FLOAT64


def _unary(op: str, a: Type) -> Type:
    if op == "abs" or isinstance(a, FloatType):
        return a
    return UINT64 if isinstance(a, IntType) and not a.signed else INT64


def _function(e: n.Opaque) -> Type:
    """A function of floats is of their type; integers are taken as float64."""
    types = [_of(o) for o in e.operands]
    if e.name == "ldexp":
        types = types[:1]
    if types and all(isinstance(t, FloatType) for t in types):
        return max((t for t in types if isinstance(t, FloatType)), key=lambda t: t.bits)
    return FLOAT64 if isinstance(e.type, Unknown) and not e.fresh and types else e.type


def _counter(s: n.For, *bounds: n.Expr) -> Type:
    for b in bounds:
        if not nt.is_int(_of(b)):
            raise CompileError("the bound of a range is no integer", s.span)
    return s.type if isinstance(s.type, IntType) else INT64


def _join(envs: list[Env]) -> Env | None:
    """What the paths leave together; a local that one path alone defines keeps its type."""
    if not envs:
        return None
    out = dict(envs[0])
    for env in envs[1:]:
        for name, t in env.items():
            out[name] = nt.unify(out[name], t) if name in out else t
    return out


def _elements(kernel: n.Kernel) -> dict[str, Type]:
    """The element type of every array name; one name for arrays of different types is not allowed."""
    found: dict[str, Type] = {}
    pending: list[n.View | n.Alias] = []
    for p in kernel.params:
        if isinstance(p.type, ArrayType):
            found[p.name] = p.type.element
    for s in statements(kernel.body):
        if isinstance(s, n.Alloc):
            found[s.target] = _same(found.get(s.target), s.type.element, s)
        elif isinstance(s, (n.View, n.Alias)):
            pending.append(s)
    for _ in range(len(pending) + 1):
        before = dict(found)
        for s in pending:
            if s.array in found:
                found[s.target] = _same(found.get(s.target), found[s.array], s)
        if before == found:
            return found
    return found


def _of_roots(kernel: n.Kernel, records: Mapping[str, Record]) -> dict[str, Record]:
    """The record of every array name; one that may stand for arrays of several is not compiled."""
    out: dict[str, Record] = {}
    for name, roots in under(kernel).items():
        found = {records[r] for r in roots if r in records}
        if found and (len(found) > 1 or not roots <= set(records)):
            raise CompileError(f"`{name}` stands for arrays of different elements", kernel.header)
        if found:
            out[name] = found.pop()
    return out


def _same(old: Type | None, new: Type, s: n.Stmt) -> Type:
    if old is not None and old != new:
        raise CompileError("one name stands for arrays of different element types", s.span)
    return new
