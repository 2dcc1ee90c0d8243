"""Runs what `build.py` made on a GPU: results against the interpreter's, then times beside Numba and PyTorch.

usage: python bench/gpu/run.py FOLDER [--out FILE.json] [--check-only] [--elements N]

Needs the CUDA driver and PyTorch (for memory and its own kernels); without numba-cuda its times are left out,
and without `native.cubin` those of nvcc. `check.py` does the same for the examples, without PyTorch.
Exits 1 when a result is wrong.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import math
import platform
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

import compare
import torch

from gpulint.compile.signature import ArraySpec
from gpulint.runtime.arrays import dtype_of
from gpulint.runtime.driver import driver
from gpulint.runtime.errors import LaunchRefused
from gpulint.runtime.plan import Plan, plan
from gpulint.runtime.prepare import Prepared

STREAMING = {"vector_add": 3, "saxpy": 3, "scale": 2, "gelu": 2}  # arrays moved, in full
BLOCK = 256
ROUNDS, LAUNCHES = 7, 10


def load(folder: Path, stem: str) -> Plan:
    certificate = json.loads((folder / f"{stem}.certificate.json").read_text())
    return plan(certificate, (folder / f"{stem}.ptx").read_text())


# --- results


def check(folder: Path) -> tuple[int, list[str]]:
    """Every launch of `cases.json` with every version of its kernel: (launches, what is wrong)."""
    count, wrong = 0, []
    for case in json.loads((folder / "cases.json").read_text()):
        for path in sorted(folder.glob(f"{case['kernel']}.*ptx")):
            stem = path.name.removesuffix(".ptx")
            try:
                wrong += [
                    f"{stem} {case['grid']} {case['shapes']}: {w}" for w in one(load(folder, stem), case)
                ]
            except LaunchRefused as error:
                wrong.append(f"{stem} {case['grid']} {case['shapes']}: refused: {error!r}")
            count += 1
    return count, wrong


def one(p: Plan, case: dict[str, Any]) -> list[str]:
    """What differs after one launch, from the interpreter's elements and from those that nothing writes."""
    arrays, arguments = {}, []
    for a in p.arguments:
        if isinstance(a.spec, ArraySpec):
            name = dtype_of(a.spec.element)[0]
            held = torch.tensor(case["given"][a.name], dtype=getattr(torch, name), device="cuda")
            arrays[a.name] = held.reshape(case["shapes"][a.name])
            arguments.append(arrays[a.name])
        else:
            arguments.append(case["numbers"][a.name])
    Prepared(p, driver(), case["grid"], case["block"])(*arguments)
    torch.cuda.synchronize()
    out = []
    for name, array in arrays.items():
        wanted = dict(enumerate(case["given"][name]))
        for at, value in case["written"].get(name, []):
            flat = 0
            for i, extent in zip(at, case["shapes"][name], strict=True):
                flat = flat * extent + i
            wanted[flat] = value
        found = array.flatten().tolist()
        out += [
            f"{name}[{i}] is {found[i]}, not {v}"
            for i, v in wanted.items()
            if v is not None and differs(found[i], v)
        ]
    return out[:3]


def differs(found: float, wanted: float) -> bool:
    if isinstance(found, int):
        return found != wanted
    return not math.isclose(found, wanted, rel_tol=2e-5, abs_tol=2e-6)


# --- times


def seconds(launch: Callable[[], Any]) -> float:
    """The mean time of a launch, by events around several."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(LAUNCHES):
        launch()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / 1e3 / LAUNCHES


def contestants(folder: Path, name: str, n: int) -> dict[str, Callable[[], Any]]:
    """The launches to compare for one kernel, each ready to be called."""
    x, y, out = (torch.randn(n, device="cuda") for _ in range(3))
    arguments: dict[str, tuple[Any, ...]] = {
        "vector_add": (x, y, out), "saxpy": (1e-3, x, y), "scale": (1.5, x, out), "gelu": (x, out),
    }  # fmt: skip
    given = arguments[name]
    library: dict[str, Callable[[], Any]] = {
        "vector_add": lambda: torch.add(x, y, out=out),
        "saxpy": lambda: y.add_(x, alpha=1e-3),
        "scale": lambda: torch.mul(x, 1.5, out=out),
        "gelu": lambda: torch.ops.aten.gelu.out(x, approximate="none", out=out),
    }
    found: dict[str, Callable[[], Any]] = {"torch": library[name]}
    for path in sorted(folder.glob(f"{name}.*ptx")):
        stem = path.name.removesuffix(".ptx")
        p = load(folder, stem)
        for block in (BLOCK, 128, 1024):
            made = Prepared(p, driver(), -(-n // block), block)
            found[f"gpulint {stem.partition('.')[2]} block {block}"] = lambda made=made: made(*given)
        general = dataclasses.replace(p, second=None)
        made = Prepared(general, driver(), -(-n // BLOCK), BLOCK)
        found["gpulint general"] = lambda made=made: made(*given)
    numba = numba_kernel(name)
    if numba is not None:
        from numba import cuda

        views = [cuda.as_cuda_array(a) if isinstance(a, torch.Tensor) else a for a in given]
        if name in ("saxpy", "scale"):
            import numpy

            views[0] = numpy.float32(views[0])
        found["numba"] = lambda: numba[-(-n // BLOCK), BLOCK](*views)
    return found


def numba_kernel(name: str) -> Any:
    """The same source through numba-cuda; None where it cannot be used."""
    try:
        import numpy

        if not hasattr(numpy, "row_stack"):
            numpy.row_stack = numpy.vstack  # numba-cuda asks for it, newer NumPy no longer has it
        import kernels
    except Exception as error:
        print(f"no numba-cuda: {type(error).__name__}: {error}")
        return None
    return getattr(kernels, name)


def times(folder: Path, n: int) -> dict[str, dict[str, float]]:
    """GB/s by kernel and contestant: the median of rounds in which all take turns."""
    out: dict[str, dict[str, float]] = {}
    for name, arrays in STREAMING.items():
        all_ = contestants(folder, name, n)
        for launch in all_.values():
            launch()
        torch.cuda.synchronize()
        taken: dict[str, list[float]] = {key: [] for key in all_}
        for _ in range(ROUNDS):
            for key, launch in all_.items():
                taken[key].append(seconds(launch))
        out[name] = {key: round(arrays * 4 * n / statistics.median(v) / 1e9, 1) for key, v in taken.items()}
        del all_
        torch.cuda.empty_cache()
    return out


def others() -> dict[str, tuple[tuple[Any, ...], tuple[int, ...], tuple[int, ...]]]:
    """Kernels of other kinds: arguments, grid and block."""
    n, m = 8192, 2048
    square = torch.randn(n, n, device="cuda")
    a, b = (torch.randn(m, m, device="cuda") for _ in range(2))
    rows = torch.randn(2**16, 512, device="cuda")
    values = torch.randint(0, 256, (2**26,), device="cuda", dtype=torch.int32)
    counts = torch.zeros(256, device="cuda", dtype=torch.int32)
    doubles = torch.randn(2**26, device="cuda", dtype=torch.float64)
    return {
        "tile_transpose": ((square, torch.empty_like(square)), (n // 16, n // 16), (16, 16)),
        "matmul": ((a, b, torch.empty_like(a)), (m // 16, m // 16), (16, 16)),
        "softmax": ((rows, torch.empty_like(rows)), (2**8,), (256,)),
        "histogram": ((values, counts), (1056,), (256,)),
        "polynomial": ((doubles[:4].clone(), doubles, torch.empty_like(doubles)), (2**18,), (256,)),
        "block_sums": ((square.reshape(-1), torch.zeros(2**19, device="cuda")), (2**19,), (128,)),
    }


def beside_numba(folder: Path, name: str) -> dict[str, float]:
    """Milliseconds of a kernel that is no stream, and how many times faster than Numba's it is."""
    given, grid, block = others()[name]
    numba = numba_kernel(name)
    if numba is None:
        return {}
    from numba import cuda

    views = [cuda.as_cuda_array(a) for a in given]
    ours = Prepared(load(folder, name), driver(), grid, block)
    all_ = {"gpulint": lambda: ours(*given), "numba": lambda: numba[grid, block](*views)}
    taken: dict[str, list[float]] = {key: [] for key in all_}
    for launch in all_.values():
        launch()
    torch.cuda.synchronize()
    for _ in range(ROUNDS):
        for key, launch in all_.items():
            taken[key].append(seconds(launch))
    ms = {key: statistics.median(v) * 1e3 for key, v in taken.items()}
    return {**{k: round(v, 4) for k, v in ms.items()}, "times": round(ms["numba"] / ms["gpulint"], 3)}


def overhead(folder: Path) -> dict[str, float]:
    """Microseconds on the host for a call of a prepared launch, and for the bare driver call in it."""
    p = load(folder, "scale.v1")
    x, out = (torch.zeros(32, device="cuda") for _ in range(2))
    made = Prepared(p, driver(), 1, 32)
    made(1.0, x, out)
    found = made.decide((1.0, x, out))
    result = {}
    for key, call in (("prepared", lambda: made(1.0, x, out)), ("driver", found.launch)):
        best = math.inf
        for _ in range(5):
            torch.cuda.synchronize()
            start = time.perf_counter()
            for _ in range(500):
                call()
            best = min(best, (time.perf_counter() - start) / 500)
        result[key] = round(best * 1e6, 2)
    return result


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "torch": torch.__version__, "cuda": str(torch.version.cuda)}
    for name in ("numba", "numba_cuda", "numpy", "llvmlite", "triton"):
        try:
            found[name] = str(__import__(name).__version__)
        except Exception:
            found[name] = ""
    try:
        found["driver"] = Path("/proc/driver/nvidia/version").read_text().split("\n")[0]
    except OSError:
        found["driver"] = ""
    return found


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("folder", type=Path)
    p.add_argument("--out", type=Path)
    p.add_argument("--check-only", action="store_true")
    p.add_argument("--elements", type=int, default=2**28)
    o = p.parse_args()
    count, wrong = check(o.folder)
    print(f"{count} launches, {len(wrong)} wrong", *wrong[:20], sep="\n")
    if o.check_only:
        return 1 if wrong else 0
    report = {
        "device": torch.cuda.get_device_name(0),
        "versions": versions(),
        "launches": count,
        "wrong": wrong,
        "elements": o.elements,
        "overhead-us": overhead(o.folder),
        "gigabytes-per-second": times(o.folder, o.elements),
        "beside-numba-ms": {name: beside_numba(o.folder, name) for name in others()},
        "beside-nvcc-ms": compare.table(o.folder, load) if (o.folder / "native.cubin").exists() else {},
    }
    text = json.dumps(report, indent=2)
    print(text)
    if o.out:
        o.out.write_text(text + "\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
