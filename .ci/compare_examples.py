"""Compare `gpulint check --output-format json examples` with the comments in the examples.

usage: compare_examples.py REPORT.json, from the folder where the check ran; needs tests/ on the path.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from expectations import difference, expected


def problems(report: dict[str, Any]) -> list[str]:
    """One line for each example that does not come out as it announces."""
    out = []
    for path in sorted(Path("examples").glob("*/*/*.py")):
        here = [f for f in report["findings"] if Path(f["filename"]).resolve() == path.resolve()]
        found = Counter((f["location"]["row"], f["severity"], f["code"]) for f in here)
        if different := difference(expected(path.read_text(encoding="utf-8")), found):
            out += [f"{path}: {line}" for line in str(different).splitlines()]
    for kernel in report["kernels"]:
        if "right" in Path(kernel["filename"]).parts and kernel["status"] != "verified":
            out.append(f"{kernel['filename']}: {kernel['name']} is {kernel['status']}")
    if not any("right" in Path(k["filename"]).parts for k in report["kernels"]):
        out.append("no kernel was checked")
    return out


def main() -> int:
    report = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    found = problems(report)
    print("\n".join(found) or f"examples: as announced ({report['summary']['kernels']} kernels)")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
