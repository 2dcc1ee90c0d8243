"""How long `gpulint version` takes, as a multiple of an interpreter that does nothing.

usage: python bench/startup.py [--runs N] [--limit RATIO]; exits 1 when the ratio is over the limit.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from pathlib import Path

BARE = [sys.executable, "-I", "-c", "pass"]
ROOT = Path(__file__).resolve().parent.parent
CODE = f"""
import sys
sys.path.insert(0, {str(ROOT)!r})
from gpulint.cli.main import main
raise SystemExit(main(["version"]))
"""
VERSION = [sys.executable, "-I", "-c", CODE]


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def best(commands: list[list[str]], runs: int) -> list[float]:
    """The least time of each command; they take turns, so that a busy moment hits all alike."""
    times = [[seconds(command) for command in commands] for _ in range(runs)]
    return [min(column) for column in zip(*times, strict=True)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--limit", type=float, default=5.0)
    options = parser.parse_args()
    bare, version = best([BARE, VERSION], options.runs)
    ratio = version / bare
    print(f"python -I: {bare * 1e3:.1f} ms, gpulint version: {version * 1e3:.1f} ms, ratio {ratio:.2f}")
    return 0 if ratio <= options.limit else 1


if __name__ == "__main__":
    raise SystemExit(main())
