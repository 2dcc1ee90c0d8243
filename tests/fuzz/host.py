"""Random programs with their host code: `main` makes the arrays and launches the kernel.

The sizes are numbers, inputs of `main`, or those of an array that `main` is given; the grid is rounded
up, rounded down, off by one or plain wrong; a check of the inputs may come first.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz import barriers, generate
from fuzz.choose import Chooser, Seeded
from fuzz.expressions import ArrayParam
from fuzz.generate import Program

BLOCKS = (4, 2, 3, 1, 8)


@dataclass(frozen=True)
class HostProgram:
    """`kernel` is the program that `main` launches; `numbers` and `given` are the inputs of `main`."""

    text: str
    kernel: Program
    numbers: tuple[str, ...]
    given: tuple[ArrayParam, ...]
    seed: str


@dataclass
class HostWriter:
    """The lines of `main`, and what it knows so far: sizes as texts, arrays as names."""

    ch: Chooser
    program: Program
    numbers: list[str]
    lines: list[str]
    given: list[ArrayParam]
    sizes: list[str]
    made: list[ArrayParam]
    helper: list[str] = field(default_factory=list)
    careful: bool = False  # one size, a grid rounded up, arguments that fit

    def emit(self, line: str) -> None:
        self.lines.append(f"    {line}")

    def size(self) -> str:
        """A number for an extent: mostly the one that all arrays share."""
        if self.ch.chance(75) or self.careful:
            return self.sizes[0]
        extra = [f"{self.sizes[0]} + 1", f"2 * {self.sizes[0]}", str(self.ch.integer(1, 8)), *self.sizes]
        return self.ch.pick(extra)

    def array(self, a: ArrayParam) -> None:
        """Bind the argument of an array parameter."""
        same = [b for b in self.made if b.ndim == a.ndim and b.dtype == a.dtype]
        dtype = f"np.{a.dtype}"
        kind = self.ch.integer(0, 9)
        if kind <= 1 and a.role == "data":
            self.given.append(a)
        elif kind == 2 and same:
            self.emit(f"{a.name} = cuda.device_array_like({self.ch.pick(same).name})")
        elif a.role == "index":
            self.emit(f"{a.name} = cuda.to_device(np.arange({self.size()}, dtype={dtype}))")
        else:
            extents = [self.size() if axis == 0 else self.second() for axis in range(a.ndim)]
            shape = extents[0] if a.ndim == 1 else f"({', '.join(extents)})"
            how = self.ch.pick((
                f"cuda.to_device(np.zeros({shape}, dtype={dtype}))",
                f"cuda.device_array({shape}, dtype={dtype})",
                f"cuda.to_device(np.ones({shape}, dtype={dtype}))",
                f"cuda.device_array({shape}, {dtype})",
            ))  # fmt: skip
            self.emit(f"{a.name} = {how}")
        self.made.append(a)

    def second(self) -> str:
        return self.sizes[1] if len(self.sizes) > 1 and self.ch.chance(80) else self.size()

    def blocks(self, size: str, threads: str) -> str:
        """A number of blocks for `size` elements."""
        s = size if size.isidentifier() or size.endswith((".size", "]")) else f"({size})"
        right = (f"({size} + {threads} - 1) // {threads}", f"math.ceil({s} / {threads})",
                 f"-(-{s} // {threads})", f"({size} + ({threads} - 1)) // {threads}")  # fmt: skip
        off = (f"{s} // {threads}", f"{s} // {threads} + 1", f"max(1, {s} // {threads})", "1", "2",
               f"({size} + {threads} - 1) // {threads} + 1", size,
               f"{s} // {threads} + ({s} % {threads} != 0)")  # fmt: skip
        return self.ch.pick(right if self.ch.chance(65) or self.careful else off)

    def extent(self) -> str:
        """The size that the grid is made for."""
        x = self.program.arrays[0]
        own = f"{x.name}.shape[0]" if x.ndim > 1 else self.ch.pick((f"{x.name}.size", f"{x.name}.shape[0]"))
        return own if (self.given and x in self.given) or self.ch.chance(40) else self.sizes[0]

    def launch(self) -> None:
        threads = str(self.ch.pick(BLOCKS))
        if self.ch.chance(60):
            self.emit(f"threads = {threads}")
            threads = "threads"
        grid, block = [self.blocks(self.extent(), threads)], [threads]
        if self.program.rank == 2:
            x = self.program.arrays[0]
            size = f"{x.name}.shape[1]" if x.ndim > 1 and self.ch.chance(70) else self.sizes[-1]
            second = str(self.ch.pick((2, 4, 1)))
            grid.append(self.blocks(size, second))
            block.append(second)
        elif self.ch.chance(6) and not self.careful:
            grid.append(self.ch.pick(("1", "m", "2")))
        elif self.ch.chance(4) and not self.careful:
            block.append(self.ch.pick(("1", "2", "m")))
        self.place(f"k[{_tuple(grid)}, {_tuple(block)}]", self.arguments())

    def place(self, how: str, arguments: list[str]) -> None:
        """The launch itself: mostly plain, else in a loop over a scalar, in a branch, or in a helper."""
        kind = self.ch.integer(0, 19)
        text = f"{how}({', '.join(arguments)})"
        if kind == 0 and self.program.scalars:
            self.emit(f"for s in range({self.ch.pick((self.sizes[0], '3', '1, m'))}):")
            self.emit(f"    {how}({', '.join([*arguments[:-1], 's'])})")
        elif kind == 1:
            self.emit(f"if {self.numbers[0]} {self.ch.pick(('> 4', '<= m', '% 2 == 0'))}:")
            self.emit(f"    {text}")
            if self.ch.chance(50):
                self.emit("else:")
                self.emit(f"    k[{_tuple(['2'] * self.program.rank)}, 2]({', '.join(arguments)})")
        elif kind == 2:
            names = [a.name for a in self.program.arrays]
            size = self.sizes[0]
            own = [*names, *("size" for _ in self.program.scalars)]
            self.helper = [
                f"def _start({', '.join([*names, 'size'])}):",
                f"    k[(size + 3) // 4, 4]({', '.join(own)})",
            ]
            self.emit(f"_start({', '.join([*names, size])})")
        else:
            self.emit(text)

    def arguments(self) -> list[str]:
        out = [a.name for a in self.program.arrays]
        x = self.program.arrays[0]
        for _ in self.program.scalars:
            common = (self.sizes[0], self.sizes[0], f"{x.name}.shape[0]", f"{self.sizes[0]} - 1")
            other = (self.sizes[-1], str(self.ch.integer(0, 8)), self.numbers[-1], "len(" + x.name + ")")
            out.append(self.ch.pick(common[:3] if self.careful else common if self.ch.chance(75) else other))
        return out

    def check(self) -> None:
        """A condition on the inputs that the host makes sure of."""
        n = self.ch.pick(self.numbers)
        kind = self.ch.integer(0, 6)
        if kind == 0:
            self.emit(f"if {n} <= {self.ch.pick(('0', '1', '3'))}:")
            self.emit("    return")
        elif kind == 1:
            self.emit(f"if {n} % {self.ch.pick(('2', '4'))} != 0:")
            self.emit(f'    raise ValueError("{n}")')
        elif kind == 2:
            self.emit(f"assert {n} {self.ch.pick(('> 0', '>= 2', '<= 8', '< 6'))}")

    def main(self) -> None:
        if self.ch.chance(50):
            self.check()
        constant = self.ch.chance(15)
        self.sizes = [str(self.ch.integer(1, 9))] if constant else [self.ch.pick(self.numbers)]
        self.sizes.append(self.ch.pick((*self.numbers, self.sizes[0])))
        for a in self.program.arrays:
            self.array(a)
        pairs = [(a, b) for a in self.given for b in self.program.arrays if a is not b and a.ndim == b.ndim]
        if pairs and self.ch.chance(60):
            a, b = self.ch.pick(pairs)
            self.emit(f"if {a.name}.shape != {b.name}.shape:")
            self.emit('    raise ValueError("shapes differ")')
        self.launch()


def _tuple(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"({', '.join(parts)})"


def program(ch: Chooser, kernel: Program, seed: str, careful: bool = False) -> HostProgram:
    """Host code around a kernel."""
    w = HostWriter(ch, kernel, ["n", "m"], [], [], [], [], careful=careful)
    w.main()
    head = f"def main({', '.join([*w.numbers, *(a.name for a in w.given)])}):"
    text = "\n".join(["import math", "import numpy as np", kernel.text, *w.helper, "", head, *w.lines, ""])
    return HostProgram(text, kernel, tuple(w.numbers), tuple(w.given), seed)


def seeded(seed: int) -> HostProgram:
    """The program of a seed; one of eight has barriers, one of five is a careful one."""
    name, careful = f"host/{seed}", seed % 5 == 1
    kernel = barriers.seeded(name) if seed % 8 == 7 else generate.seeded(name, tame=careful)
    return program(Seeded(name), kernel, name, careful)
