"""Say what gpulint can use on this machine, and how to get the rest.

Checking kernels needs none of it but Z3. Exit code 0: proofs can be made. 1: they cannot.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("--output-format", choices=("text", "json"), default="text", help="text (default) or json")


def run(o: argparse.Namespace) -> int:
    from gpulint.runtime.survey import survey

    items = survey()
    if o.output_format == "json":
        print(json.dumps([asdict(i) for i in items], indent=2))
    else:
        wide = max(len(i.name) for i in items)
        for i in items:
            mark, what = ("ok     ", i.detail) if i.found else ("missing", f"{i.purpose}: {i.detail}")
            print(f"{mark} {i.name:{wide}}  {what}")
    return 0 if all(i.found for i in items if i.name == "z3-solver") else 1
