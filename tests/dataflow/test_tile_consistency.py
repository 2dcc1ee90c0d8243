"""Random tile kernels: every element that the interpreter touches is an instance of its access."""

from __future__ import annotations

import contextlib
import itertools
import random

import pytest

from gpulint import term as t
from gpulint.dataflow import Access, IntOp, analyse
from gpulint.interp import ConcreteArray
from gpulint.interp.thread import Halt
from gpulint.interp.tile import TileMachine
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.ir.types import INT32
from tests import tiles as b

SIZE = 64
TRIPS = 9  # loops are shorter
B = b.v("B")


class Generator:
    """A random kernel over idx, out, count and the scalars n and B; `B` is the size of every tile.

    `straight`: with loops of a known number of trips for its only control flow.
    """

    def __init__(self, seed: int, straight: bool = False) -> None:
        self.r = random.Random(seed)
        self.straight = straight
        self.scalars = ["n"]
        self.tiles: list[str] = []
        self.count = 0

    def scalar(self, depth: int = 0) -> b.X:
        kind = self.r.choice(
            ["name", "name", "number", "pid", "op", "op"] if depth < 2 else ["name", "number"]
        )
        if kind == "name":
            return b.v(self.r.choice(self.scalars))
        if kind == "number":
            return b.x(self.r.randint(-2, 5))
        if kind == "pid":
            return self.r.choice([b.pid(), b.programs()])
        return self.operation(self.scalar(depth + 1), self.scalar(depth + 1))

    def tile(self, depth: int = 0) -> b.X:
        """A value of rank 1."""
        names = ["name"] * 3 if self.tiles else []
        kind = self.r.choice([*names, "lane", "turn", "mixed", "op"] if depth < 2 else [*names, "lane"])
        if kind == "name":
            return b.v(self.r.choice(self.tiles))
        if kind == "lane":
            return b.arange(B)
        if kind == "turn":
            return self.tile(depth + 1).move((b.arange(B) + self.r.randint(0, 3)) % B)
        other = self.tile(depth + 1) if kind == "op" else self.scalar(depth + 1)
        return self.operation(self.tile(depth + 1), other)

    def operation(self, x: b.X, y: b.X) -> b.X:
        kind = self.r.choice(["+", "+", "-", "*", "//", "%", "min", "where"])
        if kind in ("//", "%"):
            return x // self.r.randint(1, 4) if kind == "//" else x % self.r.randint(1, 5)
        if kind == "min":
            return b.X(n.Binary("min", x.e, y.e, INT32))
        if kind == "where":
            return b.where(self.compare(x, y), x, y)
        return {"+": x + y, "-": x - y, "*": x * y}[kind]

    def compare(self, x: b.X, y: b.X) -> b.X:
        return self.r.choice([x < y, x <= y, x > y, x.same(y)])

    def flag(self) -> b.X:
        return self.compare(self.scalar(1), self.scalar(1))

    def mask(self, x: b.X) -> b.X | None:
        kind = self.r.choice(["none", "one", "two"])
        if kind == "none":
            return None
        one = self.compare(x, self.scalar(1))
        return one if kind == "one" else one & (self.tile(1) < b.v("n"))

    def name(self, kind: str) -> str:
        self.count += 1
        return f"{kind}{self.count}"

    def statement(self, depth: int, inside: bool) -> list[n.Stmt]:
        kinds = ["store"] * 4 + ["square", "load", "load", "let", "let", "step", "atomic", "flat"]
        if depth < 3:
            kinds += ["branch", "counted", "counted", "until"]
        if self.straight:
            kinds = [kind for kind in kinds if kind not in ("branch", "until")]
        else:
            kinds += ["leave"] if depth else []
            kinds += ["break", "continue"] if inside else []
        return list(getattr(self, f"_{self.r.choice(kinds)}")(depth, inside))

    def block(self, depth: int, inside: bool, size: int = 3) -> tuple[n.Stmt, ...]:
        kept = list(self.scalars), list(self.tiles)
        out = [s for _ in range(self.r.randint(1, size)) for s in self.statement(depth, inside)]
        self.scalars, self.tiles = kept
        return tuple(out)

    def _store(self, depth: int, inside: bool):
        where = self.tile()
        yield b.store("out", where, B, self.mask(where), value=where)

    def _flat(self, depth: int, inside: bool):
        yield b.store("out", self.scalar(), (), None, value=self.scalar(1))

    def _square(self, depth: int, inside: bool):
        row, col = self.tile(1), self.tile(1)
        mask = self.r.choice([None, (row.col(B) < self.scalar(1)) & (col.row(B) >= 0)])
        yield b.store("out", row.col(B) * self.r.randint(1, 6) + col.row(B), (B, B), mask)

    def _load(self, depth: int, inside: bool):
        where, name = self.tile(1), self.name("i")
        array, other = self.r.choice(["idx", "idx", "idx", "out"]), self.r.choice([None, 0, self.scalar(1)])
        yield b.load(name, array, where, B, self.mask(where), other, type_=INT32)
        self.tiles.append(name)

    def _atomic(self, depth: int, inside: bool):
        where, name = self.tile(1), self.name("old")
        yield b.atomic("count", where, B, self.mask(where), target=name)

    def _let(self, depth: int, inside: bool):
        if self.r.random() < 0.5:
            value, names, name = self.scalar(), self.scalars, self.name("s")
        else:
            value, names, name = self.tile(), self.tiles, self.name("t")
        yield b.let(name, value)
        names.append(name)

    def _step(self, depth: int, inside: bool):
        """A local changes, perhaps from one iteration to the next."""
        if self.tiles and self.r.random() < 0.7:
            name = self.r.choice(self.tiles)
            turned = b.v(name).move(B - 1 - b.arange(B))
            yield b.let(name, self.r.choice([b.v(name) + self.scalar(1), b.v(name) + 2, turned]))
        elif len(self.scalars) > 1:
            name = self.r.choice(self.scalars[1:])
            yield b.let(name, self.r.choice([b.v(name) + 1, b.v(name) * 2, b.v(name) // 2]))

    def _branch(self, depth: int, inside: bool):
        yield b.when(self.flag(), *self.block(depth + 1, inside), other=self.block(depth + 1, inside, 1))

    def _counted(self, depth: int, inside: bool):
        name, r = self.name("k"), self.r
        stop = b.X(n.Binary("min", self.scalar(1).e, b.x(4).e, INT32))
        start, stop, step = r.choice(
            [(0, stop, 1), (b.pid(), stop, 1), (0, b.cdiv(b.v("n"), B), 1), (0, 7, B)]
        )
        if self.straight:
            start, stop, step = r.choice([(0, 3, 1), (b.pid(), 5, 1), (0, 7, B), (1, 6, 2)])
        self.scalars.append(name)
        carried = self.tiles[-1:]
        body = self.block(depth + 1, True)
        self.scalars.remove(name)
        advance = [b.let(c, b.v(c) + r.choice([1, B, self.scalar(1)])) for c in carried]
        yield b.loop(name, start, stop, step, *body, *advance)

    def _until(self, depth: int, inside: bool):
        name = self.name("w")
        yield b.let(name, self.r.choice([0, b.pid()]))
        self.scalars.append(name)
        body = self.block(depth + 1, True, 2)
        step = b.let(name, b.v(name) + self.r.choice([1, B]))
        yield n.While((), (b.v(name) < self.r.choice([5, b.v("n")])).e, (step, *body))

    def _leave(self, depth: int, inside: bool):
        yield b.when(self.flag(), n.Leave())

    def _break(self, depth: int, inside: bool):
        yield b.when(self.flag(), n.Break())

    def _continue(self, depth: int, inside: bool):
        yield b.when(self.flag(), n.Continue())

    def kernel(self) -> n.Kernel:
        body = [s for _ in range(self.r.randint(2, 6)) for s in self.statement(0, False)]
        return b.kernel(*body, b.store("out", b.v("n"), (), False), element=INT32)


def run(k: n.Kernel, seed: int, largest: int = 9):
    """One program run, and the numbers of its launch and of `idx`."""
    r = random.Random(seed)
    numbers = [r.randint(-1, largest) for _ in range(SIZE)]
    arrays = {name: ConcreteArray((SIZE,)) for name in ("out", "count")}
    arrays["idx"] = ConcreteArray((SIZE,), lambda i: numbers[i[0]], dtype="int32")
    grid, size, limit = r.randint(1, 3), r.choice([2, 4]), r.randint(0, 7 if largest == 9 else largest)
    at = r.randrange(grid)
    launch = b.launch(grid, 3, (((at, 0, 0), (0, 0, 0)),), arrays, n=limit, B=size)
    machine = TileMachine(k, launch)
    with contextlib.suppress(Halt):
        machine.start()
    known = {symbols.block(0): at, symbols.grid_size(0): grid, symbols.param("n"): limit,
             **{symbols.extent(a, 0, 1): SIZE for a in arrays},
             **{symbols.scalar(p): size for p in k.params if p.name == "B"}}  # fmt: skip
    return machine, {term.atom: value for term, value in known.items()}, numbers


def touches(machine: TileMachine):
    """(element, touch) of every access, none when something stopped the program."""
    stops = {"step-limit", "not-executable", "unknown-branch", "wrap"}
    if any(v.kind in stops for v in machine.outcome.violations):
        return []
    cells = machine.accesses.history.cells
    return [(place, touch) for (_, place), cell in cells.items() for touch in cell.values()]


def holds(domain: t.Bool, goal: t.Bool, loops, known, numbers: list[int]) -> bool | None:
    """Whether both hold in some iteration; None: an unknown decides."""
    free = {
        lp.trips.atom: TRIPS
        for lp in loops
        if isinstance(lp.trips.atom, t.Sym) and lp.trips.atom not in known
    }

    def loader(app: t.App, args: tuple[int, ...]) -> int:
        if app.op == "load" and 0 <= args[0] < SIZE:
            return numbers[args[0]]
        raise t.Unbound(app)

    unsure = False
    for trips in itertools.product(*(range(TRIPS) for _ in loops)):
        here = {**known, **free, **{lp.counter: i for lp, i in zip(loops, trips, strict=True)}}
        try:
            if t.holds(domain, here, loader) and t.holds(goal, here, loader):
                return True
        except (t.Unbound, ZeroDivisionError):
            unsure = True
    return None if unsure else False


def covered(a: Access, element: int, at: tuple[int, ...], known, numbers: list[int]) -> bool | None:
    """Whether the element is an instance of the access at these lanes; None: an unknown decides."""
    env = {**known, **{lane: i for (lane, _), i in zip(a.lanes, at, strict=True)}}
    return holds(a.domain, t.eq(a.subscripts[0], element), a.loops, env, numbers)


def leaves(op: IntOp, known, numbers: list[int]) -> bool | None:
    """Whether the operation leaves its width at some lanes; None: an unknown decides."""
    lanes = sorted(
        (s for s in t.symbols(op.term, op.guard) if s.name.startswith("lane")), key=lambda s: s.name
    )
    term = t.or_(t.lt(op.term, op.type.lo), t.gt(op.term, op.type.hi))
    answers = [
        holds(op.domain, term, op.loops, {**known, **dict(zip(lanes, at, strict=True))}, numbers)
        for at in itertools.product(range(4), repeat=len(lanes))
    ]
    return True if True in answers else None if None in answers else False


def unforeseen(seed: int) -> tuple[list[str], int]:
    """The operations that left their width and that no operation of the access set stands for."""
    k = Generator(seed, straight=True).kernel()
    found = analyse(k).ops
    bad, good = [], 0
    for case in range(3):
        machine, known, numbers = run(k, seed * 10 + case, 2**31 - 1)
        first = next(iter(machine.outcome.of("wrap")), None)  # later ones build on what wrapped
        if first is None or first.detail.startswith("loop counter"):
            continue
        answers = [leaves(o, known, numbers) for o in found if o.span == first.span]
        good += any(answers)
        if not any(answers) and None not in answers:
            bad.append(f"seed {seed}: {first.detail} at {first.point} with {known}")
    return bad, good


def uncovered(seed: int) -> tuple[list[str], int]:
    k = Generator(seed).kernel()
    found = {id(a.stmt): a for a in analyse(k).accesses}
    bad, good = [], 0
    for case in range(3):
        machine, known, numbers = run(k, seed * 10 + case)
        for element, touch in touches(machine)[:40]:
            a = found.get(id(touch.stmt))
            answer = a is not None and covered(a, element, touch.at, known, numbers)
            good += answer is True
            if answer is False:
                bad.append(f"seed {seed}: {touch.mode} [{element}] at {touch.at} with {known}")
    return bad, good


@pytest.mark.parametrize("batch", range(6))
def test_every_touched_element_is_covered(batch):
    total = 0
    for seed in range(batch * 20, batch * 20 + 20):
        bad, good = uncovered(seed)
        assert not bad, bad[0]
        total += good
    assert total > 100  # the programs do run


@pytest.mark.parametrize("batch", range(4))
def test_every_operation_that_wraps_is_asked_about(batch):
    total = 0
    for seed in range(batch * 30, batch * 30 + 30):
        bad, good = unforeseen(seed)
        assert not bad, bad[0]
        total += good
    assert total > 5


def test_the_check_can_fail():
    k = b.kernel(b.store("out", b.arange(B), B, b.arange(B) < b.v("n")))
    (access,) = analyse(k).accesses
    known = {
        symbols.param("n").atom: 2,
        symbols.scalar(k.params[1]).atom: 4,
        symbols.scalar(k.params[2]).atom: 2,
    }
    assert covered(access, 1, (1,), known, []) is True
    assert covered(access, 2, (2,), known, []) is False
    assert covered(access, 0, (1,), known, []) is False
