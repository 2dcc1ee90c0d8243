"""Random Triton kernels with the host code that launches them: right ones, and ones off by a little.

The families are those of real kernels: flat tiles, loops over tiles, rows with reductions, 2-D tiles
with split or grouped program ids, block pointers, gathers, scatters and atomics. `Pieces.off` is where a
program goes wrong: a mask dropped, loosened or of the wrong axis, a stride swapped or halved, a program id
left out, a padding left out, a grid rounded down.
"""

from __future__ import annotations

from dataclasses import dataclass

from fuzz.choose import Chooser, Seeded
from fuzz.tilepieces import Pieces

BLOCKS = ("4", "8", "2", "16")


@dataclass(frozen=True)
class TileProgram:
    """A module with kernel `k` and `main`, whose inputs are the `numbers` and, with `given`, a matrix `a`."""

    text: str
    numbers: tuple[str, ...]
    given: bool
    seed: str


@dataclass
class Writer(Pieces):
    """The families of programs."""

    # --- flat ---------------------------------------------------------------------------------

    def flat(self) -> str:
        """One program a tile of a vector; gives the grid."""
        b = self.constant("B", self.ch.pick(BLOCKS))
        n = self.number("n", "n")
        self.emit(
            f"pid = {self.off('tl.program_id(0)', 'tl.program_id(1)', 'tl.num_programs(0) - 1', percent=6)}"
        )
        start = self.off(
            f"pid * {b}", f"pid * ({b} // 2)", "pid", f"pid * {b} + 1", f"pid * {b} - 1", percent=12
        )
        self.emit(f"offs = {start} + tl.arange(0, {b})")
        self.emit(f"mask = {self.mask('offs', n)}")
        self.inputs()
        for _ in range(self.ch.pick((1, 1, 2, 3))):
            self.ch.pick((self.plain, self.plain, self.reversed, self.spread, self.total, self.counted,
                          self.gathered, self.neighbour, self.scalar, self.scattered))()  # fmt: skip
        return self.cdiv("n", dict(self.constants)[b])

    def inputs(self) -> None:
        x = self.array("x", "n", self.ch.pick(("float32", "int32")))
        self.emit(f"v = {self.load(f'{x} + offs', 'mask')}")

    def plain(self) -> None:
        y = self.array(self.fresh("y"), "n", outcome=True)
        place = self.off("offs", "offs + 1", "offs // 2", "offs % 4", "tl.arange(0, B)", percent=14)
        self.store(f"{y} + {place}", self.value("v"), "mask")

    def reversed(self) -> None:
        y = self.array(self.fresh("y"), "n", outcome=True)
        place = self.off("(n - 1 - offs)", "(n - offs)", "(offs - n)", percent=14)
        self.store(f"{y} + {place}", self.value("v"), "mask")

    def spread(self) -> None:
        step = self.ch.pick(("2", "3"))
        y = self.array(self.fresh("y"), self.off(f"{step} * n", "n + 1", percent=10), outcome=True)
        shift = self.ch.pick(("", " + 1", f" + {step} - 1"))
        self.store(f"{y} + {step} * offs{shift}", self.value("v"), "mask")
        if self.ch.chance(30):
            self.store(f"{y} + {step} * offs{self.ch.pick(('', ' + 1'))}", "pid", "mask")

    def total(self) -> None:
        """A number of the tile, stored by the program."""
        name, other = self.ch.pick((("sum", "0"), ("max", "0"), ("max", 'float("-inf")'), ("sum", "0")))
        t, z = (
            self.fresh("t"),
            self.array(self.fresh("z"), f"triton.cdiv(n, {dict(self.constants)['B']})", outcome=True),
        )
        self.emit(f"{t} = tl.{name}({self.load('x + offs', 'mask', other)}, axis=0)")
        self.store(f"{z} + {self.off('pid', 'pid + 1', 'pid // 2', '0', percent=14)}", t, "")

    def counted(self) -> None:
        z = self.array(self.fresh("z"), self.ch.pick(("4", "n")))
        place = self.ch.pick(("offs % 4", "pid % 4", "offs"))
        if place == "pid % 4":
            self.emit(f"tl.atomic_add({z} + pid % 4, 1)")
        else:
            self.emit(f"tl.atomic_add({z} + {place}, 1{self.masked('mask')})")
        if self.ch.chance(15):
            self.store(f"{z} + {place}", "0", "mask" if place != "pid % 4" else "")

    def gathered(self) -> None:
        self.indices()
        g = self.fresh("g")
        y = self.array(self.fresh("y"), "n", outcome=True)
        self.emit(f"{g} = tl.load(idx + offs, mask=mask, other=0)")
        guard = self.ch.pick(("mask", f"mask & ({g} < n) & ({g} >= 0)"))
        self.store(f"{y} + offs", f"tl.load(x + {g}, mask={guard}, other=0)", "mask")

    def scattered(self) -> None:
        self.indices()
        g = self.fresh("g")
        y = self.array(self.fresh("y"), "n")
        self.emit(f"{g} = tl.load(idx + offs, mask=mask, other=0)")
        self.store(f"{y} + {g}", self.value("v"), self.ch.pick(("mask", f"mask & ({g} < n)")))

    def indices(self) -> None:
        if any(name == "idx" for name, _ in self.arguments):
            return
        how = self.ch.pick(
            ("torch.arange(n", "torch.arange(n", "torch.zeros(n, dtype=torch.int64", "torch.randperm(n")
        )
        self.host.append(f'idx = {how}, device="cuda")')
        if self.ch.chance(15):
            self.host.append(self.ch.pick(("idx[0] = 0", "idx += 1", "idx = idx.clone()")))
        self.arguments.append(("idx", "idx"))

    def neighbour(self) -> None:
        w = self.fresh("w")
        limit = self.off("offs + 1 < n", "offs < n", "offs + 1 <= n", percent=16)
        self.emit(f"{w} = tl.load(x + offs + 1, mask={limit}, other=0)")
        y = self.array(self.fresh("y"), "n", outcome=True)
        self.store(f"{y} + offs", f"v - {w}", "mask")

    def scalar(self) -> None:
        y = self.array(self.fresh("y"), "n", outcome=True)
        self.emit(f"if pid {self.ch.pick(('== 0', '< n', '< n // 2', '>= n'))}:")
        self.depth += 1
        self.store(
            f"{y} + {self.ch.pick(('pid', '0', 'pid', 'n - 1 - pid'))}", self.ch.pick(("pid", "1")), ""
        )
        self.depth -= 1

    # --- loops over tiles -----------------------------------------------------------------------

    def looped(self) -> str:
        """Programs that walk over several tiles."""
        b = self.constant("B", self.ch.pick(BLOCKS))
        n = self.number("n", "n")
        self.array("x", "n")
        y = self.array("y", "n", outcome=True)
        self.emit("pid = tl.program_id(0)")
        kind = self.ch.integer(0, 3)
        if kind == 0:
            step = self.off(f"tl.num_programs(0) * {b}", b, f"tl.num_programs(0) * {b} // 2", percent=14)
            self.emit(f"for start in range(pid * {b}, {n}, {step}):")
            grid = self.ch.pick(("2", "3", "m", self.cdiv("n", dict(self.constants)[b])))
        elif kind == 1:
            t = self.constant("T", self.ch.pick(("2", "3")))
            self.emit(f"for j in range({self.off(t, t + ' + 1', percent=14)}):")
            self.emit(f"    start = (pid * {t} + j) * {b}")
            grid = self.cdiv("n", f"({dict(self.constants)['B']} * {dict(self.constants)['T']})")
        elif kind == 2:
            self.emit(f"for start in range(0, {n}, {b}):")
            grid = self.off("1", "2", percent=30)
        else:
            self.emit(f"for j in range(0, tl.cdiv({n}, {b})):")
            self.emit(f"    start = j * {b}")
            grid = self.off("1", "2", percent=30)
        self.depth += 1
        self.emit(f"offs = start + tl.arange(0, {b})")
        self.emit(f"mask = {self.mask('offs', n)}")
        self.emit(f"v = {self.load('x + offs', 'mask')}")
        self.store(
            f"{y} + {self.off('offs', 'offs - start', 'offs + 1', percent=12)}", self.value("v"), "mask"
        )
        if self.ch.chance(30):
            self.emit(f"tl.atomic_add(z + pid, tl.sum({self.load('x + offs', 'mask')}, axis=0))")
        self.depth -= 1
        if any("z + pid" in line for line in self.lines):
            self.array("z", grid)
        return grid

    # --- rows ---------------------------------------------------------------------------------

    def rows(self) -> str:
        """One program a row of a matrix, with a reduction along it."""
        self.matrix("x")
        out = self.array("y", "n * m", outcome=True)
        m = self.number("m", "m")
        self.number("n", "n")
        row = self.off("tl.program_id(0)", "tl.program_id(0) // 2", percent=8)
        self.emit(f"row = {row}")
        stride = self.off("sx", "m", "n", percent=8)
        if self.ch.chance(60):
            b = self.constant("B", "triton.next_power_of_2(m)")
            self.emit(f"cols = tl.arange(0, {b})")
            self.one_row(out, m, stride)
        else:
            b = self.constant("B", self.ch.pick(BLOCKS))
            self.emit(f"for start in range(0, {m}, {b}):")
            self.depth += 1
            self.emit(f"cols = start + tl.arange(0, {b})")
            self.one_row(out, m, stride)
            self.depth -= 1
        return self.off("n", "n + 1", "m", percent=8)

    def one_row(self, out: str, m: str, stride: str) -> None:
        self.emit(f"mask = {self.mask('cols', m)}")
        other = self.ch.pick(("0", 'float("-inf")'))
        self.emit(f"v = {self.load(f'x + row * {stride} + cols', 'mask', other)}")
        if self.ch.chance(65):
            kind = self.ch.pick(("sum", "max"))
            self.emit(f"s = tl.{kind}(v, axis=0)")
            value = self.ch.pick(("v - s", "v", "s + v"))
        else:
            value = self.value("v")
        place = self.off("row * m + cols", "row * n + cols", "cols * m + row", "row + cols", percent=14)
        self.store(f"{out} + {place}", value, "mask")

    def matrix(self, name: str) -> None:
        """A matrix of `n` rows and `m` columns, the host's own or one that it is given."""
        if not self.given and self.ch.chance(40):
            self.given = True
            self.host[:0] = ["n = a.shape[0]", "m = a.shape[1]"]
            source, stride = "a", "a.stride(0)"
            if self.ch.chance(50):
                self.host.append("assert a.is_contiguous()")
        else:
            self.host.append(f'{name} = torch.ones((n, m), device="cuda", dtype=torch.float32)')
            source, stride = name, f"{name}.stride(0)"
        self.arguments += [(name, source), (f"s{name}", stride)]

    # --- two axes -----------------------------------------------------------------------------

    def plane(self) -> str:
        """2-D tiles, one program each; gives the grid."""
        bm, bn = (self.constant(f"B{axis}", self.ch.pick(("2", "4"))) for axis in "MN")
        self.matrix("x")
        out = self.array("y", "n * m", outcome=True)
        n, m = self.number("n", "n"), self.number("m", "m")
        across, down = (self.cdiv(size, dict(self.constants)[b]) for size, b in (("n", bm), ("m", bn)))
        grid = self.ids(across, down, bm, bn)
        first = f"{self.off('pm', 'pn', percent=5)} * {self.off(bm, bm + ' // 2', percent=8)}"
        self.emit(f"rm = {first} + tl.arange(0, {bm})")
        self.emit(f"rn = pn * {bn} + tl.arange(0, {bn})")
        right = f"(rm[:, None] < {n}) & (rn[None, :] < {m})"
        swapped, looser = f"(rm[:, None] < {m}) & (rn[None, :] < {n})", right.replace("<", "<=", 1)
        mask = self.off(right, f"rm[:, None] < {n}", f"rn[None, :] < {m}", swapped, looser, percent=26)
        self.emit(f"mask = {mask}")
        self.emit(f"v = {self.load('x + rm[:, None] * sx + rn[None, :]', 'mask')}")
        if self.ch.chance(25):
            self.emit("t = tl.trans(v)")
            turned = self.off(
                "(rn[:, None] < m) & (rm[None, :] < n)", "(rn[:, None] < n) & (rm[None, :] < m)", percent=20
            )
            place = self.off("rn[:, None] * n + rm[None, :]", "rn[:, None] * m + rm[None, :]", percent=20)
            self.store(f"{out} + {place}", "t", turned)
        else:
            wrong = ("rm[:, None] * n + rn[None, :]", "rm[:, None] + rn[None, :] * m",
                     "rm[:, None] * m + rn[None, :] * 2")  # fmt: skip
            place = self.off("rm[:, None] * m + rn[None, :]", *wrong, percent=16)
            self.store(f"{out} + {place}", self.value("v"), "mask")
        if self.ch.chance(25):
            z = self.array("z", "m")
            again = self.load("x + rm[:, None] * sx + rn[None, :]", "mask")
            self.emit(f"tl.atomic_add({z} + rn, tl.sum({again}, axis=0), mask=rn < m)")
        return grid

    def ids(self, across: str, down: str, bm: str, bn: str) -> str:
        """The two numbers of a program's tile, from two axes of the grid or out of one."""
        kind = self.ch.integer(0, 3)
        if kind == 0:
            self.emit(f"pm = {self.off('tl.program_id(0)', 'tl.program_id(1)', percent=5)}")
            self.emit("pn = tl.program_id(1)")
            return f"{across}, {down}"
        self.emit("pid = tl.program_id(0)")
        self.emit(f"wide = tl.cdiv({self.off('m', 'n', percent=8)}, {bn})")
        if kind == 1:
            self.emit("pm = pid // wide")
            self.emit("pn = pid % wide")
        elif kind == 2:
            self.emit(f"high = tl.cdiv(n, {bm})")
            self.emit("pm = pid % high")
            self.emit(f"pn = pid // {self.off('high', 'wide', percent=10)}")
        else:
            g = self.constant("G", "2")
            self.emit(f"high = tl.cdiv(n, {bm})")
            self.emit(f"per = {g} * wide")
            self.emit("group = pid // per")
            self.emit(f"first = group * {g}")
            self.emit(f"size = {self.off('min(high - first, ' + g + ')', g, percent=12)}")
            self.emit("pm = first + (pid % per) % size")
            self.emit("pn = (pid % per) // size")
        return f"({across}) * ({down})"

    # --- block pointers -------------------------------------------------------------------------

    def pointers(self) -> str:
        """Block pointers over a matrix, one tile a program or a loop along the rows."""
        bm, bn = (self.constant(f"B{axis}", self.ch.pick(("2", "4"))) for axis in "MN")
        self.matrix("x")
        self.array("y", "n * m", outcome=True)
        self.number("n", "n"), self.number("m", "m")
        self.emit("pm = tl.program_id(0)")
        looped = self.ch.chance(45)
        if not looped:
            self.emit("pn = tl.program_id(1)")
        column = "0" if looped else f"pn * {bn}"
        checks = self.off(
            "boundary_check=(0, 1)", "boundary_check=(0,)", "boundary_check=(1,)", "", percent=24
        )
        for name, stride in (("x", "sx"), ("y", "m")):
            shape = self.off("(n, m)", "(m, n)", "(n + 1, m)", percent=7)
            strides = f"({self.off(stride, '1', percent=5)}, 1)"
            row = self.off(f"pm * {bm}", "pm", percent=5)
            self.emit(f"p{name} = tl.make_block_ptr(base={name}, shape={shape}, strides={strides}, "
                      f"offsets=({row}, {column}), block_shape=({bm}, {bn}), order=(1, 0))")  # fmt: skip
        tail = f", {checks}" if checks else ""
        padded = ', padding_option="zero"' if checks and self.ch.chance(50) else ""
        if looped:
            self.emit(f"for start in range(0, m, {bn}):")
            self.depth += 1
        self.emit(f"tl.store(py, tl.load(px{tail}{padded}){self.ch.pick(('', ' + 1'))}{tail})")
        if looped:
            for name in "xy":
                self.emit(f"p{name} = tl.advance(p{name}, (0, {self.off(bn, bn + ' // 2', percent=8)}))")
            self.depth -= 1
        across, down = (self.cdiv(size, dict(self.constants)[b]) for size, b in (("n", bm), ("m", bn)))
        return across if looped else f"{across}, {down}"

    # --- products -------------------------------------------------------------------------------

    def product(self) -> str:
        """Sums along the inner axis of two matrices, pointers that move."""
        bm, bk = self.constant("BM", "2"), self.constant("BK", self.ch.pick(("2", "4")))
        self.matrix("x")
        self.array("w", "m")
        self.array("y", "n", outcome=True)
        self.number("n", "n"), self.number("m", "m")
        self.emit(f"rm = tl.program_id(0) * {bm} + tl.arange(0, {bm})")
        self.emit(f"rk = tl.arange(0, {bk})")
        self.emit("xs = x + rm[:, None] * sx + rk[None, :]")
        self.emit("ws = w + rk")
        self.emit(f"acc = tl.zeros(({bm},), dtype=tl.float32)")
        self.emit(f"for k in range(0, {self.off('m', 'n', percent=6)}, {bk}):")
        self.depth += 1
        inner = self.off("rk < m - k", "rk <= m - k", "rk < m", percent=14)
        rows = self.off("(rm[:, None] < n) & ", "", percent=12)
        self.emit(f"v = {self.load('xs', rows + '(' + inner.replace('rk', 'rk[None, :]') + ')')}")
        self.emit(f"u = {self.load('ws', inner)}")
        self.emit("acc += tl.sum(v * u[None, :], axis=1)")
        self.emit(f"xs += {self.off(bk, '1', percent=8)}")
        self.emit(f"ws += {bk}")
        self.depth -= 1
        self.store(f"y + {self.off('rm', 'rm // 2', percent=6)}", "acc", self.mask("rm", "n"))
        return self.cdiv("n", dict(self.constants)["BM"])

    # --- whole programs -------------------------------------------------------------------------

    def program(self, seed: str) -> TileProgram:
        families = (*[self.flat] * 3, self.looped, *[self.rows] * 2, *[self.plane] * 2, self.pointers,
                    self.product)  # fmt: skip
        grid = self.ch.pick(families)()
        self.check()
        parameters = [
            *(name for name, _ in self.arguments),
            *(f"{c}: tl.constexpr" for c, _ in self.constants),
        ]
        given = [*(value for _, value in self.arguments), *(f"{c}={value}" for c, value in self.constants)]
        for k, (c, value) in enumerate(self.constants):
            if (
                "(" not in value
                and self.ch.chance(30)
                and c == "B"
                and value in grid
                and "lambda" not in grid
            ):
                grid = f"lambda meta: ({grid.replace(value, 'meta[' + repr(c) + ']', 1)},)"
                given[len(self.arguments) + k] = f"{c}={value}"
        grid = grid if grid.startswith("lambda") else f"({grid},)"
        inputs = ["a: torch.Tensor"] if self.given else ["n: int", "m: int"]
        head = ["import torch", "import triton", "import triton.language as tl", "", "", "@triton.jit"]
        kernel = [f"def k({', '.join(parameters)}):", *self.lines]
        main = [f"def main({', '.join(inputs)}):", *(f"    {line}" for line in self.host)]
        launch = [f"    grid = {grid}", f"    k[grid]({', '.join(given)})", ""]
        numbers = () if self.given else ("n", "m")
        return TileProgram("\n".join([*head, *kernel, "", "", *main, *launch]), numbers, self.given, seed)

    def check(self) -> None:
        """What the host makes sure of."""
        kind = self.ch.integer(0, 5)
        at = 2 if self.given else 0
        if kind == 0:
            self.host.insert(at, f"if n <= {self.ch.pick(('0', '1'))}:\n        return")
        elif kind == 1:
            self.host.insert(at, f"assert {self.ch.pick(('n % 4 == 0', 'n >= m', 'm > 1', 'n == m'))}")


def program(ch: Chooser, seed: str) -> TileProgram:
    return Writer(ch, ch.pick((0, 0, 1, 1, 2))).program(seed)


def seeded(seed: int) -> TileProgram:
    """The program of a seed."""
    return program(Seeded(f"tiles/{seed}"), f"tiles/{seed}")
