"""What one run of the host interpreter shares: names, budgets, notes, the call stack, the sites."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from gpulint.frontend.host.rounds import HostLoop
from gpulint.frontend.host.site import LaunchSite
from gpulint.frontend.host.state import State
from gpulint.frontend.host.values import Function, Kernel, Unknown, Value
from gpulint.ir.span import Span
from gpulint.source.model import KernelSource, Module
from gpulint.source.resolve import Project
from gpulint.term import Bool, bool_sym

MAX_STEPS = 12_000  # statements and expressions of one analysed function, inlined calls included
MAX_TOTAL = 100_000  # of one file
MAX_DEPTH = 60  # of one expression
MAX_CALLS = 4  # of inlined functions within each other
MAX_SITES = 400  # of one file
MAX_CONTEXTS = 8  # callers of one launch of one kernel
MAX_TEXT = 60
MAX_TERMS = 40  # monomials of one integer


T = TypeVar("T")
Mark = tuple[dict[str, int], tuple[str, ...], "dict[tuple[int, str], Value]", "dict[int, State]"]


class Namer:
    """Gives each unknown of one analysed function a name of its own."""

    def __init__(self) -> None:
        self.used: dict[str, int] = {}
        self.order: list[str] = []

    def unique(self, text: str) -> str:
        count = self.used.get(text, 0) + 1
        self.used[text] = count
        name = text if count == 1 else f"{text}#{count}"
        self.order.append(name)
        return name


@dataclass
class Frame:
    """One function being executed: what it returned and where its loops were left."""

    function: Function | None
    returns: list[tuple[State, Value]] = field(default_factory=list)
    breaks: list[list[State]] = field(default_factory=list)
    nested: list[Function] = field(default_factory=list)
    handlers: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Found:
    """A launch site with the chain of calls, outermost first, through which it was reached."""

    site: LaunchSite
    root: int
    calls: tuple[Span, ...] = ()


@dataclass
class Machine:
    """The interpreter's context. `evaluate` and `execute` are given by `analyse`."""

    module: Module
    project: Project
    kernels: dict[int, KernelSource]
    evaluate: Callable[[Machine, State, ast.expr], Value]
    execute: Callable[[Machine, State, Sequence[ast.stmt]], State | None]
    namer: Namer = field(default_factory=Namer)
    notes: dict[str, str] = field(default_factory=dict)  # name of an unknown -> why it is none of ours
    globals: dict[tuple[int, str], Value] = field(default_factory=dict)
    states: dict[int, State] = field(default_factory=dict)  # by class: what its __init__ leaves in self
    frames: list[Frame] = field(default_factory=list)
    calls: list[Span] = field(default_factory=list)
    launching: set[int] = field(default_factory=set)  # ids of functions worth following for their launches
    facts_of: dict[tuple[int, object], tuple[ast.AST, object]] = field(default_factory=dict)  # see `once`
    inlined: set[int] = field(default_factory=set)  # ids of the call nodes that were followed
    found: list[Found] = field(default_factory=list)
    root: int = 0
    recording: bool = True
    steps: int = 0
    total: int = 0
    depth: int = 0
    indexed: dict[str, int] = field(default_factory=dict)  # unknowns used as tuples: their known lengths
    expecting: int = 0  # blocks entered that expect an error
    presumed: dict[str, str] = field(default_factory=dict)  # what is taken for granted of an array, by name
    usual: tuple[Bool, ...] = ()  # numbers of the root function at their defaults
    made: int = 0  # lists and dictionaries so far
    loops: list[HostLoop] = field(default_factory=list)  # that are being run, outermost first
    open: frozenset[str] = frozenset()  # parameters of a public root function, see `tensorparams.given`
    sentinels: dict[str, int] = field(default_factory=dict)  # by parameter, see `documented`
    concrete: int = 0  # loops over constants are written out: configurations are being read

    @property
    def tiles(self) -> bool:
        """Whether any of the kernels is a tile kernel, so that host arrays are tensors."""
        return any(k.dialect != "numba" for k in self.kernels.values())

    def begin(self, root: int) -> None:
        """Starts on another function: names begin anew."""
        self.namer, self.notes, self.globals, self.states = Namer(), {}, {}, {}
        self.frames, self.calls, self.root, self.indexed, self.presumed = [], [], root, {}, {}
        self.loops, self.open, self.sentinels = [], frozenset(), {}
        self.steps, self.depth, self.recording, self.usual = 0, 0, True, ()

    def step(self) -> bool:
        """Counts one step; False when the budget is spent."""
        self.steps += 1
        self.total += 1
        return self.steps <= MAX_STEPS and self.total <= MAX_TOTAL

    @property
    def exhausted(self) -> bool:
        """Whether the budget of the function ran out."""
        return self.steps > MAX_STEPS or self.total > MAX_TOTAL

    def eval(self, s: State, node: ast.expr) -> Value:
        if self.depth >= MAX_DEPTH or not self.step():
            return self.opaque(text_of(node), "too large to follow")
        self.depth += 1
        try:
            return self.evaluate(self, s, node)
        finally:
            self.depth -= 1

    def unknown(self, name: str, why: str, kind: str = "") -> Unknown:
        """A new unknown. `why` empty: a free input."""
        chosen = self.namer.unique(shorten(name))
        if why:
            self.notes[chosen] = why
        else:
            self.notes.pop(chosen, None)
        return Unknown(chosen, not why, kind)

    def named(self, name: str, why: str) -> Unknown:
        return self.unknown(name, why)

    def opaque(self, text: str, why: str = "is not understood", kind: str = "") -> Unknown:
        return self.unknown(text, f"`{shorten(text)}` {why}", kind)

    def mark(self) -> Mark:
        """What names are in use, to free those of a trial run afterwards."""
        return dict(self.namer.used), tuple(self.namer.order), dict(self.globals), dict(self.states)

    def release(self, mark: Mark) -> None:
        """Goes back to the names of `mark`, or on to those of a later one; no value of others may be kept."""
        self.namer.used, self.globals, self.states = dict(mark[0]), dict(mark[2]), dict(mark[3])
        self.namer.order[:] = mark[1]

    def part(self, u: Unknown, suffix: str, kind: str = "") -> Unknown:
        """A part of an unknown (`x.n`, `x[0]`): the same one each time it is asked for."""
        name = u.name + suffix  # parts that differ at the end keep names of their own
        where = tuple(_part_of(m, suffix) for m in u.sharing)
        return Unknown(name if len(name) <= 3 * MAX_TEXT else shorten(name), u.free, kind, sharing=where)

    def literal(self, text: str) -> Bool:
        """A condition of which only the text is known, the same each time."""
        return bool_sym(shorten(text))

    def why(self, names: Iterable[str]) -> tuple[str, ...]:
        """The notes on those unknowns that the named symbols come from."""
        out: dict[str, None] = {}
        for name in sorted(set(names)):
            for base, note in self.notes.items():
                if name == base or (name.startswith(base) and not name[len(base)].isalnum()):
                    out[note] = None
        return tuple(out)

    def span(self, node: ast.AST) -> Span:
        return self.here.span(node)

    @property
    def here(self) -> Module:
        """The module of the function being executed."""
        frame = self.frames[-1].function if self.frames else None
        return frame.module if frame is not None else self.module

    def once(self, node: ast.AST, make: Callable[[ast.AST], T]) -> T:
        """What `make` says of a node's syntax, computed once."""
        known = self.facts_of.get((id(node), make))
        if known is None:
            known = (node, make(node))
            self.facts_of[id(node), make] = known
        return cast(T, known[1])

    def kernel(self, node: ast.AST) -> Kernel | None:
        source = self.kernels.get(id(node))
        return Kernel(source) if source is not None else None

    def decorated(self, node: ast.AST) -> Kernel | None:
        """The kernel that a definition itself is, as against a function that a call compiles."""
        found = self.kernel(node)
        marks = getattr(node, "decorator_list", [])
        return found if found is not None and any(d is found.source.decorator for d in marks) else None

    def record(self, site: LaunchSite) -> None:
        if not self.recording or len(self.found) >= MAX_SITES or self.here is not self.module:
            return  # launches in other files are found when those are analysed
        calls = tuple(self.calls)
        if calls:
            same = [f for f in self.found if f.calls and _launch(f.site) == _launch(site)]
            if len(same) >= MAX_CONTEXTS:
                return
        self.found.append(Found(replace(site, callers=calls), self.root, calls))


def _launch(site: LaunchSite) -> tuple[object, ...]:
    return site.span, site.kernel, site.kernel_row


_texts: dict[int, tuple[ast.AST, str]] = {}


def text_of(node: ast.AST) -> str:
    """The source text of an expression, normalised."""
    known = _texts.get(id(node))
    if known is None or known[0] is not node:
        known = (node, _unparse(node))
        if len(_texts) > 100_000:
            _texts.clear()
        _texts[id(node)] = known
    return known[1]


def _unparse(node: ast.AST) -> str:
    try:
        return ast.unparse(node)
    except (RecursionError, ValueError):
        return "<expression>"


def shorten(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= MAX_TEXT else text[: MAX_TEXT - 3] + "..."


def _part_of(memory: str, suffix: str) -> str:
    """Where a part of a value lies, from where the value may (patterns as in `memories`).

    An item of what lies anywhere in `x` lies there too; its attribute is an attribute of something there.
    """
    if "*" not in memory or suffix.startswith("."):
        return memory + suffix
    return memory if memory.endswith("*") else memory + "*"
