"""Run a kernel on small launches within its contract: FILE, or FILE::KERNEL where the file holds several.

Inputs are random, sizes at the contract's edges. The reference interpreter runs every launch and looks for
races, accesses out of range and reads of what nothing wrote; with a GPU, a verified kernel is compiled and
launched as well, and the results are compared. Types come from --signature, the decorator, or the launches
in the file.

Exit code 0: nothing wrong. 1: something, which is said. 2: the kernel cannot be run.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint.config import ConfigError, load

if TYPE_CHECKING:
    from gpulint.compile.artifact import Proved
    from gpulint.conform.case import Case
    from gpulint.interp.launch import Violation
    from gpulint.runtime.driver import Driver


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("target", metavar="FILE[::KERNEL]", help="a Python file, and a kernel in it")
    p.add_argument("--signature", default="", metavar="TYPES", help="as in 'float32[::1], int64'")
    p.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a value from outside")
    p.add_argument("--launches", type=int, default=10, metavar="N", help="how many (default: 10)")
    p.add_argument("--seed", type=int, default=0, metavar="N", help="other inputs (default: 0)")
    p.add_argument("--cpu", action="store_true", help="the interpreter alone, even if there is a GPU")
    p.add_argument("-v", "--verbose", action="store_true", help="list the launches")


def run(o: argparse.Namespace) -> int:
    from gpulint._compiling import prove
    from gpulint.compile.closures import read
    from gpulint.compile.error import CompileError
    from gpulint.conform.case import cases, interpreted

    filename, _, wanted = o.target.partition("::")
    try:
        values = dict(map(read, o.set))
        proved = prove(Path(filename), wanted, o.signature, load(Path(filename).parent), values.get)
    except CompileError as error:
        raise ConfigError(str(error)) from None
    done, wrong = [], 0
    for case in cases(proved, o.launches, o.seed):
        full, bad = interpreted(proved, case)
        done.append(full)
        wrong += bool(bad)
        if o.verbose or bad:
            print(f"{case}", *(f"  {_said(v)}" for v in bad[:3]), sep="\n")
    name = proved.kernel.qualname
    if not done:
        raise ConfigError(f"no small launch of `{name}` was found that meets its contract")
    print(f"{name}: {len(done)} launches, {wrong} wrong in the interpreter")
    return 1 if _on_device(o, proved, done) or wrong else 0


def _said(v: Violation) -> str:
    at = f" of {v.array}[{', '.join(map(str, v.element))}]" if v.array else ""
    return f"{v.kind}{at} in line {v.span.row}: block {v.point[0]}, thread {v.point[1]} {v.detail}".rstrip()


def _on_device(o: argparse.Namespace, proved: Proved, done: list[Case]) -> int:
    """The number of launches that are wrong on the GPU; 0 where there is none."""
    from gpulint.compile.error import CompileError
    from gpulint.runtime.driver import DriverError, driver

    if o.cpu:
        return 0
    try:
        found = driver()
    except DriverError as error:
        print(f"not run on a GPU: {error}")
        return 0
    try:
        return _compared(o, proved, done, found)
    except CompileError as error:
        print(f"not run on the GPU: {error}")
        return 0


def _compared(o: argparse.Namespace, proved: Proved, done: list[Case], found: Driver) -> int:
    import json

    from gpulint.compile.artifact import make
    from gpulint.compile.certificate import certificate
    from gpulint.conform.device import different, launched
    from gpulint.runtime.errors import LaunchRefused
    from gpulint.runtime.plan import plan

    arch = found.limits().arch
    made = make(proved, arch)
    p = plan(json.loads(certificate(made, Path(proved.kernel.span.filename))), made.ptx)
    wrong = 0
    for case in done:
        try:
            said = different(p, case, launched(p, found, case))
        except LaunchRefused as error:
            said = [f"refused: {error}"]
        wrong += bool(said)
        if said:
            print(f"{case}", *(f"  {line}" for line in said), sep="\n")
    print(f"{proved.kernel.qualname}: {len(done)} launches, {wrong} wrong on the GPU ({arch})")
    return wrong
