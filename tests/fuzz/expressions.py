"""Random expressions of kernels: subscripts, conditions and values over what is in scope."""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz.choose import Chooser

RELATIONS = ("<", "<", "<=", ">=", ">", "==", "!=")


@dataclass(frozen=True)
class ArrayParam:
    """An array parameter: rank, role (data, index) and element type."""

    name: str
    ndim: int
    role: str
    dtype: str


@dataclass
class Expressions:
    """The text so far, the names in scope, and what the program uses."""

    ch: Chooser
    rank: int
    arrays: list[ArrayParam]
    scalars: list[str]
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    loops: int = 0
    names: list[str] = field(default_factory=list)  # integer locals in scope
    points: list[str] = field(default_factory=list)  # locals that tell threads apart
    used: set[str] = field(default_factory=set)  # device functions
    made: int = 0
    tame: bool = False  # stay close to what is right

    # --- text ---------------------------------------------------------------------------------

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def fresh(self, stem: str) -> str:
        self.made += 1
        return f"{stem}{self.made}"

    def nested(self, *makers: object) -> None:
        """Run the makers one level deeper, in a scope of their own."""
        names, points = list(self.names), list(self.points)
        before = len(self.lines)
        self.depth += 1
        for make in makers:
            make()  # type: ignore[operator]
        if len(self.lines) == before:
            self.emit("pass")
        self.depth -= 1
        self.names, self.points = names, points

    # --- expressions --------------------------------------------------------------------------

    def of_rank(self, ndim: int) -> list[ArrayParam]:
        return [a for a in self.arrays if a.ndim == ndim and a.role == "data"]

    def extent(self) -> str:
        a = self.ch.pick(self.arrays)
        return self.extent_of(a, self.ch.integer(0, a.ndim - 1))

    def extent_of(self, a: ArrayParam, axis: int) -> str:
        if a.ndim == 1:
            return self.ch.pick((f"{a.name}.size", f"{a.name}.shape[0]", f"len({a.name})"))
        return f"{a.name}.shape[{axis}]"

    def leaf(self) -> str:
        kind = self.ch.integer(0, 9)
        if kind <= 4 and (self.points or self.names):
            return self.ch.pick(self.points + self.names)
        if kind <= 6:
            return str(self.ch.pick((1, 0, 2, 3, 5, -1)))
        if kind == 7 and self.scalars:
            return self.ch.pick(self.scalars)
        if kind == 8:
            return self.extent()
        return self.ch.pick(("cuda.threadIdx.x", "cuda.blockIdx.x", "cuda.blockDim.x", "cuda.gridDim.x"))

    def divisor(self) -> str:
        return self.ch.pick(("2", "3", "4", "cuda.blockDim.x", "max(1, n)"))

    def index(self, depth: int = 2) -> str:
        """An integer expression."""
        if depth == 0 or self.ch.chance(35):
            return self.leaf()
        kind = self.ch.integer(0, 13)
        a = self.index(depth - 1)
        if kind <= 3:
            return f"{self.term(a)} + {self.term(self.index(depth - 1))}"
        if kind <= 6:
            return f"{self.term(a)} - {self.term(self.leaf())}"
        if kind <= 8:
            return f"{self.term(a)} * {self.ch.pick(('2', '3', self.term(self.leaf())))}"
        if kind == 9:
            return f"{self.term(a)} // {self.divisor()}"
        if kind == 10:
            return f"{self.term(a)} % {self.divisor()}"
        if kind == 11:
            return f"{self.ch.pick(('min', 'max'))}({a}, {self.leaf()})"
        if kind == 12:
            return f"({a} if {self.condition(0)} else {self.leaf()})"
        return self.call(a)

    def term(self, text: str) -> str:
        return f"({text})" if " " in text or text.startswith("-") else text

    def call(self, a: str) -> str:
        name = self.ch.pick(("shift", "clamp", "abs"))
        if name == "abs":
            return f"abs({a})"
        self.used.add(name)
        return f"shift({a}, {self.leaf()})" if name == "shift" else f"clamp({a}, 0, {self.extent()} - 1)"

    def near(self) -> str:
        """A subscript as kernels write them: mostly a point's own index or a neighbour."""
        if self.tame and self.points and self.ch.chance(90):
            return self.points[0]
        if self.points and self.ch.chance(70):
            p = self.ch.pick(self.points)
            return self.ch.pick((p, p, p, p, f"{p} + 1", f"{p} - 1", f"{p} * 2", f"2 * {p} + 1", f"{p} // 2"))
        return self.index()

    def subscripts(self, a: ArrayParam) -> str:
        if a.ndim == 1:
            return self.near()
        if len(self.points) >= 2 and self.ch.chance(60):
            p, q = self.points[:2]
            if self.tame:
                return f"{p}, {q}"
            return self.ch.pick((f"{p}, {q}", f"{p}, {q}", f"{q}, {p}", f"{p}, {q} - 1"))
        return f"{self.near()}, {self.near()}"

    def condition(self, depth: int = 1) -> str:
        kind = self.ch.integer(0, 7)
        if depth and kind == 0:
            return f"{self.condition(0)} and {self.condition(0)}"
        if depth and kind == 1:
            return f"{self.condition(0)} or {self.condition(0)}"
        if kind == 2:
            return f"0 <= {self.leaf()} < {self.extent()}"
        if kind == 3:
            return f"{self.term(self.leaf())} % 2 == {self.ch.pick(('0', '1'))}"
        return f"{self.term(self.index(1))} {self.ch.pick(RELATIONS)} {self.term(self.index(1))}"

    def value(self) -> str:
        kind = self.ch.integer(0, 6)
        if kind <= 1:
            return self.ch.pick(("1", "0", "2.5"))
        if kind <= 3:
            return self.index(1)
        a = self.ch.pick(self.arrays)
        read = f"{a.name}[{self.subscripts(a)}]"
        return read if kind <= 5 else f"{read} + {self.ch.pick(('1', '0.5', read))}"
