"""List the kernels of files and directories, device functions included, without checking them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpulint.config import load as load_config


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="files, directories (default: .)")
    p.add_argument("--json", action="store_true", help="one JSON array")


def run(o: argparse.Namespace) -> int:
    from gpulint.cli import terminal
    from gpulint.cli.targets import find

    found = find(o.paths or [Path()], load_config(Path.cwd()).exclude)
    for error in found.errors:
        print(f"gpulint: error: {error.filename}: {error.message}", file=sys.stderr)
    rows = [row for path in found.files for row in kernels(path)]
    if o.json:
        import json

        text = json.dumps(rows, indent=2) + "\n"
    else:
        form = "{filename}:{row}: {kind} {name} ({dialect})\n"
        text = "".join(form.format(**r) for r in rows)
    terminal.write(sys.stdout, text)
    return 2 if found.errors else 0


def kernels(path: Path) -> Iterator[dict[str, Any]]:
    """A row for each kernel and device function; a file that cannot be read is told on stderr."""
    from gpulint.source.kernels import find
    from gpulint.source.load import load_text, read_text
    from gpulint.source.model import SourceError
    from gpulint.source.prefilter import dialects
    from gpulint.source.resolve import Project

    text = read_text(path)
    module = load_text(text, str(path), path) if isinstance(text, str) and dialects(text) else text
    if isinstance(module, SourceError):
        print(f"gpulint: warning: {module.filename}:{module.row}: {module.message}", file=sys.stderr)
    if isinstance(module, (str, SourceError)):
        return
    project = Project()
    project.add(module)
    for k in find(module, project):
        kind = {True: "device function", False: "kernel"}.get(bool(k.device), "kernel")
        span = module.span(k.node)
        yield {
            "name": k.qualname, "kind": kind, "dialect": k.dialect, "filename": str(path),
            "row": span.row, "column": span.column + 1,
        }  # fmt: skip
