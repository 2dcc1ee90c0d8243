"""Hold the prover against brute force: `python bench/fuzzing.py --count 20000 --log fuzz.jsonl`.

Three kinds of random programs take turns by seed: kernels for any parameters, kernels with shared memory
and barriers, and programs with host code that launches its kernel. No proved verdict and no witness of a
refuted one may be contradicted by running the kernel on small launches. With `--log` a run that was stopped
goes on where it was: slices of seeds that are in the log are not run again. Prints what was run in
all, the contradictions, the verdicts by kind and the time. Exit code 1 when there was a contradiction.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

SLICE = 30  # seeds of one line of the log
MODES = ("plain", "barriers", "sites")


@dataclass
class Slice:
    """The programs of the seeds from `first` on: counts, and the texts of contradictions."""

    first: int
    count: int
    launches: int
    modes: str
    seconds: float = 0.0
    programs: dict[str, int] = field(default_factory=dict)
    verdicts: dict[str, int] = field(default_factory=dict)
    kernels: dict[str, int] = field(default_factory=dict)
    contradictions: list[str] = field(default_factory=list)

    @property
    def key(self) -> tuple[object, ...]:
        return self.first, self.count, self.launches, self.modes


def examine(s: Slice) -> Slice:
    """Run one slice, in this process or in a worker."""
    from fuzz.hold import hold

    start = time.perf_counter()
    modes = s.modes.split(",")
    programs: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    kernels: Counter[str] = Counter()
    for seed in range(s.first, s.first + s.count):
        mode = modes[seed % len(modes)]
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            found, status, _ = hold(mode, seed, 1, s.launches)
        programs[mode] += 1
        verdicts += found
        kernels += status
        if said.getvalue():
            s.contradictions.append(said.getvalue())
    s.programs, s.verdicts, s.kernels = dict(programs), dict(verdicts), dict(kernels)
    s.seconds = time.perf_counter() - start
    return s


def slices(first: int, count: int, launches: int, modes: str) -> Iterator[Slice]:
    """The slices of a range, cut at multiples of SLICE so that overlapping ranges share them."""
    at = first
    while at < first + count:
        end = min(first + count, (at // SLICE + 1) * SLICE)
        yield Slice(at, end - at, launches, modes)
        at = end


def known(log: Path | None) -> dict[tuple[object, ...], Slice]:
    """The slices in a log; a last line that was cut off does not count."""
    out: dict[tuple[object, ...], Slice] = {}
    if log is None or not log.exists():
        return out
    for line in log.read_text(encoding="utf-8").splitlines():
        with contextlib.suppress(ValueError, TypeError):
            found = Slice(**json.loads(line))
            out[found.key] = found
    return out


def run(wanted: Sequence[Slice], log: Path | None, jobs: int) -> Iterator[Slice]:
    """Examine the slices that the log does not hold; each is noted as it is done."""
    done = known(log)
    yield from (done[s.key] for s in wanted if s.key in done)
    left = [s for s in wanted if s.key not in done]
    pool = ProcessPoolExecutor(jobs) if jobs > 1 else None
    results: Iterator[Slice] = pool.map(examine, left) if pool else map(examine, left)
    for s in results:
        if log is not None:
            with log.open("a", encoding="utf-8") as file:
                file.write(json.dumps(asdict(s)) + "\n")
        for text in s.contradictions:
            print(text, flush=True)
        yield s
    if pool:
        pool.shutdown()


def summary(found: Sequence[Slice]) -> str:
    """What was run in all, as text."""
    total: dict[str, Counter[str]] = {name: Counter() for name in ("programs", "kernels", "verdicts")}
    for s in found:
        for name, counter in total.items():
            counter.update(getattr(s, name))
    wrong = sum(len(s.contradictions) for s in found)
    count = sum(total["programs"].values())
    seconds = sum(s.seconds for s in found)
    lines = [f"{count} programs, {wrong} contradictions, {seconds:.0f} s"]
    lines += [f"  {name}: {_words(counter)}" for name, counter in total.items()]
    return "\n".join(lines)


def _words(counts: Counter[str]) -> str:
    return ", ".join(f"{what} {number}" for what, number in counts.most_common())


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="random kernels: the prover against brute force")
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=20_000, help="how many programs")
    parser.add_argument("--launches", type=int, default=12, help="concrete launches a program")
    parser.add_argument("--modes", default=",".join(MODES), help="kinds of programs, by commas")
    parser.add_argument("--log", type=Path, help="where to note finished slices, to go on from")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    given: Any = parser.parse_args(argv)
    if not set(given.modes.split(",")) <= set(MODES):
        parser.error(f"the modes are {', '.join(MODES)}")
    wanted = list(slices(given.first, given.count, given.launches, given.modes))
    found = list(run(wanted, given.log, max(1, given.jobs)))
    print(summary(found))
    return 1 if any(s.contradictions for s in found) else 0


if __name__ == "__main__":
    raise SystemExit(main())
