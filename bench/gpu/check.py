"""Runs every verified example on a GPU, at the edges of its contract, against the interpreter's results.

usage: python bench/gpu/check.py FOLDER [--out FILE.json] [--sanitize]

FOLDER is what `build.py` made. Needs the CUDA driver and nothing else. With --sanitize, all of it runs again
under each tool of compute-sanitizer. Exits 1 when a result is wrong or a tool complains.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[2])]

from gpulint.conform.case import read
from gpulint.conform.device import different, launched
from gpulint.runtime.driver import Driver, driver
from gpulint.runtime.errors import LaunchRefused
from gpulint.runtime.plan import plan

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
FAILED = 9  # the exit code by which a tool of compute-sanitizer says that it found something


def checked(folder: Path, on: Driver) -> dict[str, Any]:
    """Launches, elements compared, and what is wrong, by example."""
    out: dict[str, Any] = {}
    for name, plain in json.loads((folder / "examples.json").read_text()).items():
        certificate = json.loads((folder / f"example.{name}.certificate.json").read_text())
        p = plan(certificate, (folder / f"example.{name}.ptx").read_text())
        wrong, elements = [], 0
        for case in map(read, plain):
            elements += sum(x is not None for v in case.wanted.values() for x in v)
            try:
                wrong += [f"{case}: {w}" for w in different(p, case, launched(p, on, case))]
            except LaunchRefused as error:
                wrong.append(f"{case}: refused: {error!r}")
        out[name] = {"launches": len(plain), "elements": elements, "wrong": wrong[:3]}
    return out


def sanitized(folder: Path, tool: str) -> dict[str, Any]:
    """The whole check again under a tool: whether it is clean, and the end of what it said if not."""
    start = time.monotonic()
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FAILED)]
    run = subprocess.run(
        [*command, sys.executable, __file__, str(folder)], capture_output=True, text=True, check=False
    )
    said = (run.stdout + run.stderr).strip().splitlines()
    last = [line for line in said if "SUMMARY" in line][-1:]
    clean = run.returncode == 0
    return {
        "clean": clean, "summary": " ".join(last).strip("= "), "seconds": round(time.monotonic() - start, 1),
        **({} if clean else {"output": said[-40:]}),
    }  # fmt: skip


def main() -> int:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("folder", type=Path)
    p.add_argument("--out", type=Path)
    p.add_argument("--sanitize", action="store_true")
    o = p.parse_args()
    found = checked(o.folder, driver())
    wrong = [w for x in found.values() for w in x["wrong"]]
    launches = sum(x["launches"] for x in found.values())
    print(f"{len(found)} examples, {launches} launches, {len(wrong)} wrong", *wrong[:20], sep="\n")
    report: dict[str, Any] = {"examples": len(found), "launches": launches, "wrong": wrong, "each": found}
    if o.sanitize:
        report["compute-sanitizer"] = {tool: sanitized(o.folder, tool) for tool in TOOLS}
        for tool, said in report["compute-sanitizer"].items():
            print(f"{tool}: {said['summary']}, {said['seconds']} s", *said.get("output", []), sep="\n")
    if o.out:
        o.out.write_text(json.dumps(report, indent=1) + "\n")
    unclean = any(not x["clean"] for x in report.get("compute-sanitizer", {}).values())
    return 1 if wrong or unclean else 0


if __name__ == "__main__":
    raise SystemExit(main())
