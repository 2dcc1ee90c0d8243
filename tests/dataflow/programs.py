"""Random small kernels with every kind of control flow, as source text."""

from __future__ import annotations

import random

PARAMS = "x, idx, out, n"
SIZE = 40  # elements of each array


class Generator:
    """Writes one kernel k(x, idx, out, n); subscripts may go anywhere, loops are short."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.names = ["i", "t", "n"]
        self.depth = 1
        self.loops = 0
        self.count = 0
        self.lines: list[str] = []
        self.devices: list[str] = []

    def pick(self, **weights: float) -> str:
        return self.random.choices(list(weights), list(weights.values()))[0]

    def write(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def value(self, depth: int = 0) -> str:
        kind = self.pick(name=5, number=2, op=0 if depth > 1 else 4, load=1 if depth < 2 else 0)
        if kind == "name":
            return self.random.choice(self.names)
        if kind == "number":
            return str(self.random.randint(-2, 4))
        if kind == "load":
            return f"idx[{self.value(depth + 1)}]"
        return self.operation(depth + 1)

    def operation(self, depth: int) -> str:
        a, b, r = self.value(depth), self.value(depth), self.random
        kind = r.choice(["+", "-", "*", "//", "%", "min", "max", "if", "&", ">>"])
        if kind in ("//", "%"):
            return f"({a} {kind} {r.randint(1, 4)})"
        if kind == "&":
            return f"({a} & {r.choice([1, 3, 7])})"
        if kind == ">>":
            return f"({a} >> {r.randint(0, 2)})"
        if kind in ("min", "max"):
            return f"{kind}({a}, {b})"
        return f"({a} if {self.condition()} else {b})" if kind == "if" else f"({a} {kind} {b})"

    def condition(self) -> str:
        kind, r = self.pick(compare=6, load=1, both=1, negated=1), self.random
        if kind == "load":
            return f"x[{self.value(1)}] > 0.5"
        a, b = self.value(2), self.value(2)
        if kind == "negated":
            return f"not ({a} < {b})"
        if kind == "both":
            return f"({a} < {b} {r.choice(['and', 'or'])} {self.value(2)} >= n)"
        return f"{self.value(1)} {r.choice(['<', '<=', '>', '>=', '==', '!='])} {self.value(1)}"

    def block(self, size: int) -> None:
        names, self.depth = list(self.names), self.depth + 1
        for _ in range(self.random.randint(1, size)):
            self.statement()
        self.depth, self.names = self.depth - 1, names

    def statement(self) -> None:
        inside = 1.5 if self.loops else 0
        kind = self.pick(
            store=5, update=1, assign=4, step=3, branch=3, range=2, loop=2, leave=inside, skip=inside,
            end=0.5, call=1, check=0.3, view=1,
        ) if self.depth < 6 else "store"  # fmt: skip
        getattr(self, f"_{kind}")()

    def _store(self) -> None:
        source = self.random.choice(["1.0", f"x[{self.value(1)}]"])
        self.write(f"out[{self.value()}] = {source}")

    def _update(self) -> None:
        self.write(f"out[{self.value(1)}] += 1.0")

    def _assign(self) -> None:
        name = self.random.choice("abcd")
        self.write(f"{name} = {self.value()}")
        if name not in self.names:
            self.names.append(name)

    def _step(self) -> None:
        name = self.random.choice([v for v in self.names if v not in ("n", "t")])
        op = self.random.choice(["+=", "+=", "-=", "*=", "//="])
        self.write(f"{name} {op} {self.random.choice('123')}")

    def _branch(self) -> None:
        self.write(f"if {self.condition()}:")
        self.block(3)
        if self.random.random() < 0.4:
            self.write("else:")
            self.block(2)

    def _range(self) -> None:
        r, self.count = self.random, self.count + 1
        name = f"j{self.count}"
        up = [f"min({self.value(1)}, 5)", f"{self.value(2)}, min(n, 6)", f"0, min({self.value(1)}, 6), t + 1",
              "i, n, cuda.gridsize(1)", "1, 7, 3"]  # fmt: skip
        down = [f"min({self.value(1)}, 6), -1, -1", "6, 0, -2"]
        kept = r.random() < 0.5
        if kept:
            self.write(f"{name} = {r.randint(0, 3)}")
        self.write(f"for {name} in range({r.choice(up + down)}):")
        self.names.append(name)
        self.loops += 1
        self.block(3)
        self.loops -= 1
        if not kept:
            self.names.remove(name)

    def _loop(self) -> None:
        r, self.count = self.random, self.count + 1
        name = f"w{self.count}"
        start, test, step = r.choice([
            (self.value(1), f"{name} < n", r.choice(["+= 1", "+= t + 1", "+= cuda.gridsize(1)"])),
            (r.choice(["n", "8", "t + 4"]), f"{name} > 0", r.choice(["//= 2", ">>= 1", "-= 2"])),
            ("1", f"{name} < n", "*= 2"),
            ("0", "True", "+= 1"),
        ])  # fmt: skip
        self.write(f"{name} = {start}")
        self.names.append(name)
        self.write(f"while {test}:")
        if test == "True":
            self.write(f"    if {name} >= 3:")
            self.write("        break")
        self.write(f"    {name} {step}")
        self.loops += 1
        self.block(2)
        self.loops -= 1

    def _leave(self) -> None:
        self.write(f"if {self.condition()}:")
        self.write("    break")

    def _skip(self) -> None:
        self.write(f"if {self.condition()}:")
        self.write("    continue")

    def _end(self) -> None:
        self.write(f"if {self.condition()}:")
        self.write("    return")

    def _check(self) -> None:
        self.write(f"assert {self.condition()}")

    def _view(self) -> None:
        self.count += 1
        start = self.random.choice(["1", "t", "n", "-5", "i - 2"])
        cut = self.random.choice(["", "n", "30", "-3"])
        self.write(f"v{self.count} = out[{start}:{cut}]")
        self.write(f"v{self.count}[{self.value(1)}] = 1.0")

    def _call(self) -> None:
        self.count += 1
        kept, self.names = self.names, ["a", "b"]
        self.devices.append(
            f"@cuda.jit(device=True)\ndef f{self.count}(a, b):\n    if a {self.random.choice('<>')} b:\n"
            f"        return a + {self.random.randint(0, 3)}\n    for q in range(3):\n"
            f"        if q == a:\n            return b\n    return b - 1\n"
        )
        self.names = kept
        self.write(f"r{self.count} = f{self.count}({self.value(1)}, {self.value(1)})")
        self.names.append(f"r{self.count}")

    def text(self) -> str:
        self.write("i = cuda.grid(1)")
        self.write("t = cuda.threadIdx.x")
        for _ in range(self.random.randint(2, 6)):
            self.statement()
        kernel = "\n".join(["@cuda.jit", f"def k({PARAMS}):", *self.lines])
        return "\n".join(["from numba import cuda", *self.devices, kernel, ""])
