"""Show a kernel at a stage of the analysis: FILE, or FILE::KERNEL for one kernel of it.

source: the kernel as found. ir: the kernel IR. graph: the index dataflow graph. accesses: the access
set, with guards and loops. obligations: each obligation, its verdict and what decided it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint.config import Config, ConfigError, suggest

if TYPE_CHECKING:
    from gpulint.pipeline import Analysis

STAGES = ("source", "ir", "graph", "accesses", "obligations")


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("target", metavar="FILE[::KERNEL]", help="a Python file, and a kernel in it")
    p.add_argument("--stage", choices=STAGES, default="ir", help="what to show (default: ir)")
    p.add_argument("--dot", action="store_true", help="the graph in Graphviz's language")


def run(o: argparse.Namespace) -> int:
    from gpulint.cli import terminal
    from gpulint.cli.stages import STAGE

    filename, _, wanted = o.target.partition("::")
    found = _analyses(Path(filename), wanted)
    show: Callable[[Analysis], str] = STAGE["dot" if o.dot else o.stage]
    parts, failed = [], False
    for a in found:
        text = show(a)
        failed |= not text
        if text:
            parts.append(text)
        else:
            print(f"gpulint: error: {a.source.qualname}: {a.failure}", file=sys.stderr)
    terminal.write(sys.stdout, "\n\n".join(parts) + "\n" if parts else "")
    return 2 if failed else 0


def _analyses(path: Path, wanted: str) -> list[Analysis]:
    """Raises ConfigError when there is no such file or kernel."""
    from gpulint.pipeline import analyse
    from gpulint.source.load import load
    from gpulint.source.model import SourceError

    module = load(path)
    if isinstance(module, SourceError):
        raise ConfigError(f"{module.filename}:{module.row}:{module.column + 1}: {module.message}")
    found, _ = analyse(module, Config())
    if not wanted:
        return found
    named = [a for a in found if wanted in (a.source.qualname, *a.source.names)]
    if not named:
        names = [a.source.qualname for a in found]
        listed = f" (kernels: {', '.join(names)})" if names else " (it holds no kernel)"
        raise ConfigError(f"{path} has no kernel `{wanted}`{suggest(wanted, names) or listed}")
    return named
