"""What files cost to check: `python bench/speed.py [--save FILE] [--against FILE] [PATH ...]`.

Each file is checked alone, nothing cached, in a process of its own. Beside the CPU seconds the table counts
what the time goes into (questions to elimination and to Z3, steps of the interpreter); the counts are the
same on every machine. `--against` compares with what `--save` wrote for another state of the code: the ratio
of the times, and every verdict that is not the same. Exit code 1 when one is lost.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from fetch import cache_folder  # noqa: E402
from tables import table  # noqa: E402

NUMBA = (
    "numba_cuda-0.30.4/numba_cuda/numba/cuda/tests/doc_examples/test_laplace.py",
    "torchlpc-0.7.2/torchlpc-0.7.2/torchlpc/parallel_scan.py",
    "algotom-1.7.0/algotom/util/correlation.py",
    "fbpic-0.27.1/fbpic/particles/elementary_process/ionization/cuda_methods.py",
    "fbpic-0.27.1/fbpic/particles/deposition/cuda_methods.py",
    "fbpic-0.27.1/fbpic/particles/gathering/cuda_methods.py",
    "fbpic-0.27.1/fbpic/fields/cuda_methods.py",
    "gamdpy-0.8.3/gamdpy/integrators/NVU_RT.py",
    "sgkit-0.10.0/sgkit/distance/metrics.py",
    "datashader-0.19.1/datashader/transfer_functions/_cuda_utils.py",
)
TRITON = (
    *(f"liger_kernel-0.8.5/liger_kernel/ops/{name}.py" for name in (
        "rope", "group_norm", "layer_norm", "dyt", "cross_entropy", "poly_norm",
    )),
    *(f"unsloth-2026.10.9/unsloth/kernels/{name}.py" for name in ("rope_embedding", "cross_entropy_loss")),
    "fla_core-0.6.0/fla/ops/gla/chunk.py",
    "fla_core-0.6.0/fla/ops/utils/cumsum.py",
    "flag_gems-5.0.2/flag_gems/ops/softmax.py",
    "flag_gems-5.0.2/flag_gems/ops/groupnorm.py",
    "conch_triton_kernels-1.3/conch/kernels/attention/paged_attention.py",
    "lmdeploy-0.18.0/lmdeploy/pytorch/kernels/cuda/fill_kv_cache.py",
    "torchao-0.18.0/torchao/kernel/bsr_triton_ops.py",
)  # fmt: skip
DECIDED = ("proved", "proved-under", "refuted")


def counting(counts: Counter[str]) -> None:
    """From here on, count in this process what checks spend."""
    import z3

    from gpulint.solver import replays
    from gpulint.solver.eliminate import Bounder

    def counted(name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(real)
        def call(*args: Any, **named: Any) -> Any:
            counts[name] += 1
            return real(*args, **named)

        return call

    def stepping(*args: Any) -> Any:
        outcome = run(*args)
        counts["interpreter steps"] += outcome.steps
        return outcome

    run = replays.run
    replays.run = stepping
    Bounder.reduce = counted("eliminations", Bounder.reduce)  # type: ignore[method-assign]
    z3.Solver.check = counted("z3 checks", z3.Solver.check)


def checked(path: Path) -> dict[str, Any]:
    """What one file costs, and its verdicts."""
    from gpulint.config import Config
    from gpulint.pipeline import check_file

    counts: Counter[str] = Counter()
    counting(counts)
    sys.setrecursionlimit(3000)
    start = time.process_time()
    report = check_file(path, str(path), Config(), True)
    seconds = time.process_time() - start
    verdicts = Counter(
        f"{k.name} {o.property} {o.kind} {o.span.row}:{o.span.column} {o.verdict}"
        for k in report.kernels for o in k.obligations
    )  # fmt: skip
    return {"seconds": seconds, "kernels": len(report.kernels), "counts": counts, "verdicts": verdicts}


def _send(path: Path, pipe: Any) -> None:
    pipe.send(checked(path))


def alone(path: Path) -> dict[str, Any] | None:
    """`checked` in a process of its own; None when it ended without an answer."""
    here, there = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_send, args=(path, there))
    process.start()
    there.close()
    try:
        found: dict[str, Any] | None = here.recv()
    except EOFError:
        found = None
    process.join()
    return found


def lost(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """The verdicts that there were before and are not any more."""
    gone = Counter(before["verdicts"]) - Counter(after["verdicts"])
    return sorted(v for v in gone.elements() if v.rpartition(" ")[2] in DECIDED)


def row(name: str, found: dict[str, Any], before: dict[str, Any] | None) -> list[str]:
    counts = found["counts"]
    cells = [name, str(found["kernels"]), f"{found['seconds']:.2f}"]
    cells += [str(counts.get(k, 0)) for k in ("eliminations", "z3 checks", "interpreter steps")]
    if before is not None:
        cells += [f"{before['seconds']:.2f}", f"{before['seconds'] / max(found['seconds'], 1e-3):.1f}"]
    return cells


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="*", type=Path, help="files; by default a fixed list of the corpus")
    parser.add_argument("--corpus", type=Path, default=cache_folder(), help="where bench/fetch.py put it")
    parser.add_argument("--save", type=Path, help="write the results there")
    parser.add_argument("--against", type=Path, help="compare with results that were saved")
    options = parser.parse_args()
    paths = options.paths or [options.corpus / "src" / name for name in (*NUMBA, *TRITON)]
    old = json.loads(options.against.read_text(encoding="utf-8")) if options.against else {}
    results: dict[str, Any] = {}
    for path in paths:
        found = alone(path) if path.is_file() else None
        if found is None:
            print(f"{path}: not there, or no answer", file=sys.stderr)
            continue
        results[str(path)] = found
        print(f"{found['seconds']:8.2f}  {path}", file=sys.stderr, flush=True)
        if options.save:
            options.save.write_text(json.dumps(results), encoding="utf-8")
    head = ["file", "kernels", "CPU s", "eliminations", "Z3 checks", "steps"]
    names = {path: path.rpartition("/src/")[2] for path in results}
    print(table([*head, *(["before", "ratio"] if old else [])], [
        row(names[p], found, old.get(p)) for p, found in results.items() if not old or p in old
    ]))  # fmt: skip
    missing = [(p, v) for p, found in results.items() if p in old for v in lost(old[p], found)]
    for p, v in missing:
        print(f"lost: {names[p]}: {v}")
    return 1 if missing else 0


if __name__ == "__main__":
    raise SystemExit(main())
