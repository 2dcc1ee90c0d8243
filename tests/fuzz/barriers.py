"""Random kernels whose threads of a block share memory and meet at barriers.

Right ones and ones that are off by a little: a barrier too few, one that only some threads reach, an
index of a neighbour, a read of the wrong half of a double buffer. The block's threads work on one
or two shared arrays and on global memory, in straight lines, in loops that hold barriers, in uniform
and in divergent branches, and after early returns.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz.choose import Chooser, Seeded
from fuzz.expressions import ArrayParam, Expressions
from fuzz.generate import Program, module_text

MAX_LINES = 30
SHARED_SIZES = (4, 4, 5, 8, 2)


@dataclass
class BarrierWriter(Expressions):
    """Statements of one block's threads. `shared`: arrays with their text sizes along each axis."""

    shared: list[tuple[str, int]] = field(default_factory=list)  # name, rank
    counters: list[str] = field(default_factory=list)  # of loops around
    careful: bool = True  # mostly put the barriers where they belong

    # --- places -------------------------------------------------------------------------------

    def lane(self) -> str:
        """An index of shared memory."""
        options = ["t", "t", "t", "t", "0", "t + 1", "t - 1", "(t + 1) % cuda.blockDim.x", "t // 2", "1",
                   "3 - t", "cuda.blockDim.x - 1 - t", "2 * t", "t % 2", "cuda.threadIdx.x"]  # fmt: skip
        if self.counters and self.ch.chance(40):
            k = self.ch.pick(self.counters)
            return self.ch.pick((k, f"t + {k}", f"(t + {k}) % cuda.blockDim.x", f"t - {k}"))
        return self.ch.pick(options)

    def own(self) -> str:
        return "t" if self.ch.chance(75) else self.lane()

    def half(self) -> str:
        """The first subscript of a double buffer."""
        if self.counters and self.ch.chance(75):
            k = self.counters[-1]
            return self.ch.pick((f"{k} % 2", f"{k} % 2", f"({k} + 1) % 2", f"1 - {k} % 2"))
        return self.ch.pick(("0", "1", "t % 2"))

    def cell(self, own: bool = False) -> str:
        name, rank = self.ch.pick(self.shared)
        lane = self.own() if own else self.lane()
        return f"{name}[{lane}]" if rank == 1 else f"{name}[{self.half()}, {lane}]"

    def place(self) -> str:
        """An element of a global array."""
        a = self.ch.pick([a for a in self.arrays if a.role == "data"])
        p = self.ch.pick(
            ("i", "i", "i", "i", "t", "cuda.blockIdx.x", "i + 1", "cuda.blockIdx.x * cuda.blockDim.x", "0")
        )
        if a.ndim == 1:
            return f"{a.name}[{p}]"
        return f"{a.name}[{self.ch.pick(('i', 'cuda.blockIdx.x', 'j'))}, {self.ch.pick(('t', '0', 'i'))}]"

    def value(self) -> str:
        kind = self.ch.integer(0, 5)
        if kind <= 1:
            return self.ch.pick(("1", "0", "t", "n"))
        if kind <= 3:
            return self.cell()
        if kind == 4:
            return f"{self.cell()} + {self.cell()}"
        return self.place()

    def test(self) -> str:
        """A condition: uniform over the block, or not."""
        uniform = ("n > 2", "cuda.blockIdx.x == 0", "cuda.blockDim.x > 2", "cuda.blockIdx.x < n")
        divergent = ("t == 0", "t < 2", "t % 2 == 0", "t + 1 < cuda.blockDim.x", "t > 0", "i < n", "t < n",
                     "i < x.shape[0]", "t != 1")  # fmt: skip
        if self.counters and self.ch.chance(25):
            k = self.ch.pick(self.counters)
            return self.ch.pick((f"{k} == 0", f"{k} % 2 == 0", f"{k} > 0", f"t == {k}", f"t < {k}"))
        return self.ch.pick(uniform if self.ch.chance(35) else divergent)

    # --- statements ---------------------------------------------------------------------------

    def barrier(self) -> None:
        self.emit("cuda.syncthreads()")

    def store(self) -> None:
        kind = self.ch.integer(0, 9)
        if kind <= 5:
            self.emit(f"{self.cell(own=True)} {self.ch.pick(('=', '=', '=', '+='))} {self.value()}")
        elif kind <= 8:
            target = self.place()
            if self.ch.chance(80):
                self.emit(f"if i < {target.partition('[')[0]}.shape[0]:")
                self.nested(lambda: self.emit(f"{target} = {self.value()}"))
            else:
                self.emit(f"{target} = {self.value()}")
        else:
            flat = [name for name, rank in self.shared if rank == 1]
            if flat:
                self.emit(f"cuda.atomic.add({self.ch.pick(flat)}, {self.lane()}, 1)")
            else:
                self.barrier()

    def branch(self) -> None:
        self.emit(f"if {self.test()}:")
        inner = self.ch.chance(20)

        def body() -> None:
            self.store()
            if inner:
                self.barrier()
                self.store()

        self.nested(body)
        if self.ch.chance(30):
            self.emit("else:")
            self.nested(lambda: self.barrier() if inner and self.ch.chance(60) else self.store())

    def leave(self) -> None:
        word = (
            self.ch.pick(("break", "continue", "return")) if self.loops and self.ch.chance(70) else "return"
        )
        condition = self.ch.pick(
            ("n > 3", "cuda.blockIdx.x > 0", "n < cuda.blockIdx.x", "i >= n", "t >= n", "t > 2")
        )
        if self.counters and self.ch.chance(40):
            condition = (
                f"{self.counters[-1]} {self.ch.pick(('>', '==', '>='))} {self.ch.pick(('1', 'n', '2'))}"
            )
        self.emit(f"if {condition}:")
        self.nested(lambda: self.emit(word))

    def loop(self) -> None:
        if self.loops >= 2:
            return self.store()
        name = self.fresh("k")
        bound = self.ch.pick(("2", "3", "n", "cuda.blockDim.x", "x.shape[0]", "1, 3", "0, 4, 2", "n, 0, -1",
                              "t", "t, 4, cuda.blockDim.x"))  # fmt: skip
        self.emit(f"for {name} in range({bound}):")
        self.loops += 1
        self.counters.append(name)

        def body() -> None:
            if self.ch.chance(10):
                self.leave()
            if self.careful or self.ch.chance(50):
                self.store()
                self.barrier()
            self.statement()
            if self.ch.chance(65 if self.careful else 30):
                self.barrier()

        self.nested(body)
        self.counters.pop()
        self.loops -= 1
        return None

    def folding(self) -> None:
        """A halving or doubling loop over a flat shared array."""
        flat = [name for name, rank in self.shared if rank == 1]
        if not flat or self.loops:
            return self.store()
        s, w = self.ch.pick(flat), self.fresh("w")
        down = self.ch.chance(65)
        self.emit(f"{w} = {self.ch.pick(('cuda.blockDim.x // 2', '2', 'cuda.blockDim.x')) if down else '1'}")
        self.emit(
            f"while {w} {self.ch.pick(('> 0', '> 0', '>= 1'))}:" if down else f"while {w} < cuda.blockDim.x:"
        )
        self.loops += 1

        def body() -> None:
            if down:
                condition = self.ch.pick((f"t < {w}", f"t < {w}", f"t <= {w}", f"t + {w} < cuda.blockDim.x"))
            else:
                condition = self.ch.pick((f"t % (2 * {w}) == 0", f"t + {w} < cuda.blockDim.x", f"t >= {w}"))
            other = f"t - {w}" if ">=" in condition else f"t + {w}"
            self.emit(f"if {condition}:")
            self.nested(lambda: self.emit(f"{s}[t] += {s}[{other}]"))
            if self.ch.chance(80):
                self.barrier()
            self.emit(f"{w} //= 2" if down else f"{w} *= 2")

        self.nested(body)
        self.loops -= 1
        return None

    def statement(self) -> None:
        if self.depth > 3 or len(self.lines) > MAX_LINES:
            self.store()
            return
        kind = self.ch.integer(0, 99)
        table = ((38, self.store), (56, self.barrier), (70, self.branch), (85, self.loop), (94, self.folding))
        for limit, make in table:
            if kind < limit:
                make()
                return
        self.leave()

    # --- kernels ------------------------------------------------------------------------------

    def kernel(self) -> None:
        self.careful = self.ch.chance(65)
        for _ in range(self.ch.pick((1, 1, 2))):
            name, rank = self.fresh("s"), self.ch.pick((1, 1, 1, 2))
            size = self.ch.pick(SHARED_SIZES)
            self.emit(f"{name} = cuda.shared.array({size if rank == 1 else f'(2, {size})'}, numba.int32)")
            self.shared.append((name, rank))
        self.emit("t = cuda.threadIdx.x")
        if self.rank == 2:
            self.emit("i, j = cuda.grid(2)")
        else:
            self.emit(
                "i = "
                + self.ch.pick(("cuda.grid(1)", "cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x"))
            )
        if self.ch.chance(15):
            self.leave()
        if self.ch.chance(85):
            self.fill()
        for _ in range(self.ch.pick((1, 1, 2, 2, 3))):
            self.statement()
            if self.careful and self.ch.chance(60):
                self.barrier()

    def fill(self) -> None:
        """Give every shared array a value, and mostly wait for it."""
        for name, rank in self.shared:
            for first in ("",) if rank == 1 else ("0, ", "1, "):
                self.emit(f"{name}[{first}t] = {self.ch.pick(('t', '0', '1'))}")
        if self.ch.chance(90):
            self.barrier()


def program(ch: Chooser, seed: str = "") -> Program:
    """One random program with barriers."""
    rank = ch.pick((1, 1, 1, 1, 2))
    arrays = [ArrayParam("x", rank, "data", "int32"), ArrayParam("y", 1, "data", "float32")][
        : ch.pick((1, 2))
    ]
    w = BarrierWriter(ch, rank, arrays, ["n"])
    w.kernel()
    return Program(module_text(w, ch.chance(20)), rank, tuple(arrays), ("n",), seed)


def seeded(seed: int | str) -> Program:
    """The program of a seed: quick, for runs over tens of thousands."""
    return program(Seeded(f"barriers/{seed}"), f"barriers/{seed}")
