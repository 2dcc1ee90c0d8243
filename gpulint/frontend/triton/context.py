"""The state of one lowering: the statements written so far, frames of locals, names, limits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gpulint.frontend.shared.limits import TooLarge
from gpulint.frontend.shared.names import Names
from gpulint.frontend.triton.kinds import Kinds
from gpulint.frontend.triton.values import Pointer, Shape, Tile, Tuple, Value, Window, leaves, with_leaves
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import ArrayType, Type
from gpulint.ir.walk import children, walk
from gpulint.source.model import FunctionNode, Module, Scope

if TYPE_CHECKING:
    from gpulint.frontend.triton.world import World

MAX_STATEMENTS = 20_000
MAX_INLINE = 32
MAX_DEPTH = 120
MAX_STATIC = 40  # nodes of a compile-time expression that is kept written out


@dataclass(eq=False)
class Loop:
    """A loop being lowered. `names` are the locals that its body may bind; `exits` the locals at each
    break and continue."""

    names: tuple[str, ...]
    exits: list[dict[str, Value]] = field(default_factory=list)
    rebased: dict[str, str] = field(default_factory=dict)
    start: dict[str, Value] = field(default_factory=dict)  # the locals as an iteration finds them


@dataclass(eq=False)
class Frame:
    """The locals of one function under lowering."""

    function: FunctionNode
    scope: Scope
    module: Module
    prefix: str = ""
    label: str = ""
    calls: tuple[Span, ...] = ()
    env: dict[str, Value] = field(default_factory=dict)
    canonical: dict[str, str] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)  # of each local when it was first bound
    loops: list[Loop] = field(default_factory=list)
    returns: list[Value] = field(default_factory=list)
    tails: set[ast.AST] = field(default_factory=set)
    single: ast.Return | None = None
    left: bool = False  # a Leave of this frame's block was written


class Context:
    """One kernel under lowering."""

    def __init__(self, world: World, frame: Frame, kinds: Kinds) -> None:
        self.world, self.frame, self.kinds = world, frame, kinds
        self.names = Names()
        self.out: list[n.Stmt] = []
        self.params: dict[str, n.Param] = {}
        self.options: list[tuple[str, str]] = []
        self.static: set[str] = set()  # parameters that nothing rebinds: their values may be written out
        self.ranks: dict[str, int] = {}  # of the IR locals
        self.defs: dict[str, set[str]] = {}  # IR locals by the names that flow into them
        self.sinks: set[str] = set()  # names that flow into addresses, masks, bounds and conditions
        self.dead = False
        self.written = 0
        self.choosing = 0
        self.given_up = False
        self.choices = False  # whether some local is a choice
        self._spans: dict[tuple[ast.AST, tuple[Span, ...]], Span] = {}
        self.depth = 0
        self.active: list[FunctionNode] = []
        self.movable: set[str] = set()  # temporaries that the next binding may rename

    # --- writing statements

    def emit(self, s: n.Stmt) -> None:
        self.count()
        self.out.append(s)

    def count(self, by: int = 1) -> None:
        """Counts statements or a call towards the limit."""
        self.written += by
        if self.written > MAX_STATEMENTS:
            raise TooLarge(f"the kernel has more than {MAX_STATEMENTS} statements once inlined")

    @contextmanager
    def capture(self) -> Iterator[list[n.Stmt]]:
        """Statements written inside go to the list."""
        saved, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = saved

    def span(self, node: ast.AST) -> Span:
        key = (node, self.frame.calls)
        found = self._spans.get(key)
        if found is None:
            found = self.frame.module.span(node)
            found = replace(found, calls=self.frame.calls) if self.frame.calls else found
            self._spans[key] = found
        return found

    # --- names and locals

    def canonical(self, name: str) -> str:
        """The IR name of a local of the current frame."""
        found = self.frame.canonical.get(name)
        if found is None:
            base = name.partition("@")[0]
            found = self.frame.canonical[name] = self.names.unique(self.frame.prefix + base)
        return found

    def slot(self, name: str, rank: int) -> str:
        """The IR name of a local while it holds a value of that rank: an IR local has one rank."""
        return self.canonical(name if self.frame.ranks.setdefault(name, rank) == rank else f"{name}@{rank}")

    def assign(self, target: str, e: n.Expr, rank: int, span: Span) -> None:
        """`target = e`, unless the target is what is assigned."""
        self.ranks[target] = max(rank, self.ranks.get(target, 0))
        self.defs.setdefault(target, set()).update(used(e))
        if not (isinstance(e, n.Var) and e.name == target):
            self.emit(n.Assign(target, e, span))

    def temp(self, value: Tile, base: str, span: Span) -> Tile:
        """The value in a local of its own, evaluated once."""
        if isinstance(value.expr, (n.Var, n.Const)):
            return value
        target = self.names.unique(base)
        self.movable.add(target)
        self.assign(target, value.expr, value.rank, span)
        return replace(value, expr=n.Var(target, value.type, span), weak=False)

    def loaded(self, base: str, shape: Shape, type_: Type, span: Span) -> tuple[str, Tile]:
        """A new local for what a load or atomic gives."""
        target = self.names.unique(base)
        self.movable.add(target)
        self.ranks[target] = len(shape)
        return target, Tile(n.Var(target, type_, span), shape)

    def bind(self, name: str, value: Value, span: Span) -> None:
        """`name = value` in the current frame."""
        self.frame.env[name] = self.hold(name, value, span)

    def hold(self, name: str, value: Value, span: Span) -> Value:
        """The value kept in the locals `name`, `name.0`, ...; compile-time values stay known besides."""
        found = leaves(value)
        if not found:
            return value
        if len(found) == 1 and found[0][0] == "" and self._retarget(found[0][1], name, ranks_of(value)[0]):
            only = found[0][1]
            return with_leaves(value, [n.Var(self.slot(name, ranks_of(value)[0]), only.type, span)])
        keep = isinstance(value, Tile) and value.weak
        out: list[n.Expr] = []
        ranks = ranks_of(value)
        for (suffix, e), rank in zip(found, ranks, strict=True):
            target = self.slot(name + suffix, rank)
            self.assign(target, e, rank, span)
            known = isinstance(e, n.Const) or (keep and self.is_static(e))
            out.append(e if known else n.Var(target, e.type, span))
        return with_leaves(value, out)

    def _retarget(self, e: n.Expr, name: str, rank: int) -> bool:
        """Lets the statement just written, which made `e` in a temporary, write the local `name`."""
        last = self.out[-1] if self.out else None
        if not isinstance(e, n.Var) or e.name not in self.movable:
            return False
        if not isinstance(last, (n.Load, n.Atomic, n.Assign)) or last.target != e.name:
            return False
        self.movable.discard(e.name)
        self.names.release(e.name)
        target = self.slot(name, rank)
        self.out[-1] = replace(last, target=target)
        self.ranks[target] = max(self.ranks.get(target, 0), self.ranks.pop(e.name, 0))
        self.defs.setdefault(target, set()).update(self.defs.pop(e.name, ()))
        return True

    def is_static(self, e: n.Expr) -> bool:
        """Whether the expression has one value wherever it is evaluated, and is short."""
        for count, node in enumerate(walk(e), 1):
            if count > MAX_STATIC or (isinstance(node, n.Var) and node.name not in self.static):
                return False
            if not isinstance(
                node, (n.Const, n.Var, n.Binary, n.Compare, n.Logic, n.Unary, n.Choose, n.Opaque)
            ):
                return False
            if isinstance(node, n.Opaque) and node.fresh:
                return False
        return True

    def sink(self, *exprs: n.Expr | None) -> None:
        """Notes that the expressions decide where memory is accessed, so what they read are integers."""
        for e in exprs:
            if e is not None:
                self.sinks |= used(e)

    # --- parameters that the source does not list

    def parameter(self, name: str, type_: Type | ArrayType, span: Span, constexpr: bool = False) -> n.Param:
        """Adds a parameter of the kernel once."""
        if name not in self.params:
            self.names.reserve((name,))
            self.params[name] = n.Param(name, type_, span, constexpr)
            self.static.add(name)
        return self.params[name]


def short(e: n.Expr) -> bool:
    """Whether the expression has few nodes."""
    return all(count <= MAX_STATIC for count, _ in enumerate(walk(e), 1))


def used(e: n.Expr) -> set[str]:
    """The names that an expression reads as numbers."""
    out: set[str] = set()
    stack: list[n.Expr] = [e]
    while stack:
        x = stack.pop()
        if isinstance(x, n.Var):
            out.add(x.name)
        elif isinstance(x, n.Lane):
            stack.append(x.size)
        elif not isinstance(x, (n.Const, n.Coord)):
            stack.extend(children(x))
    return out


def ranks_of(value: Value) -> list[int]:
    """The rank of each of the `leaves`."""
    if isinstance(value, (Tile, Pointer)):
        return [value.rank] * len(leaves(value))
    if isinstance(value, Tuple):
        return [r for v in value.items for r in ranks_of(v)]
    return [0] * len(leaves(value)) if isinstance(value, Window) else []


Handler = Callable[[Context, Any], Any]
EXPRESSIONS: dict[type[ast.AST], Handler] = {}
STATEMENTS: dict[type[ast.AST], Handler] = {}


def expression(*kinds: type[ast.AST]) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        EXPRESSIONS.update(dict.fromkeys(kinds, handler))
        return handler

    return register


def statement(*kinds: type[ast.AST]) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        STATEMENTS.update(dict.fromkeys(kinds, handler))
        return handler

    return register
