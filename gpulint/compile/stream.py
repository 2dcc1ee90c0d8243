"""A second version of a streaming kernel: several neighbouring elements a thread, by vector accesses.

In `i = cuda.grid(1); if i < n: out[i] = f(x[i], y[i])` the threads of a launch do one element each. That the
kernel is proved free of races means that no thread reads or writes what another writes, so any order of their
work gives the same result, also that in which one hardware thread takes a statement of several of them at a
time. The version made here does so for `width * vectors` threads of the launch, called points: a thread of
block b takes the vectors b * vectors + u for each u, so that neighbouring threads read neighbouring vectors.

It is made only where the kernel knows its thread by the global index alone (no barrier, no shared or local
memory, no warp operation, no other coordinate), and it is launched only where the check of a launch finds
the arrays aligned; the general version stands beside it. Points past the end of the launch are left out,
and where the guard of some point does not hold, the points are done one after the other as written.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Union

from gpulint.compile import arithmetic as ar
from gpulint.compile import memory
from gpulint.compile.arrays import Arrays
from gpulint.compile.context import ArrayValue, Context, Options
from gpulint.compile.error import CompileError
from gpulint.compile.expressions import condition, expression, memory_form, write
from gpulint.compile.function import (
    Parameter,
    Target,
    attributes,
    closed,
    declared,
    entry_name,
    parameters,
    registers,
    scalar,
    slots,
)
from gpulint.compile.geometry import Geometry
from gpulint.compile.llvm import Code, Value, pointer, quoted, size_of, stored_type
from gpulint.compile.module import Module
from gpulint.compile.proofs import Proofs
from gpulint.compile.signature import ArraySpec, Signature
from gpulint.compile.statements import END, Statements
from gpulint.dataflow.access import AccessSet
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.ir.types import BOOL, INT32, BoolType
from gpulint.ir.walk import walk
from gpulint.term import add, mul, sub

WIDEST = 16  # bytes of one access
MOST = 8  # elements of one access
POINTS = "gpulint.points"  # the parameter that holds the number of points of the launch
ALONE = (n.Barrier, n.Alloc, n.View, n.Alias, n.Assume, n.Effect)
WORK = "the threads of the launch are proved independent of each other"


@dataclass(frozen=True)
class Stream:
    """The second version: its entry, elements a vector, vectors a thread, and arrays that must be aligned."""

    entry: str
    width: int
    vectors: int
    aligned: tuple[str, ...]
    parameters: tuple[Parameter, ...]

    @property
    def points(self) -> int:
        """Threads of the launch as written that one thread does."""
        return self.width * self.vectors

    @property
    def alignment(self) -> int:
        """Bytes to which the aligned arrays must be."""
        return WIDEST


@dataclass(frozen=True)
class Shape:
    """A streaming kernel taken apart: locals that are computed first, the guard, and what it guards."""

    before: tuple[n.Stmt, ...]
    guard: n.Expr | None
    body: tuple[n.Stmt, ...]


def shape(kernel: n.Kernel) -> Shape | None:
    """The kernel taken apart, or None where it is none of this kind."""
    if any(isinstance(s, ALONE) or (isinstance(s, n.Opaque) and s.fresh) for s in walk(kernel)):
        return None
    if any(isinstance(s, (n.Load, n.Store)) and s.field for s in walk(kernel)):
        return None
    before = []
    body = list(kernel.body)
    while body and isinstance(body[0], n.Assign):
        before.append(body.pop(0))
    if not body:
        return None
    if any(isinstance(s, n.Leave) and s.label == "" for rest in body[1:] for s in walk(rest)):
        return None
    first = body[0]
    if all(isinstance(s, (n.Load, n.Store, n.Assign)) for s in body):
        return Shape(tuple(before), None, tuple(body))
    if isinstance(first, n.If) and not first.other and len(body) == 1:
        leaves = any(isinstance(s, n.Leave) and s.label == "" for inner in first.then for s in walk(inner))
        return None if leaves else Shape(tuple(before), first.condition, first.then)
    if isinstance(first, n.If) and first.then == (n.Leave(""),) and not first.other:
        return Shape(tuple(before), n.Unary("not", first.condition, BOOL), tuple(body[1:]))
    return None


def neighbours(accesses: AccessSet, contiguous: frozenset[str]) -> frozenset[int]:
    """The statements (by id) whose point k accesses element k of a contiguous 1-D array."""
    point = add(mul(symbols.block(0), symbols.block_size(0)), symbols.thread(0))
    found: dict[int, bool] = {}
    for a in accesses.accesses:
        if isinstance(a.stmt, (n.Load, n.Store)) and not a.loops:
            alone = len(a.subscripts) == 1 and a.array.name in contiguous
            fits = alone and sub(a.subscripts[0], point).value == 0
            found[id(a.stmt)] = found.get(id(a.stmt), True) and fits
    return frozenset(key for key, fits in found.items() if fits)


def build(
    kernel: n.Kernel, accesses: AccessSet, signature: Signature, proofs: Proofs, geometry: Geometry,
    options: Options, module: Module, target: Target | None = None,
) -> Stream | None:  # fmt: skip
    """The second version of the typed kernel, added to the module; None where there is no use for one."""
    found = shape(kernel)
    names = [p.name for p in kernel.params]
    whole = frozenset(
        name for name, s in zip(names, signature, strict=True) if isinstance(s, ArraySpec) and s.contiguous
    )
    if found is None or not proofs.distinct or not proofs.small:
        return None
    near = neighbours(accesses, whole)
    wide = [s for s in found.body if isinstance(s, (n.Load, n.Store)) and _vector(s, near)]
    arrays = tuple(dict.fromkeys(s.array for s in wide))
    if not arrays:
        return None
    specs = dict(zip(names, signature, strict=True))
    smallest = min(size_of(specs[a].element) for a in arrays)  # type: ignore[union-attr]
    width = min(MOST, WIDEST // smallest)
    work = _Streams(kernel, signature, proofs, near, options, module, width, target or Target())
    try:
        made = work.function(found, geometry)
    except CompileError:
        return None
    stream = Stream(made.name, width, options.vectors, arrays, made.parameters)
    for s in wide:
        proofs.note(f"{width} elements of {s.array} in one access", WORK, s.span)
    return stream


def _vector(s: n.Stmt, near: frozenset[int]) -> bool:
    return isinstance(s, (n.Load, n.Store)) and id(s) in near


@dataclass(frozen=True)
class _Made:
    name: str
    parameters: tuple[Parameter, ...]


class _Streams:
    """Writes the second version: fast where every guard holds, point after point elsewhere."""

    def __init__(
        self, kernel: n.Kernel, signature: Signature, proofs: Proofs, near: frozenset[int], options: Options,
        module: Module, width: int, target: Target,
    ) -> None:  # fmt: skip
        self.kernel, self.signature, self.proofs, self.near = kernel, signature, proofs, near
        self.width, self.vectors, self.head = width, options.vectors, target.head
        self.read = target.coordinate or registers(Geometry(), proofs, kernel)
        self.code = Code()
        self.cx = Context(module, self.code, options, proofs, _no_coordinate, filename=kernel.span.filename)
        self.arrays = Arrays(kernel)

    def function(self, found: Shape, geometry: Geometry) -> _Made:
        name = f"{entry_name(self.kernel)}__x{self.width * self.vectors}"
        module, cx = self.cx.module, self.cx
        if cx.options.lines:
            cx.scope = module.subprogram(name, self.kernel.span)
            cx.at(self.kernel.span)
        given = parameters(cx, self.kernel, self.signature)
        thread, block, size = (self.read(cx, kind, 0).text for kind in ("thread", "block", "block_size"))
        first = self.code.get(f"mul nuw nsw i32 {block}, {size}")
        limit = self.code.get(f"trunc i64 %{quoted(POINTS)} to i32")
        points = [self.points(first, thread, size, u) for u in range(self.vectors)]
        fast, slow = self.code.label("fast"), self.code.label("slow")
        lanes = [self.lane(p) for group in points for p in group]
        whole = self.all_hold(found, lanes, limit)
        self.code.branch(whole, fast, slow)
        self.code.start(fast)
        for s in found.body:
            self.together(s, lanes)
        self.code.jump(END)
        self.code.start(slow)
        self.one_by_one(found, points, limit)
        closed(self.code)
        return self.finish(name, given, geometry)

    def finish(self, name: str, given: tuple[Parameter, ...], geometry: Geometry) -> _Made:
        module, scope = self.cx.module, self.cx.scope
        text = declared(self.kernel, self.signature, self.proofs, given, self.aligned(), WIDEST)
        marks = module.attribute_group(attributes(Geometry())) + (f" !dbg {scope}" if scope else "")
        head = f"define {self.head}void @{quoted(name)}({text}, i64 %{quoted(POINTS)}) {marks} {{"
        module.functions.append("\n".join([head, "entry:", *self.code.entry, *self.code.lines, "}"]))
        return _Made(name, (*given, Parameter(POINTS, "points", "i64")))

    def aligned(self) -> frozenset[str]:
        found = (s for s in walk(self.kernel) if isinstance(s, (n.Load, n.Store)))
        return frozenset(s.array for s in found if _vector(s, self.near))

    # --- points

    def points(self, first: str, thread: str, size: str, u: int) -> list[str]:
        """The global indices of the points of one vector."""
        code = self.code
        start = code.get(f"mul nuw nsw i32 {first}, {self.vectors}")
        if u:
            start = code.get(f"add nuw nsw i32 {start}, {code.get(f'mul nuw nsw i32 {size}, {u}')}")
        base = code.get(f"mul nuw nsw i32 {code.get(f'add nuw nsw i32 {start}, {thread}')}, {self.width}")
        return [base, *(code.get(f"add nuw nsw i32 {base}, {k}") for k in range(1, self.width))]

    def lane(self, point: str) -> Context:
        """The context of one point: locals of its own, everything else shared."""
        cx = dataclasses.replace(self.cx, slots={}, point=Value(INT32, point))
        slots(cx, self.kernel)
        for p, spec in zip(self.kernel.params, self.signature, strict=True):
            if not isinstance(spec, ArraySpec):
                write(cx, p.name, scalar(cx, p.name, spec.type))
        return cx

    def all_hold(self, found: Shape, lanes: list[Context], limit: str) -> str:
        """Whether every point is one of the launch and passes the guard."""
        out = ""
        for k, cx in enumerate(lanes):
            writer = Statements(cx, self.arrays)
            writer.block(found.before)
            if found.guard is not None:
                held = condition(cx, found.guard)
                out = self.code.get(f"and i1 {out}, {held}") if out else held
            if k % self.width == self.width - 1 and cx.point is not None:
                inside = self.code.get(f"icmp slt i32 {cx.point.text}, {limit}")
                out = self.code.get(f"and i1 {out}, {inside}") if out else inside
        return out

    # --- statements

    def together(self, s: n.Stmt, lanes: list[Context]) -> None:
        """One statement of every point."""
        self.cx.at(s.span)
        if isinstance(s, (n.Load, n.Store)) and _vector(s, self.near):
            for k in range(0, len(lanes), self.width):
                self.access(s, lanes[k : k + self.width])
            return
        for cx in lanes:
            Statements(cx, self.arrays).statement(s)

    def access(self, s: Union[n.Load, n.Store], lanes: list[Context]) -> None:
        values = [] if isinstance(s, n.Load) else [expression(cx, s.value) for cx in lanes]
        a, at = memory.address(lanes[0], s)
        kind = stored_type(a.element)
        size = size_of(a.element) * self.width
        where = f"{pointer(a.space)} {at}, align {min(size, WIDEST)}"
        if isinstance(s, n.Load):
            mark = f", !invariant.load {self.proofs.invariant(self.cx.module)}" if a.constant else ""
            whole = self.code.get(f"load <{self.width} x {kind}>, {where}{mark}")
            for k, cx in enumerate(lanes):
                write(cx, s.target, self.part(a, whole, kind, k))
            return
        held = "poison"
        for k, (cx, v) in enumerate(zip(lanes, values, strict=True)):
            _, text = memory_form(cx, ar.convert(cx, v, a.element))
            held = self.code.get(f"insertelement <{self.width} x {kind}> {held}, {kind} {text}, i32 {k}")
        self.code.do(f"store <{self.width} x {kind}> {held}, {where}")

    def part(self, a: ArrayValue, whole: str, kind: str, k: int) -> Value:
        found = self.code.get(f"extractelement <{self.width} x {kind}> {whole}, i32 {k}")
        if isinstance(a.element, BoolType):
            return self.code.value(a.element, f"icmp ne i8 {found}, 0")
        return Value(a.element, found)

    def one_by_one(self, found: Shape, points: list[list[str]], limit: str) -> None:
        """The points as written, in a loop for each vector."""
        code = self.code
        for group in points:
            counter = code.reserve("i32")
            code.do(f"store i32 0, ptr {counter}")
            head, inside, again, end = (code.label(x) for x in ("point", "inside", "next", "done"))
            code.start(head)
            point = code.get(f"add nuw nsw i32 {group[0]}, {code.get(f'load i32, ptr {counter}')}")
            code.branch(code.get(f"icmp slt i32 {point}, {limit}"), inside, end)
            code.start(inside)
            writer = Statements(self.lane(point), self.arrays)
            writer.exits[""] = again
            writer.block(found.before)
            if found.guard is not None:
                work = code.label("work")
                code.branch(condition(writer.cx, found.guard), work, again)
                code.start(work)
            writer.block(found.body)
            code.start(again)
            after = code.get(f"add nuw nsw i32 {code.get(f'load i32, ptr {counter}')}, 1")
            code.do(f"store i32 {after}, ptr {counter}")
            code.branch(code.get(f"icmp slt i32 {after}, {self.width}"), head, end)
            code.start(end)


def _no_coordinate(cx: Context, kind: str, axis: int) -> Value:
    raise CompileError("the kernel knows its thread by more than the global index")
