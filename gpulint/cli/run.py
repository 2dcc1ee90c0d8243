"""Run a kernel on small launches within its contract: FILE, or FILE::KERNEL where the file holds several.

Inputs are random, sizes at the contract's edges. The reference interpreter runs every launch and looks for
races, accesses out of range and reads of what nothing wrote; with a GPU, a verified kernel is compiled and
launched as well, and the results are compared. Types come from --signature, the decorator, or the launches
in the file; compile-time values of Triton kernels from --constexpr or the launches.

What is said counts the launches, those that the interpreter could not follow to the end, and the elements
of the kernel's outputs that it knows: only those are compared. Sums of tiles and products of matrices it
does not compute.

Exit code 0: nothing wrong. 1: something, which is said. 2: the kernel cannot be run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint.cli import tiles
from gpulint.config import Config, ConfigError, load

if TYPE_CHECKING:
    from gpulint.compile.artifact import Proved
    from gpulint.compile.tile.proved import Tiled
    from gpulint.conform.case import Case
    from gpulint.interp.launch import Violation
    from gpulint.runtime.driver import Driver
    from gpulint.runtime.plan import Plan


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("target", metavar="FILE[::KERNEL]", help="a Python file, and a kernel in it")
    p.add_argument(
        "--signature", default="", metavar="TYPES",
        help="as in 'float32[::1], int64'; of a Triton kernel '*fp16:16, i32'",
    )  # fmt: skip
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a value from outside")
    tiles.add_options(p)
    p.add_argument("--launches", type=int, default=10, metavar="N", help="how many (default: 10)")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="other inputs (default: 0)")
    p.add_argument("--cpu", action="store_true", help="the interpreter alone, even if there is a GPU")
    p.add_argument("-v", "--verbose", action="store_true", help="list the launches")


def run(o: argparse.Namespace) -> int:
    from gpulint.compile.error import CompileError
    from gpulint.conform.case import cases, interpreted

    try:
        proved = _proved(o, load(Path(o.target.partition("::")[0]).parent))
    except CompileError as error:
        raise ConfigError(str(error)) from None
    done, wrong = [], 0
    for case in cases(proved, o.launches, o.seed):
        full, bad = interpreted(proved, case)
        done.append(full)
        wrong += bool(bad)
        if o.verbose or bad:
            print(f"{case}", *(f"  {_said(v)}" for v in bad[:3]), sep="\n")
    if not done:
        name = proved.kernel.qualname
        raise ConfigError(f"no small launch of `{name}` was found that meets its contract")
    print(_summary(proved, done, wrong))
    return 1 if _on_device(o, proved, done) or wrong else 0


def _proved(o: argparse.Namespace, config: Config) -> Proved | Tiled:
    """The kernel, decided; verified or not. Raises CompileError."""
    from gpulint._compiling import find, prove_found, prove_tile
    from gpulint.compile.closures import read

    filename, _, wanted = o.target.partition("::")
    values = dict(map(read, o.set))
    found = find(Path(filename), wanted)
    tiles.fits(found, {"--set": o.set}, tiles.given(o))
    if found.tile:
        return prove_tile(found, tiles.wanted(o), config)
    return prove_found(found, o.signature, config, values.get)


def _said(v: Violation) -> str:
    at = f" of {v.array}[{', '.join(map(str, v.element))}]" if v.array else ""
    return f"{v.kind}{at} in line {v.span.row}: block {v.point[0]}, thread {v.point[1]} {v.detail}".rstrip()


def _summary(proved: Proved | Tiled, done: list[Case], wrong: int) -> str:
    """What the interpreter did: launches, how far it could follow them, what it knows of the results."""
    from gpulint.compile.artifact import VERIFIED

    lines = [f"{proved.kernel.qualname}: {len(done)} launches, {wrong} wrong in the interpreter"]
    if proved.result.status != VERIFIED:
        told = "" if proved.clauses else ", of which there are none"
        lines.append(
            f"  not verified ({proved.result.status}): launches meet the clauses that are known{told}"
        )
    stopped = [c for c in done if c.open]
    if stopped:
        lines.append(f"  {len(stopped)} not followed to the end ({stopped[0].open})")
    outputs = [name for name, a in proved.accesses.arrays.items() if a.written and name in done[0].shapes]
    results = [x for c in done for name in outputs for x in c.wanted[name]]
    known = sum(x is not None for x in results)
    sums = ", and sums of others" if any(c.sums for c in done) else ""
    lines.append(f"  {known} of {len(results)} elements of {', '.join(outputs) or 'outputs'} known{sums}")
    return "\n".join(lines)


def _on_device(o: argparse.Namespace, proved: Proved | Tiled, done: list[Case]) -> int:
    """The number of launches that are wrong on the GPU; 0 where there is none."""
    from gpulint.compile.error import CompileError
    from gpulint.conform.device import untold
    from gpulint.runtime.driver import DriverError, driver

    if o.cpu:
        print("  not run on a GPU: --cpu")
        return 0
    try:
        found = driver()
        p = _plan(proved, found.limits().arch)
        why = untold(p)
    except DriverError as error:
        why = str(error)
    except CompileError as error:
        why = str(error)
    if why:
        print(f"  not run on a GPU: {why}")
        return 0
    return _compared(proved, p, done, found)


def _plan(proved: Proved | Tiled, arch: str) -> Plan:
    """The kernel compiled for the device. Raises CompileError."""
    from gpulint._compiling import plan_of
    from gpulint.compile import artifact
    from gpulint.compile.tile.artifact import make

    return plan_of(artifact.make(proved, arch) if isinstance(proved, artifact.Proved) else make(proved, arch))


def _compared(proved: Proved | Tiled, p: Plan, done: list[Case], found: Driver) -> int:
    from gpulint.conform.device import different, launched
    from gpulint.runtime.errors import LaunchRefused

    wrong = 0
    for case in done:
        try:
            said = different(p, case, launched(p, found, case))
        except LaunchRefused as error:
            said = [f"refused: {error}"]
        wrong += bool(said)
        if said:
            print(f"{case}", *(f"  {line}" for line in said), sep="\n")
    arch = found.limits().arch
    print(f"{proved.kernel.qualname}: {len(done)} launches, {wrong} wrong on the GPU ({arch})")
    return wrong
