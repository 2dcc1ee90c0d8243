"""Hold the prover against brute force: `python bench/fuzzing.py --mode plain --count 20000 --jobs 16`.

Modes: `plain` (kernels for any parameters), `barriers` (shared memory and barriers, every other
program with warps that exchange values), `warps` (those alone), `sites` (host code that
launches its kernel), `tiles` (Triton kernels with their host code). No proved verdict and no witness of a
refuted one may be contradicted by running the kernel on small launches. A program depends on its mode
and seed alone. Each program runs in a worker; one that dies, or takes longer than `--timeout` seconds, is a
failure of its seed. With `--log` a run that was stopped goes on where it was: one line a program.
Contradictions and failures go to stderr as they come; the last line on stdout is one JSON object with
what was run. Exit code 1 when there was a contradiction or a failure.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import multiprocessing
import sys
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

MODES = ("plain", "barriers", "warps", "sites", "tiles")
SHOWN = 40  # seeds that the summary names


@dataclass
class Program:
    """What came of one program. `status` of its kernel; `verdicts` by property and kind."""

    mode: str
    seed: int
    launches: int
    status: str = ""
    verdicts: dict[str, int] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)
    failure: str = ""
    seconds: float = 0.0  # of CPU

    @property
    def key(self) -> tuple[str, int, int]:
        return self.mode, self.seed, self.launches


def examine(p: Program) -> Program:
    """Generate, decide and run one program; a failure of any kind is noted, not raised."""
    from fuzz.hold import MODES as makers

    from gpulint.term.node import clear

    clear()  # terms of the programs before are no use, and the table would grow
    start = time.process_time()
    text = ""
    try:
        text, result, found = makers[p.mode](p.seed, p.launches)
        p.status = result.status
        said = Counter(f"{v.obligation.property} {v.kind}" for v in result.verdicts)
        p.verdicts = dict(sorted(said.items()))
        p.contradictions = [f"{p.mode} seed {p.seed}\n{text}\n{what}\n" for what in found[:2]]
    except Exception:
        p.failure = f"{p.mode} seed {p.seed}\n{text}\n{traceback.format_exc()}"
    p.seconds = round(time.process_time() - start, 4)
    return p


def work(pipe: Connection) -> None:
    """A worker: a program in, what came of it out, until there is None."""
    with contextlib.suppress(EOFError, KeyboardInterrupt):  # the run itself was stopped
        while (p := pipe.recv()) is not None:
            pipe.send(examine(p))


class Worker:
    """One process and the program that it is at."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, other = context.Pipe()
        self.process = context.Process(target=work, args=(other,), daemon=True)
        self.process.start()
        other.close()
        self.at: Program | None = None
        self.deadline = 0.0

    def give(self, p: Program, limit: float) -> None:
        self.at, self.deadline = p, time.monotonic() + limit
        self.pipe.send(p)

    def take(self) -> Program:
        """What came of the program; a failure where the process has died."""
        assert self.at is not None
        try:
            p: Program = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            p = self.failed(f"the worker died with exit code {self.process.exitcode}")
        self.at = None
        return p

    def failed(self, why: str) -> Program:
        assert self.at is not None
        self.at.failure = f"{self.at.mode} seed {self.at.seed}: {why}"
        return self.at

    def stop(self) -> None:
        with contextlib.suppress(OSError):
            self.pipe.send(None)
        self.process.join(0.2)
        if self.process.is_alive():
            self.process.kill()
            self.process.join()
        self.pipe.close()


def run(wanted: Sequence[Program], jobs: int, limit: float) -> Iterator[Program]:
    """Each program once, in the order in which they finish."""
    left = iter(wanted)
    workers = [Worker() for _ in range(min(jobs, len(wanted)))]
    try:
        for w in workers:
            w.give(next(left), limit)
        while busy := [w for w in workers if w.at is not None]:
            ready = wait([w.pipe for w in busy], timeout=1.0)
            for k, w in enumerate(workers):
                if w.at is None:
                    continue
                if w.pipe in ready:
                    done = w.take()
                elif time.monotonic() > w.deadline:
                    done = w.failed(f"not done within {limit:.0f} s")
                else:
                    continue
                yield done
                if done.failure and not done.seconds:  # the process is gone, or never answers
                    w.stop()
                    w = workers[k] = Worker()
                following = next(left, None)
                if following is not None:
                    w.give(following, limit)
    finally:
        for w in workers:
            w.stop()


def known(log: Path | None) -> dict[tuple[str, int, int], Program]:
    """The finished programs in a log; failures and a last line that was cut off do not count."""
    out: dict[tuple[str, int, int], Program] = {}
    if log is None or not log.exists():
        return out
    for line in log.read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ValueError, TypeError):
            found = Program(**json.loads(line))
            if not found.failure:
                out[found.key] = found
    return out


def summary(found: Sequence[Program]) -> dict[str, Any]:
    """What was run in all. `shares`: of the programs, how many kernels are verified, refuted, undecided."""
    kernels = Counter(p.status for p in found if not p.failure)
    verdicts: dict[str, Counter[str]] = {}
    for p in found:
        for name, count in p.verdicts.items():
            what, _, kind = name.rpartition(" ")
            verdicts.setdefault(what, Counter())[kind] += count
    seconds = sum(p.seconds for p in found)
    count = max(1, len(found))
    return {
        "programs": len(found),
        "contradictions": sum(bool(p.contradictions) for p in found),
        "failures": sum(bool(p.failure) for p in found),
        "cpu_seconds": round(seconds, 1),
        "cpu_seconds_a_program": round(seconds / count, 3),
        "shares": {status: round(n / count, 3) for status, n in kernels.most_common()},
        "verdicts": {what: dict(kinds.most_common()) for what, kinds in sorted(verdicts.items())},
        "wrong_seeds": sorted(p.seed for p in found if p.contradictions)[:SHOWN],
        "failed_seeds": sorted(p.seed for p in found if p.failure)[:SHOWN],
    }


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="random kernels: the prover against brute force")
    parser.add_argument("--mode", choices=MODES, default="plain", help="the kind of programs")
    parser.add_argument("--start", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=20_000, help="how many programs")
    parser.add_argument("--launches", type=int, default=12, help="concrete launches a program")
    parser.add_argument("--log", type=Path, help="where to note finished programs, to go on from")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds of wall time a program")
    given: Any = parser.parse_args(argv)
    seeds = range(given.start, given.start + given.count)
    wanted = [Program(given.mode, seed, given.launches) for seed in seeds]
    done = known(given.log)
    found = [done[p.key] for p in wanted if p.key in done]
    for p in run([p for p in wanted if p.key not in done], max(1, given.jobs), given.timeout):
        found.append(p)
        for text in (*p.contradictions, *filter(None, [p.failure])):
            print(text, file=sys.stderr, flush=True)
        if given.log is not None:
            with given.log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(p)) + "\n")
    out = summary(found)
    print(json.dumps({"mode": given.mode, "start": given.start, "launches": given.launches, **out}))
    return 1 if out["contradictions"] or out["failures"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
