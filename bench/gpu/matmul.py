"""Verified Triton products of f16 matrices against cuBLAS.

usage: python bench/gpu/matmul.py build FOLDER [--arch sm_90] [CANDIDATE...]
       python bench/gpu/matmul.py run FOLDER [--size 8192] [--out FILE.json] [--check-only]

A candidate is KERNEL:MxNxK:WARPS:STAGES[:GROUP], as in `persistent:128x256x64:8:3`; without any, a list of
usual ones is taken. `build` proves and compiles them (it needs a solver and Triton, and no GPU): FOLDER then
holds machine code and certificates. `run` needs a GPU and PyTorch: it launches each candidate just inside its
contract against exact results, just outside where it must be refused, and times them beside cuBLAS in turns.
Exits 1 when something is wrong.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[2])]

from gpulint.runtime import errors as e
from gpulint.runtime.plan import UNMASKED, Plan, load
from gpulint.runtime.prepare import Prepared

SOURCE = Path(__file__).resolve().parent / "matmuls.py"
SIGNATURE = "*fp16, *fp16, *fp16, i32, i32, i32"
USUAL = (
    "persistent:128x256x64:8:3", "persistent:128x128x64:4:4", "persistent:128x128x64:8:4",
    "persistent:256x128x64:8:3", "specialised:128x256x64:4:3", "specialised:128x128x64:4:4",
    "described:128x256x64:8:3", "described:128x256x64:8:4", "described:256x128x64:8:4",
    "described:128x128x64:4:4", "pointers:128x256x64:8:3", "pointers:128x256x64:8:4",
    "pointers:128x128x64:4:4",
)  # fmt: skip
ROUNDS, LAUNCHES, WARM = 9, 10, 3


@dataclass(frozen=True)
class Candidate:
    """One kernel with its tile, warps, stages and tile rows in a strip."""

    kernel: str
    tile: tuple[int, int, int]
    warps: int
    stages: int
    group: int = 8

    @staticmethod
    def read(text: str) -> Candidate:
        kernel, tile, warps, stages, *group = text.split(":")
        m, n, k = map(int, tile.split("x"))
        return Candidate(kernel, (m, n, k), int(warps), int(stages), *map(int, group))

    def __str__(self) -> str:
        return f"{self.kernel}:{'x'.join(map(str, self.tile))}:{self.warps}:{self.stages}:{self.group}"

    @property
    def stem(self) -> str:
        return f"matmul.{str(self).replace(':', '-')}"

    def grid(self, m: int, n: int, processors: int) -> tuple[int, int, int]:
        """The grid for a product of m by n elements."""
        columns, strips = -(-n // self.tile[1]), -(-m // (self.tile[0] * self.group))
        if self.kernel in ("persistent", "specialised"):
            return min(processors, columns * strips * self.group), 1, 1
        return self.group, columns, strips


# --- here: proof and compilation


def build(folder: Path, candidates: list[Candidate], arch: str) -> None:
    from gpulint._compiling import find, prove_tile
    from gpulint.compile.error import CompileError
    from gpulint.compile.files import write_all
    from gpulint.compile.tile.artifact import make
    from gpulint.compile.tile.certificate import certificate
    from gpulint.compile.tile.proved import Wanted

    folder.mkdir(parents=True, exist_ok=True)
    for c in candidates:
        sizes = dict(zip(("BLOCK_M", "BLOCK_N", "BLOCK_K", "GROUP"), (*c.tile, c.group), strict=True))
        start = time.process_time()
        try:
            made = make(
                prove_tile(find(SOURCE, c.kernel), Wanted(SIGNATURE, sizes, warps=c.warps, stages=c.stages)),
                arch,
            )
        except CompileError as error:
            print(f"{c}: {error}")
            continue
        at = folder / c.stem
        files: dict[Path, str | bytes] = {
            Path(f"{at}.ptx"): made.ptx, Path(f"{at}.cubin"): made.built.cubin,
            Path(f"{at}.certificate.json"): certificate(made, SOURCE),
        }  # fmt: skip
        if made.unmasked is not None:
            files[Path(f"{at}{UNMASKED}.ptx")] = made.unmasked.built.ptx
            files[Path(f"{at}{UNMASKED}.cubin")] = made.unmasked.built.cubin
        write_all(files)
        print(f"{c}: {made.built.shared} bytes of shared memory, {time.process_time() - start:.1f} s")


# --- on the GPU


def found(folder: Path) -> Iterator[tuple[Candidate, Plan]]:
    for path in sorted(folder.glob("matmul.*.cubin")):
        if path.name.endswith(f"{UNMASKED}.cubin"):
            continue
        text = path.name.removeprefix("matmul.").removesuffix(".cubin").replace("-", ":")
        yield Candidate.read(text), load(path)


def inside(c: Candidate) -> list[tuple[int, int, int]]:
    """Sizes (m, n, k) at the edges: one row, single tiles, more than a tile or a strip, whole tiles."""
    m, n, k = c.tile
    whole = m * c.group, 2 * n, 2 * k
    return [(1, 16, 16), (m, n, k), (m + 1, n + 16, k + 16), (m * c.group + 5, 2 * n - 16, 2 * k), whole]


def exact(c: Candidate, p: Plan, torch: Any, processors: int) -> list[str]:
    """Products of small integers, which f16 and f32 hold exactly, against the exact result."""
    from gpulint.runtime.driver import driver

    wrong = []
    for m, n, k in inside(c):
        a, b = (torch.randint(-2, 3, s, dtype=torch.int64) for s in ((m, k), (k, n)))
        given = [x.to(torch.float16).cuda() for x in (a, b)]
        out = torch.full((m, n), float("nan"), dtype=torch.float16, device="cuda")
        try:
            Prepared(p, driver(), c.grid(m, n, processors))(*given, out, m, n, k)
        except e.LaunchRefused as error:
            wrong.append(f"{c} {m, n, k}: refused: {error!r}")
            continue
        if not torch.equal(out.cpu().to(torch.int64), a @ b):
            wrong.append(f"{c} {m, n, k}: another result")
    return wrong


def outside(c: Candidate, p: Plan, made: Callable[..., Any], on: Any) -> list[str]:
    """Launches that must be refused, each for its reason; `made(kind, count, bytes off)` gives an array."""
    m, n, k = c.tile
    grid = c.grid(m, n, 4)
    a, b, out = made("f2", m * k, 0), made("f2", k * n, 0), made("f2", m * n, 0)
    wide = (grid[0], 2, 1) if c.kernel in ("persistent", "specialised") else (c.group + 1, *grid[1:])
    cases: list[tuple[str, type[Exception], Any, tuple[Any, ...]]] = [
        ("short output", e.ClauseBroken, grid, (a, b, made("f2", m * n - 1, 0), m, n, k)),
        ("odd width", e.ClauseBroken, grid, (a, b, out, m, n - 1, k)),
        ("moved input", e.Misaligned, grid, (made("f2", m * k, 2), b, out, m, n, k)),
        ("other elements", e.ElementTypeDiffers, grid, (a, b, made("f4", m * n, 0), m, n, k)),
        ("output in place", e.ArraysOverlap, grid, (a, b, a, 1, 16, k)),
        ("other grid", e.ClauseBroken, wide, (a, b, out, m, n, k)),
        ("no rows", e.ClauseBroken, grid, (a, b, out, 0, n, k)),
    ]  # fmt: skip
    wrong = []
    for name, kind, wanted, given in cases:
        try:
            Prepared(p, on, wanted)(*given)
            wrong.append(f"{c}: {name} is not refused")
        except e.LaunchRefused as error:
            if not isinstance(error, kind):
                wrong.append(f"{c}: {name} is refused for another reason: {error!r}")
    return wrong


def arrays(torch: Any) -> Callable[..., Any]:
    def made(kind: str, count: int, off: int) -> Any:
        whole = torch.zeros(count + 8, dtype=torch.float16 if kind == "f2" else torch.float32, device="cuda")
        return whole[off // 2 : off // 2 + count]

    return made


def times(plans: dict[Candidate, Plan], size: int, torch: Any, processors: int) -> dict[str, float]:
    """TFLOP/s of each candidate and of cuBLAS: medians of rounds in which all take turns."""
    from run import seconds

    from gpulint.runtime.driver import driver

    a, b, out = (torch.randn(size, size, device="cuda", dtype=torch.float16) for _ in range(3))
    calls: dict[str, Callable[[], Any]] = {"cuBLAS": lambda: torch.matmul(a, b, out=out)}
    for c, p in plans.items():
        launch = Prepared(p, driver(), c.grid(size, size, processors))
        calls[str(c)] = lambda launch=launch: launch(a, b, out, size, size, size)
    for call in calls.values():
        for _ in range(WARM):
            call()
    torch.cuda.synchronize()
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            call()
            taken[name].append(seconds(call))
    return {name: round(2 * size**3 / statistics.median(v) / 1e12, 1) for name, v in taken.items()}


def run(o: argparse.Namespace) -> int:
    import torch
    from run import versions

    from gpulint.runtime.driver import driver

    processors = torch.cuda.get_device_properties(0).multi_processor_count
    plans = dict(found(o.folder))
    wrong = [w for c, p in plans.items() for w in exact(c, p, torch, processors)]
    wrong += [w for c, p in plans.items() for w in outside(c, p, arrays(torch), driver())]
    print(f"{len(plans)} candidates, {len(wrong)} wrong", *wrong[:20], sep="\n")
    if o.check_only or not plans:
        return 1 if wrong or not plans else 0
    speeds = times(plans, o.size, torch, processors)
    best = max(speeds[str(c)] for c in plans)
    report = {
        "device": torch.cuda.get_device_name(0), "versions": versions(), "size": o.size, "wrong": wrong,
        "launches-inside": sum(len(inside(c)) for c in plans), "teraflops-per-second": speeds,
        "best-of-cublas": round(best / speeds["cuBLAS"], 3),
    }  # fmt: skip
    text = json.dumps(report, indent=2)
    print(text)
    if o.out:
        o.out.write_text(text + "\n")
    return 1 if wrong else 0


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = p.add_subparsers(dest="command", required=True)
    here = commands.add_parser("build")
    here.add_argument("folder", type=Path)
    here.add_argument("candidates", nargs="*", default=USUAL, metavar="CANDIDATE")
    here.add_argument("--arch", default="sm_90")
    there = commands.add_parser("run")
    there.add_argument("folder", type=Path)
    there.add_argument("--size", type=int, default=8192)
    there.add_argument("--out", type=Path)
    there.add_argument("--check-only", action="store_true")
    o = p.parse_args()
    if o.command == "run":
        return run(o)
    build(o.folder, list(map(Candidate.read, o.candidates)), o.arch)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
