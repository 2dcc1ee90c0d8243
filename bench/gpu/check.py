"""Runs every verified example on a GPU, at the edges of its contract, against the interpreter's results.

Then come launches just outside: for each clause and each number in it that can break it, the nearest launch
that does, and one step beyond every size, type and place of memory that is checked. Each must be refused
before anything is queued, by the error that is meant for it, whose text tells both sides.

usage: python bench/gpu/check.py FOLDER [--out FILE.json] [--sanitize] [--inside]

FOLDER is what `build.py` made. Needs the CUDA driver and nothing else. With --sanitize, the launches within
the contracts run again under each tool of compute-sanitizer; with --inside, they alone run. Exits 1 when a
result is wrong, a launch outside is not refused as it must be, or a tool complains.
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
from gpulint.conform.refusal import refused
from gpulint.runtime.driver import Driver, driver
from gpulint.runtime.errors import LaunchRefused
from gpulint.runtime.plan import plan

TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
FAILED = 9  # the exit code by which a tool of compute-sanitizer says that it found something


def checked(folder: Path, on: Driver, beyond: bool = True) -> dict[str, Any]:
    """Launches, elements compared, what is wrong, by example; `beyond`: those outside the contract too."""
    out: dict[str, Any] = {}
    for name, plain in json.loads((folder / "examples.json").read_text()).items():
        certificate = json.loads((folder / f"example.{name}.certificate.json").read_text())
        p = plan(certificate, (folder / f"example.{name}.ptx").read_text())
        wrong, elements, cases = [], 0, list(map(read, plain))
        for case in cases:
            elements += sum(x is not None for v in case.wanted.values() for x in v)
            try:
                wrong += [f"{case}: {w}" for w in different(p, case, launched(p, on, case))]
            except LaunchRefused as error:
                wrong.append(f"{case}: refused: {error!r}")
        out[name] = {"launches": len(plain), "elements": elements}
        if beyond:
            outside = refused(p, on, cases).plain()
            wrong += outside.pop("wrong")
            out[name]["outside"] = outside
        out[name]["wrong"] = wrong[:3]
    return out


def totals(found: dict[str, Any]) -> dict[str, Any]:
    """What was tried outside the contracts, over all examples; the kinds of refusals are told here alone."""
    each = [x["outside"] for x in found.values()]
    out: dict[str, Any] = {
        key: sum(x[key] for x in each) for key in ("launches", "taken", "clauses", "broken", "alone")
    }
    by_kind = [x.pop("checks") for x in each]
    kinds = sorted({kind for x in by_kind for kind in x})
    out["checks"] = {kind: sum(x.get(kind, 0) for x in by_kind) for kind in kinds}
    out["unbreakable"] = {
        name: x["outside"]["unbreakable"] for name, x in found.items() if x["outside"]["unbreakable"]
    }
    counts = [x["broken"] for x in each]
    out["examples by clauses broken"] = {str(n): counts.count(n) for n in sorted(set(counts))}
    return out


def _said(t: dict[str, Any]) -> str:
    by = ", ".join(f"{n} examples have {k}" for k, n in t["examples by clauses broken"].items())
    return (
        f"outside: {t['launches']} launches, {len(t['checks'])} kinds of refusals; {t['taken']} just inside. "
        f"{t['broken']} of {t['clauses']} clauses broken, {t['alone']} of them alone: {by}"
    )


def sanitized(folder: Path, tool: str) -> dict[str, Any]:
    """The launches within the contracts under a tool: whether it is clean, the end of what it said if not."""
    start = time.monotonic()
    command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(FAILED)]
    run = subprocess.run(
        [*command, sys.executable, __file__, str(folder), "--inside"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
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
    p.add_argument("--inside", action="store_true")
    o = p.parse_args()
    found = checked(o.folder, driver(), not o.inside)
    wrong = [w for x in found.values() for w in x["wrong"]]
    launches = sum(x["launches"] for x in found.values())
    print(f"{len(found)} examples, {launches} launches, {len(wrong)} wrong", *wrong[:20], sep="\n")
    report: dict[str, Any] = {"examples": len(found), "launches": launches, "wrong": wrong, "each": found}
    if not o.inside:
        report["outside"] = totals(found)
        print(_said(report["outside"]))
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
