"""Times of six verified examples beside Numba and nvcc -O3: the same work, written the same way."""

from __future__ import annotations

import ctypes
import importlib.util
import statistics
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from examples import FOLDER
from gpulint.runtime.driver import driver
from gpulint.runtime.plan import Plan
from gpulint.runtime.prepare import Prepared

ROUNDS, LAUNCHES = 7, 10
Dims = tuple[int, int, int]


@dataclass(frozen=True)
class Work:
    """The example and its kernel, the launch, the arguments, and the sizes that nvcc's takes beside them."""

    example: str
    kernel: str
    grid: Dims
    block: Dims
    arguments: tuple[Any, ...]
    sizes: tuple[int, ...]


def works() -> dict[str, Callable[[], Work]]:
    """The comparisons by name, each with arrays of its own when it is asked for."""

    def floats(*shape: int) -> Any:
        return torch.randn(*shape, device="cuda")

    def transpose(n: int = 8192) -> Work:
        a = floats(n, n)
        return Work(
            "transpose_tile",
            "transpose",
            (n // 16, n // 16, 1),
            (16, 16, 1),
            (a, torch.empty_like(a)),
            (n, n),
        )

    def row_sums(rows: int = 2**15, cols: int = 4096) -> Work:
        out = torch.empty(rows, device="cuda")
        return Work(
            "row_sums_block", "row_sums", (rows, 1, 1), (256, 1, 1), (floats(rows, cols), out), (rows, cols)
        )

    def softmax(rows: int = 2**17, cols: int = 1024) -> Work:
        a = floats(rows, cols)
        return Work(
            "softmax_block", "softmax", (rows, 1, 1), (32, 1, 1), (a, torch.empty_like(a)), (rows, cols)
        )

    def stencil(n: int = 2**27) -> Work:
        x = floats(n)
        return Work("stencil_halo", "smooth", (n // 64, 1, 1), (64, 1, 1), (x, torch.empty_like(x)), (n,))

    def histogram(n: int = 2**27) -> Work:
        values = torch.randint(0, 64, (n,), device="cuda", dtype=torch.int32)
        counts = torch.zeros(64, device="cuda", dtype=torch.int32)
        return Work("histogram_shared", "histogram", (132 * 16, 1, 1), (64, 1, 1), (values, counts), (n,))

    def matmul(n: int = 4096) -> Work:
        a, b, c = (floats(n, n) for _ in range(3))
        return Work("matmul_tiled", "matmul", (n // 16, n // 16, 1), (16, 16, 1), (a, b, c), (n, n, n))

    return {
        "transpose": transpose, "row_sums": row_sums, "softmax": softmax, "stencil": stencil,
        "histogram": histogram, "matmul": matmul,
    }  # fmt: skip


def native(folder: Path, name: str, w: Work) -> Callable[[], None]:
    """nvcc's kernel of the same name, ready to be launched."""
    on = driver()
    module = ctypes.c_void_p()
    raw = (folder / "native.cubin").read_bytes()
    on.current()
    on.call("cuModuleLoadData", ctypes.byref(module), raw)
    values = [ctypes.c_uint64(a.data_ptr()) for a in w.arguments] + [ctypes.c_int64(n) for n in w.sizes]
    pointers = (ctypes.c_void_p * len(values))(*(ctypes.addressof(v) for v in values))
    launch = on.launcher(on.function(module, name), w.grid, w.block, 0, 0, pointers)
    kept.append((module, values, pointers))
    return launch


kept: list[Any] = []  # what launches point to


def numba(w: Work) -> Callable[[], None] | None:
    """The same source through numba-cuda; None where it is not installed."""
    try:
        import numpy

        if not hasattr(numpy, "row_stack"):
            numpy.row_stack = numpy.vstack  # numba-cuda asks for it, newer NumPy no longer has it
        from numba import cuda

        path = FOLDER / "simt" / "right" / f"{w.example}.py"
        spec = importlib.util.spec_from_file_location(w.example, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        views = [cuda.as_cuda_array(a) for a in w.arguments]
    except Exception as error:
        print(f"no numba-cuda: {type(error).__name__}: {error}", file=sys.stderr)
        return None
    kernel = getattr(module, w.kernel)
    return lambda: kernel[w.grid, w.block](*views)


def seconds(launch: Callable[[], Any]) -> float:
    """The mean time of a launch, by events around several."""
    start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    start.record()
    for _ in range(LAUNCHES):
        launch()
    end.record()
    end.synchronize()
    return float(start.elapsed_time(end)) / 1e3 / LAUNCHES


def runs(launch: Callable[[], Any]) -> bool:
    """Whether Numba compiles and launches the kernel; why not is said."""
    try:
        launch()
    except Exception as error:
        print(f"not by numba-cuda: {type(error).__name__}: {str(error)[:300]}", file=sys.stderr)
        return False
    return True


def agreeing(w: Work, contestants: dict[str, Callable[[], Any]]) -> list[str]:
    """The contestants whose result is not the first one's."""
    results = {}
    for name, launch in contestants.items():
        w.arguments[-1].zero_()
        launch()
        torch.cuda.synchronize()
        results[name] = w.arguments[-1].clone()
    first = next(iter(results.values()))
    return [n for n, r in results.items() if not torch.allclose(r, first, rtol=1e-3, atol=1e-3)]


def table(folder: Path, load: Callable[[Path, str], Plan]) -> dict[str, dict[str, Any]]:
    """Milliseconds by contestant: medians of rounds in which all take turns; and ratios to ours."""
    out: dict[str, dict[str, Any]] = {}
    for name, make in works().items():
        w = make()
        ours = Prepared(load(folder, f"example.simt.{w.example}"), driver(), w.grid, w.block)
        contestants: dict[str, Callable[[], Any]] = {"gpulint": lambda ours=ours, w=w: ours(*w.arguments)}
        contestants["nvcc"] = native(folder, name, w)
        other = numba(w)
        if other is not None:
            contestants["numba"] = other
        if "numba" in contestants and not runs(contestants["numba"]):
            del contestants["numba"]
        different = agreeing(w, contestants)
        taken: dict[str, list[float]] = {key: [] for key in contestants}
        for _ in range(ROUNDS):
            for key, launch in contestants.items():
                taken[key].append(seconds(launch))
        ms = {key: statistics.median(v) * 1e3 for key, v in taken.items()}
        out[name] = {key: round(v, 4) for key, v in ms.items()}
        out[name] |= {
            f"{key}/gpulint": round(v / ms["gpulint"], 3) for key, v in ms.items() if key != "gpulint"
        }
        out[name] |= {"different": different} if different else {}
        del w, ours, contestants, other
        torch.cuda.empty_cache()
    return out
