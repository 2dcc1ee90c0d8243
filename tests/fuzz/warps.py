"""Random kernels whose warps exchange values: shuffles, votes, warp barriers, votes of the block, atomics.

Right ones and ones that are off by a little: a mask that does not name the lanes that come, lanes that left,
a source lane outside the mask, a missing `syncwarp`, a neighbour in another warp. Each collective stands at
the end of a line, as `simulate` wants it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz.barriers import MAX_LINES, BarrierWriter
from fuzz.choose import Chooser, Seeded
from fuzz.expressions import ArrayParam
from fuzz.generate import Program, module_text

BLOCKS = (32, 64, 48, 32, 64, 40, 8, 33)
FULL = ("0xFFFFFFFF", "0xFFFFFFFF", "0xFFFFFFFF", "-1")
# conditions of a lane with the masks that name just those lanes
PARTS = (
    ("lane < 16", "0xFFFF"), ("lane >= 16", "0xFFFF0000"), ("lane % 2 == 0", "0x55555555"),
    ("lane < 8", "0xFF"), ("lane == 0", "1"), ("lane != 0", "0xFFFFFFFE"), ("lane < 31", "0x7FFFFFFF"),
    ("lane & 1", "0xAAAAAAAA"),
)  # fmt: skip
# masks that hang on the lane, each of a part of the warp
TILES = (
    "0xFFFF if lane < 16 else 0xFFFF0000", "0xFFFF << (lane & 16)", "0xFF << (lane & 24)", "3 << (lane & ~1)",
    "1 << lane", "0x55555555 << (lane & 1)", "0xFFFF if t < 16 else 0xFFFF0000", "0xFF << (lane // 8)",
)  # fmt: skip
SHUFFLES = ("shfl_down_sync", "shfl_up_sync", "shfl_xor_sync", "shfl_sync")
VOTES = ("ballot_sync", "ballot_sync", "any_sync", "all_sync", "eq_sync", "match_any_sync")


@dataclass
class WarpWriter(BarrierWriter):
    """Statements of the lanes of a warp.

    `masks`: those that name the lanes here; `tiles`: those that hang on the lane.
    """

    masks: list[str] = field(default_factory=list)
    tiles: list[str] = field(default_factory=list)
    ballots: list[str] = field(default_factory=list)
    counts: list[str] = field(default_factory=list)  # results of a block's votes

    # --- values and places ----------------------------------------------------------------------

    def lane(self) -> str:
        if self.ch.chance(55):
            return "t"
        return self.ch.pick((
            "lane", "w", "t ^ 1", "t ^ 16", "t - lane", "t - lane + (lane + 1) % 32", "w * 32 + 31 - lane",
            "0", "(t + 1) % cuda.blockDim.x", "t + 1", "t - 1", "t // 2", "31 - lane", "t & 15", "t + 16",
            *self.counters[-1:], *(f"t ^ {k}" for k in self.counters[-1:]),
        ))  # fmt: skip

    def neighbour(self) -> str:
        """A place that another lane fills: of the same warp, mostly."""
        return self.ch.pick((
            "t ^ 1", "t ^ 1", "t ^ 2", "t ^ 16", "t - lane", "w * 32", "w * 32 + 31 - lane",
            "t - lane + (lane + 1) % 32", "t - lane + (lane + 16) % 32", "(t + 1) % cuda.blockDim.x",
            "t - 1 if lane > 0 else t", "t + 1 if lane < 31 else t", "t - lane + lane // 2",
        ))  # fmt: skip

    def mask(self) -> str:
        """Mostly one that names the lanes that are here."""
        if self.tiles and self.masks == list(FULL) and self.ch.chance(45):
            return self.ch.pick(self.tiles)
        if self.masks and self.ch.chance(94 if self.careful else 60):
            return self.ch.pick(self.masks)
        wrong = [mask for _, mask in PARTS] + ["0xFFFFFFFF", *self.ballots[-1:]]
        return self.ch.pick(wrong)

    def value(self) -> str:
        if self.names and self.ch.chance(60):
            return self.ch.pick(self.names)
        return self.ch.pick(("t", "1", "n", "lane", self.cell(), self.cell()))

    def test(self) -> str:
        uniform = (
            "n > 2",
            "cuda.blockIdx.x == 0",
            "cuda.blockDim.x > 32",
            *(f"{c} > 1" for c in self.counts),
        )
        warp = ("w == 0", "w > 0", "t < 32", "t >= 32", "w < n", *(f"{b} != 0" for b in self.ballots))
        lanes = ("lane == 0", "lane < 16", "t % 2 == 0", "i < n", "i < x.shape[0]", "t > 0", "lane < n",
                 *(f"{v} > 2" for v in self.names), *(f"{v} & 1" for v in self.names))  # fmt: skip
        if self.counters and self.ch.chance(25):
            return f"{self.ch.pick(('lane', 't', 'w'))} {self.ch.pick(('<', '>=', '=='))} {self.counters[-1]}"
        return self.ch.pick(self.ch.pick((uniform, warp, lanes, lanes)))

    def let(self, text: str, stem: str = "v") -> str:
        name = self.fresh(stem)
        self.emit(f"{name} = {text}")
        return name

    def flat(self) -> str | None:
        names = [name for name, rank in self.shared if rank == 1]
        return self.ch.pick(names) if names else None

    # --- statements -----------------------------------------------------------------------------

    def store(self) -> None:
        s = self.flat()
        if s is None or self.ch.chance(50):
            return super().store()
        kind = self.ch.integer(0, 4)
        if kind == 0:
            self.emit(f"cuda.atomic.add({s}, {self.lane()}, {self.ch.pick(('1', 'lane', '1'))})")
        elif kind == 1:
            old = self.let(
                f"cuda.atomic.{self.ch.pick(('add', 'max'))}({s}, {self.ch.pick(('0', 'w', 't'))}, 1)"
            )
            self.names.append(old)
        elif kind == 2:
            self.emit(f"if {self.test()}:")
            self.nested(lambda: self.emit(f"{s}[{self.lane()}] = {self.value()}"))
        else:
            self.emit(f"{s}[{self.own()}] = {self.value()}")
        return None

    def barrier(self) -> None:
        if self.masks and self.masks[0] not in FULL:
            return self.warp_barrier()
        if self.ch.chance(45):
            return super().barrier()
        if self.ch.chance(75):
            return self.warp_barrier()
        kind = self.ch.pick(("count", "or", "and"))
        self.counts.append(self.let(f"cuda.syncthreads_{kind}({self.test()})", "c"))
        return None

    def warp_barrier(self) -> None:
        mask = self.mask()
        self.emit(f"cuda.syncwarp({'' if mask == '0xFFFFFFFF' and self.ch.chance(60) else mask})")

    def sharing(self) -> None:
        """Write shared memory, wait for the warp, read what a neighbour wrote."""
        s = self.flat()
        if s is None:
            return self.shuffle()
        self.emit(f"{s}[t] = {self.value()}")
        if self.ch.chance(85):
            self.warp_barrier()
        found = self.let(f"{s}[{self.neighbour()}]")
        if self.ch.chance(70 if self.careful else 40):
            self.warp_barrier()
        self.names.append(found)
        return None

    def shuffle(self) -> None:
        name = self.ch.pick(SHUFFLES)
        by = self.ch.pick(("1", "2", "16", "8", "lane ^ 1", "31") if name != "shfl_sync" else (
            "0", "0", "31", "15", "16", "lane ^ 1", "(lane + 1) % 32", "lane // 2", "w"))  # fmt: skip
        brought = self.ch.pick(self.names) if self.names else "t"
        found = self.let(f"cuda.{name}({self.mask()}, {brought}, {by})")
        if self.ch.chance(25):  # only some use it
            self.emit(f"if {self.ch.pick(('lane < 16', 'lane > 0', 'lane == 0', 'lane < 31', self.test()))}:")
            s = self.flat()
            self.nested(lambda: self.emit(f"{s}[t] = {found}" if s else f"x[0] = {found}"))
        else:
            self.names.append(found)

    def vote(self) -> None:
        name = self.ch.pick(VOTES)
        brought = self.ch.pick(("t", "lane // 4", "w")) if name == "match_any_sync" else self.test()
        found = self.let(f"cuda.{name}({self.mask()}, {brought})", "b")
        if name != "ballot_sync":
            self.names.append(found)
            return
        self.ballots.append(found)
        if self.ch.chance(85):
            kept = self.ch.pick((found, f"numba.uint32({found})"))
            self.names.append(self.let(self.ch.pick((
                f"cuda.popc({kept})", f"cuda.popc({kept} & ((1 << lane) - 1))", f"cuda.ffs({kept}) - 1",
                f"w * 32 + cuda.popc({kept} & ((1 << lane) - 1))",
            ))))  # fmt: skip

    def ranked(self) -> None:
        """Places by rank among the lanes of a ballot, or by a count of the block."""
        s = self.flat()
        if s is None:
            return self.vote()
        test = self.test()
        found = self.let(f"cuda.ballot_sync({self.mask()}, {test})", "b")
        self.ballots.append(found)
        kept = self.ch.pick((found, found, f"numba.uint32({found})"))
        rank = self.let(f"cuda.popc({kept} & ((1 << lane) - 1))", "r")
        base = self.ch.pick(("w * 32", "w * 32", "t - lane", "0"))
        self.emit(f"if {test if self.ch.chance(80) else self.test()}:")
        self.nested(lambda: self.emit(f"{s}[{base} + {rank}] = {self.value()}"))
        return None

    def reduction(self) -> None:
        """A shuffle reduction or scan, and its result in shared memory."""
        v, d = self.let(self.value()), self.fresh("d")
        down = self.ch.chance(60)
        self.emit(f"{d} = {self.ch.pick(('16', '16', '8', '32')) if down else '1'}")
        self.emit(f"while {d} > 0:" if down else f"while {d} < {self.ch.pick(('32', '32', '16'))}:")

        def body() -> None:
            got = self.let(f"cuda.{self.ch.pick(SHUFFLES[:3])}({self.mask()}, {v}, {d})")
            if self.ch.chance(40):
                self.emit(f"if {self.ch.pick((f'lane >= {d}', f'lane + {d} < 32', f'lane < {d}'))}:")
                self.nested(lambda: self.emit(f"{v} += {got}"))
            else:
                self.emit(f"{v} += {got}")
            self.emit(f"{d} //= 2" if down else f"{d} *= 2")

        self.loops += 1
        self.nested(body)
        self.loops -= 1
        s = self.flat()
        if s is not None and self.ch.chance(70):
            self.emit(f"if {self.ch.pick(('lane == 0', 'lane == 31', 'lane == 0', 't == 0'))}:")
            self.nested(lambda: self.emit(f"{s}[{self.ch.pick(('w', 'w', '0', 't'))}] = {v}"))
        else:
            self.names.append(v)

    def branch(self) -> None:
        """A branch of some lanes, of whole warps or of the block, and what meets inside it."""
        kind = self.ch.integer(0, 2)
        if kind == 0 and self.depth < 3:
            test, mask = self.ch.pick(PARTS)
            masks = [mask]
        elif kind == 1:
            test = self.ch.pick(("w == 0", "t < 32", "t >= 32", "w > 0", "cuda.blockIdx.x == 0", "n > 2"))
            masks = list(self.masks)
        else:
            return super().branch()
        both = self.ch.chance(30)
        before, self.masks = self.masks, masks

        def body() -> None:
            self.warp_statement()
            if self.ch.chance(40):
                self.statement()

        self.emit(f"if {test}:")
        self.nested(body)
        if both:
            if kind == 0:
                self.masks = [hex(~int(masks[0], 0) & 0xFFFFFFFF)]
            self.emit("else:")
            self.nested(self.warp_statement)
        self.masks = before
        return None

    def nested(self, *makers: object) -> None:
        """Ballots and counts of a suite are not known after it."""
        ballots, counts = list(self.ballots), list(self.counts)
        super().nested(*makers)
        self.ballots, self.counts = ballots, counts

    def leave(self) -> None:
        if self.loops and self.ch.chance(60):
            return super().leave()
        warps = ("w > 0", "t >= 32", "cuda.blockIdx.x > 0", "n > 3", "w >= n")
        lanes = ("lane > 15", "i >= n", "t >= n", "i >= x.shape[0]", "lane == 31", "lane < 2", "t > 40")
        self.emit(f"if {self.ch.pick(warps if self.ch.chance(50) else lanes)}:")
        self.nested(lambda: self.emit("return"))
        return None

    def loop(self) -> None:
        if self.loops >= 2:
            return self.warp_statement()
        k = self.fresh("k")
        bound = self.ch.pick(("2", "3", "1, 3", "n", "w", "w, 2", "lane", "0, 4, 2", "lane, 33, 32", "c"))
        if bound == "c":
            bound = self.ch.pick(self.counts) if self.counts else "cuda.blockDim.x // 32"
        self.loops += 1
        self.counters.append(k)

        def body() -> None:
            if self.ch.chance(10):
                self.leave()
            self.warp_statement()
            if self.ch.chance(50):
                self.statement()
            if self.ch.chance(60 if self.careful else 25):
                self.barrier()

        self.emit(f"for {k} in range({bound}):")
        self.nested(body)
        self.counters.pop()
        self.loops -= 1
        return None

    def warp_statement(self) -> None:
        make = self.ch.pick((self.sharing, self.sharing, self.shuffle, self.vote, self.warp_barrier,
                             self.ranked, self.reduction))  # fmt: skip
        make()

    def statement(self) -> None:
        if self.depth > 3 or len(self.lines) > MAX_LINES:
            return self.store()
        kind = self.ch.integer(0, 99)
        table = ((40, self.warp_statement), (52, self.store), (64, self.barrier), (82, self.branch),
                 (95, self.loop))  # fmt: skip
        for limit, make in table:
            if kind < limit:
                return make()
        return self.leave()

    # --- kernels --------------------------------------------------------------------------------

    def kernel(self) -> None:
        self.careful = self.ch.chance(70)
        self.masks = list(FULL)
        for _ in range(self.ch.pick((1, 1, 2))):
            name = self.fresh("s")
            self.emit(f"{name} = cuda.shared.array({self.ch.pick((64, 64, 64, 96, 32, 48))}, numba.int32)")
            self.shared.append((name, 1))
        self.emit("t = cuda.threadIdx.x")
        self.emit("i = cuda.grid(1)")
        self.emit(f"lane = {self.ch.pick(('t % 32', 't & 31', 'cuda.laneid'))}")
        self.emit(f"w = {self.ch.pick(('t // 32', 't >> 5'))}")
        if self.ch.chance(25):
            self.tiles.append(self.let(self.ch.pick(TILES), "m"))
        if self.ch.chance(20):
            self.leave()
        if self.ch.chance(70):
            self.fill()
        self.names.append(self.let(self.ch.pick(("x[i] if i < x.shape[0] else 0", "t", "i", "lane + n"))))
        for _ in range(self.ch.pick((1, 2, 2, 3))):
            self.statement()
            if self.careful and self.ch.chance(40):
                self.barrier()
        if self.ch.chance(60):
            self.emit("if i < x.shape[0]:")
            self.nested(lambda: self.emit(f"x[i] = {self.value()}"))


def program(ch: Chooser, seed: str = "") -> Program:
    """One random program with warps."""
    arrays = [ArrayParam("x", 1, "data", "int32"), ArrayParam("y", 1, "data", "int32")][: ch.pick((1, 1, 2))]
    w = WarpWriter(ch, 1, arrays, ["n"])
    w.kernel()
    return Program(module_text(w, ch.chance(20)), 1, tuple(arrays), ("n",), seed, BLOCKS)


def seeded(seed: int | str) -> Program:
    """The program of a seed: quick, for runs over tens of thousands."""
    return program(Seeded(f"warps/{seed}"), f"warps/{seed}")
