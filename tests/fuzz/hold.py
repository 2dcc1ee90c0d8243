"""Hold the prover against brute force over many random programs.

    PYTHONPATH=.:tests python -m fuzz.hold --first 0 --count 20000 --launches 16

prints every contradiction with its program and ends with status 1 when there was one. `--barriers`:
kernels with shared memory and barriers, every other one with warps that exchange values; `--sites`: programs
with host code that launches the kernel; `--tiles`: Triton kernels with their host code.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Sequence

from fuzz import barriers, host, sites, tilegen, tilesites, warps
from fuzz.check import contradictions, unasked
from fuzz.generate import Program, seeded
from fuzz.launches import brute, launches
from fuzz.refuted import unfounded
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.verdict import KernelResult

Examined = tuple[str, KernelResult, list[str]]  # the program's text, the result, what contradicts it


def examine(program: Program, count: int) -> tuple[KernelResult, list[str]]:
    """What the prover says of the program with no launch in view, and what of it runs contradict."""
    k = kernel(program.text)
    result = decide(k, analyse(k), (), Options())
    runs = brute(k, launches(program, count))
    found = [*map(str, contradictions(result, k, runs)), *unasked(result, k, runs)]
    return result, found + unfounded(result, k, program)


def _plain(make: Callable[[int], Program]) -> Callable[[int, int], Examined]:
    def one(seed: int, count: int) -> Examined:
        program = make(seed)
        return (program.text, *examine(program, count))

    return one


def _site(seed: int, count: int) -> Examined:
    program = host.seeded(seed)
    return (program.text, *sites.examine(program, count))


def _tiles(seed: int, count: int) -> Examined:
    program = tilegen.seeded(seed)
    return (program.text, *tilesites.examine(program, count))


def meeting(seed: int) -> Program:
    """A program whose threads meet at barriers; of every other seed, one whose warps exchange values."""
    return warps.seeded(seed) if seed % 2 else barriers.seeded(seed)


MODES: dict[str, Callable[[int, int], Examined]] = {
    "plain": _plain(seeded), "barriers": _plain(meeting), "warps": _plain(warps.seeded), "sites": _site,
    "tiles": _tiles,
}  # fmt: skip


def hold(mode: str, first: int, count: int, launches: int) -> tuple[Counter[str], Counter[str], int]:
    """Examine the programs of a range of seeds: verdicts and kernels by kind, contradicted programs."""
    said: Counter[str] = Counter()
    kernels: Counter[str] = Counter()
    wrong = 0
    for seed in range(first, first + count):
        text, result, found = MODES[mode](seed, launches)
        said.update(f"{v.obligation.property} {v.kind}" for v in result.verdicts)
        kernels[result.status] += 1
        kernels.update(f"site {s.status}" for s in result.sites)
        if found:
            wrong += 1
            print(f"{mode} seed {seed}\n{text}\n{found[0]}\n", flush=True)
    return said, kernels, wrong


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="random kernels: the prover against brute force")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--launches", type=int, default=16, help="concrete launches a program")
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--barriers", dest="mode", action="store_const", const="barriers", default="plain")
    mode.add_argument("--sites", dest="mode", action="store_const", const="sites")
    mode.add_argument("--tiles", dest="mode", action="store_const", const="tiles")
    given = parser.parse_args(argv)
    said, kernels, wrong = hold(given.mode, given.first, given.count, given.launches)
    print(f"{given.count} programs, {wrong} contradicted; {dict(kernels.most_common())}")
    print(f"verdicts: {dict(said.most_common())}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
