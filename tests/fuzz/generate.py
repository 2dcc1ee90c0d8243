"""Random small Numba-CUDA kernels as source text: right ones, and ones that are off by a little.

A program is a module with one kernel `k` and, at times, device functions. Everything that a real
kernel does with an index is here in small: arithmetic, guards (right, off by one, missing, on the
wrong axis), early returns, grid-stride and nested loops, gathers, views, atomics, neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass

from fuzz.choose import Chooser, Seeded
from fuzz.expressions import ArrayParam, Expressions

MAX_LINES = 26


@dataclass(frozen=True)
class Program:
    """A generated module. `rank`: of the launch. `scalars` are integer parameters.

    `blocks`: the sizes of the blocks that it is for; none: small ones.
    """

    text: str
    rank: int
    arrays: tuple[ArrayParam, ...]
    scalars: tuple[str, ...]
    seed: str = ""
    blocks: tuple[int, ...] = ()


DEVICE_FUNCTIONS = {
    "shift": "@cuda.jit(device=True)\ndef shift(a, b):\n    return a + b - 1\n",
    "clamp": (
        "@cuda.jit(device=True)\ndef clamp(a, lo, hi):\n    if a < lo:\n        return lo\n"
        "    if a > hi:\n        return hi\n    return a\n"
    ),
    "put": "@cuda.jit(device=True)\ndef put(a, p, v):\n    if p < a.size:\n        a[p] = v\n",
    "loose_put": "@cuda.jit(device=True)\ndef loose_put(a, p, v):\n    a[p] = v\n",
}


@dataclass
class Writer(Expressions):
    """Statements and whole kernels."""

    # --- statements ---------------------------------------------------------------------------

    def target(self) -> str:
        a = self.ch.pick([a for a in self.arrays if a.role == "data"])
        return f"{a.name}[{self.subscripts(a)}]"

    def access(self) -> None:
        kind = self.ch.integer(0, 9)
        if kind <= 5:
            self.emit(f"{self.target()} = {self.value()}")
        elif kind <= 7:
            self.emit(f"{self.target()} {self.ch.pick(('+=', '-=', '*='))} {self.value()}")
        else:
            self.atomic()

    def atomic(self) -> None:
        a = self.ch.pick([a for a in self.arrays if a.role == "data"])
        subs = self.subscripts(a)
        place = subs if a.ndim == 1 else f"({subs})"
        name = self.ch.pick(("add", "add", "add", "max", "min", "sub"))
        self.emit(f"cuda.atomic.{name}({a.name}, {place}, {self.ch.pick(('1', self.value()))})")

    def local(self) -> None:
        name = self.fresh("t")
        self.emit(f"{name} = {self.index()}")
        self.names.append(name)

    def gather(self) -> None:
        indices = [a for a in self.arrays if a.role == "index"]
        if not indices:
            return self.access()
        a, name = self.ch.pick(indices), self.fresh("g")
        self.emit(f"{name} = {a.name}[{self.near()}]")
        out = self.ch.pick(self.of_rank(1) or self.arrays)
        self.names.append(name)
        store = f"{out.name}[{name}]" if out.ndim == 1 else f"{out.name}[{name}, {name}]"
        if self.ch.chance(60):
            self.emit(
                f"if {self.ch.pick(('0 <= ' + name, name + ' >= 0'))} and {name} < {out.name}.shape[0]:"
            )
            self.nested(lambda: self.emit(f"{store} {self.ch.pick(('=', '+='))} {self.value()}"))
        else:
            self.emit(f"{store} = {self.value()}")
        return None

    def view(self) -> None:
        name = self.fresh("v")
        flat, deep = self.of_rank(1), self.of_rank(2)
        if deep and (not flat or self.ch.chance(60)):
            a = self.ch.pick(deep)
            how = self.ch.pick((f"{self.near()}", f"{self.near()}, :", f":, {self.near()}"))
            self.emit(f"{name} = {a.name}[{how}]")
        else:
            a = self.ch.pick(flat)
            p = self.leaf()
            how = self.ch.pick(("1:", ":-1", "::2", f"{p}:", f"{p}:{self.term(p)} + 2", "1:-1"))
            self.emit(f"{name} = {a.name}[{how}]")
        if self.ch.chance(50):
            self.emit(f"if 0 <= {self.leaf()} < {name}.size:")
            self.nested(lambda: self.emit(f"{name}[{self.near()}] = {self.value()}"))
        else:
            self.emit(f"{name}[{self.near()}] = {self.value()}")

    def branch(self) -> None:
        self.emit(f"if {self.condition()}:")
        self.nested(self.statement)
        if self.ch.chance(25):
            self.emit("else:")
            self.nested(self.statement)

    def leave(self) -> None:
        self.emit(f"if {self.condition()}:")
        word = self.ch.pick(("return", "break", "continue")) if self.loops else "return"
        self.nested(lambda: self.emit(word))

    def bounds(self) -> str:
        p = self.points[0] if self.points else "0"
        if self.tame and self.ch.chance(50):
            first = self.ch.pick(self.arrays)
            return f"{p}, {self.extent_of(first, 0)}, {self.ch.pick(('cuda.gridsize(1)', '1'))}"
        stop = self.ch.pick((self.extent(), "n"))
        return self.ch.pick((
            f"{p}, {stop}, cuda.gridsize(1)" if self.rank == 1 else f"{p}, {stop}, 2",
            stop, str(self.ch.integer(1, 3)), f"{p}, {stop}, cuda.blockDim.x * cuda.gridDim.x",
            f"1, {stop}", f"{stop} - 1, -1, -1", f"{p}, {p} + {self.ch.integer(1, 3)}",
            f"0, {stop}, {self.ch.integer(2, 3)}", f"{p}, {stop}, cuda.blockDim.x", f"{p}, {stop}",
        ))  # fmt: skip

    def loop(self) -> None:
        if self.loops >= 2:
            return self.access()
        name = self.fresh("k")
        self.emit(f"for {name} in range({self.bounds()}):")
        self.loops += 1

        def body() -> None:
            self.points.append(name)
            if self.ch.chance(60):
                self.points = [name, *self.points]
            if self.ch.chance(12):
                self.leave()
            self.statement()
            if self.ch.chance(40):
                self.statement()

        self.nested(body)
        self.loops -= 1
        return None

    def while_loop(self) -> None:
        if self.loops >= 2:
            return self.access()
        name = self.fresh("w")
        halving = self.ch.chance(40)
        start = "cuda.blockDim.x // 2" if halving else self.leaf()
        step = f"{name} //= 2" if halving else f"{name} += {self.ch.pick(('1', '2', 'cuda.blockDim.x'))}"
        self.emit(f"{name} = {start}")
        self.emit(f"while {name} > 0:" if halving else f"while {name} < {self.extent()}:")
        self.loops += 1

        def body() -> None:
            self.points.append(name)
            self.access()  # no `continue` here: the step must be reached
            if halving and self.ch.chance(30):
                self.emit("cuda.syncthreads()")
            self.emit(step)

        self.nested(body)
        self.loops -= 1
        return None

    def device(self) -> None:
        name = self.ch.pick(("put", "loose_put"))
        flat = self.of_rank(1)
        if not flat:
            return self.access()
        self.used.add(name)
        self.emit(f"{name}({self.ch.pick(flat).name}, {self.near()}, {self.value()})")
        return None

    def barrier(self) -> None:
        self.emit("cuda.syncthreads()")

    def shared(self) -> None:
        name = self.fresh("s")
        self.emit(f"{name} = cuda.shared.array({self.ch.integer(2, 6)}, numba.int32)")
        self.emit(f"{name}[cuda.threadIdx.x] = {self.value()}")
        if self.ch.chance(80):
            self.barrier()
        self.emit(f"{self.target()} = {name}[{self.ch.pick(('cuda.threadIdx.x', '0', self.near()))}]")

    def statement(self) -> None:
        """One statement; small ones once the program is long or deep."""
        if self.depth > 4 or len(self.lines) > MAX_LINES:
            self.access()
            return
        kind = self.ch.integer(0, 99)
        table = (
            (45, self.access), (53, self.local), (64, self.branch), (76, self.loop), (83, self.gather),
            (88, self.view), (91, self.while_loop), (94, self.device), (97, self.leave), (98, self.shared),
        )  # fmt: skip
        for limit, make in table:
            if kind < limit:
                make()
                return
        self.barrier()

    # --- kernels ------------------------------------------------------------------------------

    def start(self) -> None:
        """The coordinates, then a guard of some kind around the body."""
        if self.rank == 1:
            self.emit("i = " + self.ch.pick((
                "cuda.grid(1)", "cuda.grid(1)", "cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x",
                "cuda.threadIdx.x + cuda.blockDim.x * cuda.blockIdx.x", "cuda.threadIdx.x", "cuda.blockIdx.x",
                "cuda.blockIdx.x * cuda.gridDim.x + cuda.threadIdx.x", "cuda.grid(1) * 2",
                "cuda.blockIdx.x * 4 + cuda.threadIdx.x",
            )))  # fmt: skip
            self.points = ["i"]
            return
        self.emit(self.ch.pick((
            "i, j = cuda.grid(2)", "i, j = cuda.grid(2)", "j, i = cuda.grid(2)",
            "i, j = cuda.blockIdx.x, cuda.threadIdx.x", "i, j = cuda.blockIdx.y, cuda.grid(1)",
        )))  # fmt: skip
        self.points = ["i", "j"]

    def guard(self) -> str | None:
        """A condition under which the body is meant to run; None for a missing guard."""
        kind = self.ch.integer(0, 9)
        limits = []
        if self.tame and kind:
            return self.full_guard()
        a = self.ch.pick(self.arrays if kind < 8 else self.arrays[:1])
        for axis, p in enumerate(self.points):
            own = self.extent_of(a, min(axis, a.ndim - 1))
            limit = own if self.ch.chance(70) else self.ch.pick(self.scalars)
            limits.append((p, limit))
        if kind == 0:
            return None
        if kind == 1:
            return " and ".join(f"{p} <= {x}" for p, x in limits)
        if kind == 2:
            return " and ".join(f"0 < {p} < {x} - 1" for p, x in limits)
        if kind == 3 and len(limits) == 2:
            return f"{limits[0][0]} < {limits[1][1]} and {limits[1][0]} < {limits[0][1]}"
        if kind == 4:
            return f"{limits[0][0]} + 1 < {limits[0][1]}"
        return " and ".join(f"{p} < {x}" for p, x in limits)

    def full_guard(self) -> str:
        """Every array's extents bound the points."""
        parts = []
        for axis, p in enumerate(self.points):
            for a in self.arrays:
                if axis < a.ndim:
                    parts.append(f"{p} < {self.extent_of(a, axis)}")
        return " and ".join(dict.fromkeys(parts))

    def kernel(self, tame: bool = False) -> None:
        self.tame = self.ch.chance(45) or tame
        self.start()
        guard = self.guard()
        early = self.ch.chance(35)
        if guard is None:
            self.body()
        elif early:
            self.emit(f"if not ({guard}):" if self.ch.chance(60) else f"if {self.inverse(guard)}:")
            self.nested(lambda: self.emit("return"))
            self.body()
        else:
            self.emit(f"if {guard}:")
            self.nested(self.body)

    def inverse(self, guard: str) -> str:
        """The early-return form of a guard."""
        if " < " in guard and "<=" not in guard and guard.count("<") == guard.count(" and ") + 1:
            return guard.replace(" < ", " >= ").replace(" and ", " or ")
        return f"not ({guard})"

    def body(self) -> None:
        for _ in range(self.ch.pick((1, 1, 2, 2, 3, 4))):
            self.statement()


def program(ch: Chooser, seed: str = "", tame: bool = False) -> Program:
    """One random program; a tame one stays close to what is right."""
    rank = ch.pick((1, 1, 1, 2))
    arrays = [
        ArrayParam(name, ch.pick((rank, rank, 1, 2)) if name != "x" else rank, "data", dtype)
        for name, dtype in (("x", "float32"), ("y", ch.pick(("float32", "int32"))), ("z", "float64"))
    ][: ch.pick((1, 2, 2, 3))]
    if ch.chance(25):
        arrays.append(ArrayParam("idx", 1, "index", ch.pick(("int32", "int64"))))
    scalars = ["n", "m"][: ch.pick((1, 1, 2))]
    w = Writer(ch, rank, arrays, scalars)
    w.kernel(tame)
    return Program(module_text(w, ch.chance(30)), rank, tuple(arrays), tuple(scalars), seed)


def module_text(w: Expressions, typed: bool) -> str:
    head = ["import numba", "from numba import cuda", ""]
    functions = [DEVICE_FUNCTIONS[name] + "\n" for name in sorted(w.used)]
    params = [a.name for a in w.arrays] + w.scalars
    kinds = [f"{a.dtype}[{', '.join(':' * a.ndim)}]" for a in w.arrays] + ["int64"] * len(w.scalars)
    decorator = f'@cuda.jit("void({", ".join(kinds)})")' if typed else "@cuda.jit"
    return "\n".join([*head, *functions, decorator, f"def k({', '.join(params)}):", *w.lines, ""])


def seeded(seed: int | str, tame: bool = False) -> Program:
    """The program of a seed: quick, for runs over tens of thousands."""
    return program(Seeded(seed), str(seed), tame)
