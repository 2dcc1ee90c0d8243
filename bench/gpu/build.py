"""Compiles the kernels and works out what each small launch must give, for a machine with a GPU.

usage: python bench/gpu/build.py FOLDER [--arch sm_90] [--vectors 1 2 4]

FOLDER then holds the PTX and certificate of each kernel (of streaming ones once for each number of vectors a
thread) and `cases.json`: launches, their inputs and the reference interpreter's results. `run.py` does the
rest there, and `check.py` for the examples; neither llvmlite nor a solver is needed by then. Examples go to
`example.*` and `examples.json`, the kernels of `native.cu`, compiled by nvcc -O3, to `native.cubin`.
"""

from __future__ import annotations

import argparse
import itertools
import json
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

from cases import Case, cases, contents
from references import completed
from signatures import SIGNATURES

from examples import LAUNCHES, paths
from gpulint._compiling import prove
from gpulint.compile.artifact import Proved, make
from gpulint.compile.certificate import certificate
from gpulint.compile.context import Options
from gpulint.compile.files import write_all
from gpulint.conform.case import cases as drawn
from gpulint.conform.case import interpreted
from gpulint.interp import run as interpret
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch

SOURCE = Path(__file__).resolve().parent / "kernels.py"


def expected(proved: Proved, case: Case) -> dict[str, Any]:
    """The case as JSON: inputs, and every element that the interpreter knows after the launch."""
    names = [p.name for p in proved.kernel.params]
    given = contents(case, names)
    arrays = {}
    for name, values in given.items():
        places = list(itertools.product(*(range(e) for e in case.shapes[name])))
        held = dict(zip(places, values, strict=True))
        arrays[name] = ConcreteArray(case.shapes[name], held.__getitem__)
    outcome = interpret(
        proved.kernel, ConcreteLaunch(case.grid, case.block, arrays, case.numbers, max_steps=10**8)
    )
    bad = [v for v in outcome.violations if v.kind != "negative-index"]
    if bad or not outcome.complete:
        raise SystemExit(f"{case}: the interpreter says {bad or 'incomplete'}")
    written: dict[str, list[tuple[tuple[int, ...], Any]]] = {}
    for name, values in outcome.written.items():
        if name in arrays:
            written[name] = [
                (at, v if isinstance(v, (int, float)) else None) for at, v in sorted(values.items())
            ]
    if case.kernel == "warp_sums":  # the interpreter does not know what the lanes of a warp exchange
        written = {"out": [((0,), sum(given["x"]))]}
    return {
        "kernel": case.kernel, "grid": case.grid, "block": case.block, "shapes": case.shapes,
        "numbers": case.numbers, "given": given, "written": written, "order": names,
    }  # fmt: skip


def examples(folder: Path, arch: str) -> dict[Path, str]:
    """The files of all right examples: code, certificates, launches with their results."""
    files: dict[Path, str] = {}
    launches: dict[str, Any] = {}
    for name, path in paths():
        proved = prove(path, "")
        made = make(proved, arch)
        files[folder / f"example.{name}.ptx"] = made.ptx
        files[folder / f"example.{name}.certificate.json"] = certificate(made, path)
        found = [interpreted(proved, case) for case in drawn(proved, LAUNCHES)]
        bad = [v for case, wrong in found for v in (*wrong, *([case.open] if case.open else []))]
        if bad or not found:
            raise SystemExit(f"{name}: the interpreter says {bad[:2] or 'nothing: no launch was found'}")
        launches[name] = [completed(name, case).plain() for case, _ in found]
        print(f"{name}: {len(found)} launches")
    files[folder / "examples.json"] = json.dumps(launches)
    return files


def native(folder: Path, arch: str) -> None:
    """The CUDA C++ kernels, where there is an nvcc."""
    if shutil.which("nvcc") is None:
        print("no nvcc: nothing to compare with")
        return
    out, source = folder / "native.cubin", SOURCE.with_name("native.cu")
    subprocess.run(["nvcc", "-O3", f"-arch={arch}", "-cubin", "-o", str(out), str(source)], check=True)


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("folder", type=Path)
    p.add_argument("--arch", default="sm_90")
    p.add_argument("--vectors", type=int, nargs="+", default=[1, 2, 4])
    o = p.parse_args()
    o.folder.mkdir(parents=True, exist_ok=True)
    wanted: dict[str, list[Case]] = {}
    for case in cases():
        wanted.setdefault(case.kernel, []).append(case)
    found, files = [], {}
    for name, signature in SIGNATURES.items():
        proved = prove(SOURCE, name, signature)
        start = time.process_time()
        for vectors in o.vectors:
            made = make(proved, o.arch, Options(vectors=vectors))
            if vectors == o.vectors[0] or made.stream is not None:
                stem = name if made.stream is None else f"{name}.v{vectors}"
                files[o.folder / f"{stem}.ptx"] = made.ptx
                files[o.folder / f"{stem}.certificate.json"] = certificate(made, SOURCE)
        print(f"{name}: {time.process_time() - start:.2f} s, {len(wanted.get(name, []))} launches")
        found += [expected(proved, case) for case in wanted.get(name, [])]
    files[o.folder / "cases.json"] = json.dumps(found)
    write_all({**files, **examples(o.folder, o.arch)})
    native(o.folder, o.arch)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
