"""Hold the prover against brute force over many random programs.

    PYTHONPATH=.:tests python -m fuzz.hold --first 0 --count 20000 --launches 16

prints every contradiction with its program and ends with status 1 when there was one.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence

from fuzz import barriers
from fuzz.check import Contradiction, contradictions
from fuzz.generate import Program, seeded
from fuzz.launches import brute, launches
from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.solver.verdict import KernelResult


def examine(program: Program, count: int) -> tuple[KernelResult, list[Contradiction]]:
    """What the prover says of the program with no launch in view, and which runs contradict it."""
    k = kernel(program.text)
    result = decide(k, analyse(k), (), Options())
    return result, contradictions(result, k, brute(k, launches(program, count)))


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="random kernels: the prover against brute force")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=1000, help="how many programs")
    parser.add_argument("--launches", type=int, default=16, help="concrete launches a program")
    parser.add_argument("--barriers", action="store_true", help="kernels with shared memory and barriers")
    given = parser.parse_args(argv)
    make = barriers.seeded if given.barriers else seeded
    said: Counter[str] = Counter()
    wrong = 0
    for seed in range(given.first, given.first + given.count):
        program = make(seed)
        result, found = examine(program, given.launches)
        said.update(f"{v.obligation.property} {v.kind}" for v in result.verdicts)
        for contradiction in found[:1]:
            wrong += 1
            print(f"seed {seed}\n{program.text}\n{contradiction}\n")
    print(f"{given.count} programs, {wrong} contradicted; verdicts: {dict(said.most_common())}")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
