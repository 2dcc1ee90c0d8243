"""The state of one lowering: the statements written so far, frames of locals, names, limits."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from gpulint.frontend.numba.values import SCALARS, Array, Choices, Foreign, Function, Tuple, Value
from gpulint.frontend.shared.limits import TooLarge
from gpulint.frontend.shared.names import Names
from gpulint.ir import nodes as n
from gpulint.ir.span import Span
from gpulint.ir.types import BOOL, INT64, UNKNOWN, ArrayType, Type
from gpulint.source.model import FunctionNode, Module, Scope

if TYPE_CHECKING:
    from gpulint.frontend.numba.facts import Facts
    from gpulint.frontend.numba.world import World

MAX_STATEMENTS = 20_000
MAX_INLINE = 32
MAX_DEPTH = 150


@dataclass(eq=False)
class Loop:
    """A loop being lowered. `names` are the locals that its body may bind.

    A loop whose body is written out (`break_label` set) leaves blocks instead of breaking.
    `exits` are the locals at each break and continue.
    """

    names: tuple[str, ...]
    break_label: str = ""
    continue_label: str = ""
    aliases: dict[str, str] = field(default_factory=dict)
    exits: list[dict[str, Value]] = field(default_factory=list)


@dataclass(eq=False)
class Frame:
    """The locals of one function under lowering; `outer` is the frame that lexically holds it."""

    function: FunctionNode
    scope: Scope
    module: Module
    facts: Facts
    prefix: str = ""
    label: str = ""
    outer: Frame | None = None
    calls: tuple[Span, ...] = ()
    env: dict[str, Value] = field(default_factory=dict)
    canonical: dict[str, str] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    returns: list[Value] = field(default_factory=list)
    tails: set[ast.AST] = field(default_factory=set)
    single: ast.Return | None = None
    left: bool = False  # a Leave of this frame's block was written


class Context:
    """One kernel under lowering."""

    def __init__(self, world: World, frame: Frame) -> None:
        self.world, self.frame = world, frame
        self.kernel = frame.facts  # of the kernel's own names
        self.names = Names()
        self.out: list[n.Stmt] = []
        self.prelude: list[n.Stmt] = []
        self.params: dict[str, n.Param] = {}
        self.closures: dict[str, Value] = {}
        self.fields: dict[str, Value] = {}  # of record parameters, by path
        self.options: list[tuple[str, str]] = []
        self.dead = False
        self.settled = 0  # branches around this place that Numba settles when it compiles
        self.fast = False  # float divisions may be replaced by multiplications
        self.index = 0
        self.rank = 0
        self.written = 0
        self.depth = 0
        self.active: list[FunctionNode] = []
        self.promoted: dict[str, Array] = {}  # parameters that a late use shows to be arrays
        self.arrays: set[str] = set()  # IR names in use for arrays, and for scalars
        self.scalars: set[str] = set()
        self.movable: set[str] = set()  # temporaries that the next binding may rename

    # --- writing statements

    def emit(self, s: n.Stmt) -> None:
        self.written += 1
        if self.written > MAX_STATEMENTS:
            raise TooLarge(f"the kernel has more than {MAX_STATEMENTS} statements once inlined")
        self.out.append(s)

    @contextmanager
    def capture(self) -> Iterator[list[n.Stmt]]:
        """Statements written inside go to the list."""
        saved, self.out = self.out, []
        try:
            yield self.out
        finally:
            self.out = saved

    def impossible(self, node: ast.AST) -> None:
        """Ends a path that Numba drops, since it could not type it with what the parameters are taken for."""
        self.emit(n.Assume(n.Const(False, BOOL), self.span(node)))
        self.dead = True

    def span(self, node: ast.AST) -> Span:
        where = self.frame.module.span(node)
        return replace(where, calls=self.frame.calls) if self.frame.calls else where

    # --- names

    def canonical(self, name: str) -> str:
        """The IR name of a local of the current frame."""
        found = self.frame.canonical.get(name)
        if found is None:
            found = self.frame.canonical[name] = self.names.unique(self.frame.prefix + name)
        return found

    def temp(self, value: n.Expr, base: str = "t") -> n.Var:
        """A new local that holds the value."""
        target = self.names.unique(base)
        self.emit(n.Assign(target, value, value.span))
        return n.Var(target, value.type, value.span)

    def slot(self, base: str) -> str:
        """A hidden local of the current frame, for values that branches join."""
        name = f"?{len(self.frame.canonical)}"
        self.frame.canonical[name] = self.names.unique(base)
        return name

    # --- values

    def bind(self, name: str, value: Value, span: Span) -> None:
        """`name = value` in the current frame."""
        if isinstance(value, Array):
            value = self._renamed(name, value)
        elif isinstance(value, Foreign):
            held = self.hold(name, value.held, span)
            value = Foreign(held) if isinstance(held, n.Var) else value
        elif isinstance(value, (Tuple, *SCALARS)):
            value = self.hold(name, value, span)
        self.frame.env[name] = value

    def hold(self, name: str, value: Value, span: Span) -> Value:
        """The value kept in the locals `name`, `name.0`, ...; constants stay known besides."""
        if isinstance(value, Tuple):
            return Tuple(tuple(self.hold(f"{name}.{i}", v, span) for i, v in enumerate(value.items)))
        if not isinstance(value, SCALARS):
            return value
        target = self.claim(name)
        if not self._retarget(value, target) and not (isinstance(value, n.Var) and value.name == target):
            self.emit(n.Assign(target, value, span))
        return value if isinstance(value, n.Const) else n.Var(target, value.type, span)

    def claim(self, name: str) -> str:
        """The IR name of a scalar local; a new one where an array has taken it."""
        target = self.canonical(name)
        if target in self.arrays:
            target = self.frame.canonical[name] = self.names.unique(self.frame.prefix + name)
        self.scalars.add(target)
        return target

    def array_name(self, name: str) -> str:
        """A new IR name for an array under a local's name."""
        target = self.canonical(name)
        if target in self.arrays or target in self.scalars:
            target = self.names.unique(self.frame.prefix + name)
        self.arrays.add(target)
        return target

    def _retarget(self, value: Value, target: str) -> bool:
        """Lets the statement just written, which made `value` in a temporary, write `target`."""
        last = self.out[-1] if self.out else None
        if not isinstance(value, n.Var) or not isinstance(last, (n.Load, n.Atomic)):
            return False
        if last.target != value.name or value.name not in self.movable:
            return False
        self._release(value.name)
        self.out[-1] = replace(last, target=target)
        return True

    def _release(self, name: str) -> None:
        self.movable.discard(name)
        self.names.release(name)

    def _renamed(self, name: str, value: Array) -> Array:
        """Gives a view or allocation just written the user's name."""
        last = self.out[-1] if self.out else None
        if not isinstance(last, (n.View, n.Alloc)) or last.target != value.name:
            return value
        if value.name not in self.movable:
            return value
        self._release(value.name)
        target = self.array_name(name)
        self.out[-1] = replace(last, target=target)
        return replace(value, name=target)

    def loaded(self, array: Array, subscripts: tuple[n.Expr, ...], field_: str, span: Span) -> n.Var:
        """Writes a load into a temporary."""
        target = self.temporary(f"{array.name}.v")
        type_ = self.element(array, field_)
        self.emit(n.Load(target, array.name, subscripts, type_, True, field_, span=span))
        return n.Var(target, type_, span)

    def discard(self) -> None:
        """Nothing uses the value of the expression just lowered."""
        last = self.out[-1] if self.out else None
        if isinstance(last, n.Atomic) and last.target in self.movable:
            self._release(last.target)
            self.out[-1] = replace(last, target="")

    def temporary(self, base: str) -> str:
        """A name for a value or view that `bind` may still rename."""
        name = self.names.unique(base)
        self.movable.add(name)
        return name

    def element(self, array: Array, field_: str = "") -> Type:
        element = UNKNOWN if field_ else array.type.element
        return INT64 if element == UNKNOWN and self.index else element

    def opaque(self, name: str, operands: tuple[n.Expr, ...], type_: Type, node: ast.AST) -> n.Opaque:
        return n.Opaque(name, operands, type_, span=self.span(node))

    def fresh(self, name: str, type_: Type, node: ast.AST, operands: tuple[n.Expr, ...] = ()) -> n.Var:
        """A new unknown, in a local of its own so that it is evaluated once."""
        return self.temp(n.Opaque(name, operands, type_, True, span=self.span(node)), name.replace(".", "_"))

    # --- parameters

    def assumes(self, kind: str, names: Iterable[str]) -> None:
        """Notes what the lowering takes for granted: see `ir.nodes.Kernel`."""
        given = ((kind, name) for name in names)
        self.options.extend(option for option in given if option not in self.options)

    def resolved(self, node: ast.expr) -> Value:
        """What a name of an enclosing scope means; notes it where only the source in view says so."""
        found = self.world.name(node, self.frame.scope)
        if isinstance(found, (Function, Choices)) and self.world.by_view(node, self.frame.scope):
            self.assumes("function", (ast.unparse(node),))
        return found

    def parameter(self, name: str, type_: Type | ArrayType, span: Span) -> n.Param:
        """Adds a parameter of the kernel once."""
        if name not in self.params:
            self.names.reserve((name,))
            self.params[name] = n.Param(name, type_, span)
        return self.params[name]


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
