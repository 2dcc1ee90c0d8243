"""Check the corpus and count what came out: `python bench/corpus.py [--write PAGE.md] [FOLDER]`.

FOLDER is where bench/fetch.py put the packages. Prints a summary for each package and for all;
`--findings FILE` lists every finding; `--shared` counts only kernels with shared memory, in files that
name it, and lists them with what stays open; `--lowering` proves nothing and counts what is not understood;
`--every K` takes each K-th file that may hold kernels. Exit code 1 when the checker itself failed on a file.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]

from fetch import cache_folder  # noqa: E402
from isolate import Checked, each  # noqa: E402
from lowering import lowered  # noqa: E402
from packages import CORPUS  # noqa: E402
from tables import failures, listing, page, summary  # noqa: E402

from gpulint.cli import pool  # noqa: E402
from gpulint.cli.worker import Task  # noqa: E402
from gpulint.config import Config  # noqa: E402
from gpulint.pipeline import check_file  # noqa: E402
from gpulint.report.model import FileReport  # noqa: E402


@dataclass
class PackageResult:
    """`count` files in all; `files` are those that the text prefilter lets through."""

    name: str
    count: int
    files: list[Checked] = field(default_factory=list)


def tasks(paths: list[Path]) -> list[Task]:
    """The files that may hold kernels, each with the neighbours that the command line gives it."""
    numbered = (Task(n, path, False) for n, path in enumerate(paths) if pool.may_hold_kernels(path))
    return pool._with_neighbours(list(numbered))


def check(task: Task) -> FileReport:
    """Without the limits of the command line."""
    return check_file(task.path, str(task.path), Config(), neighbours=task.neighbours)


def packages(folder: Path, dialect: str, only: str) -> Iterator[tuple[str, list[Path]]]:
    """Each fetched package with its Python files."""
    for package in CORPUS[dialect]:
        root = folder / "src" / package.folder
        if only in package.name and root.is_dir():
            yield package.folder, sorted(p for p in root.rglob("*.py") if p.is_file())
        elif only in package.name:
            print(f"{package.folder}: not fetched", file=sys.stderr)


def with_shared(checked: Checked) -> Checked:
    """Only the kernels that have shared memory, with what was found in them."""
    if checked.report is None:
        return checked
    kernels = tuple(k for k in checked.report.kernels if k.shared)
    names = {k.name for k in kernels}
    findings = tuple(f for f in checked.report.findings if f.kernel in names)
    return replace(checked, report=replace(checked.report, kernels=kernels, findings=findings))


def run(options: argparse.Namespace) -> list[PackageResult]:
    """All packages in one queue, so that a slow file of one holds up no other."""
    work = lowered if options.lowering else check
    found = list(packages(options.folder, options.dialect, options.only))
    asked = [_asked(paths, options) for _, paths in found]
    checked = each(list(chain.from_iterable(asked)), work, options.jobs, options.seconds)
    results = []
    for (name, paths), mine in zip(found, asked, strict=True):
        files = list(islice(checked, len(mine)))
        result = PackageResult(name, len(paths), [with_shared(c) for c in files] if options.shared else files)
        print(summary(result), flush=True)
        results.append(result)
    return results


def _asked(paths: list[Path], options: argparse.Namespace) -> list[Task]:
    """The files of a package that the options choose."""
    mine = [t for t in tasks(paths) if not options.shared or b"shared" in t.path.read_bytes()]
    return mine[options.first :: options.every]


def list_findings(results: list[PackageResult], folder: Path) -> Iterator[str]:
    for result in results:
        for checked in result.files:
            for f in checked.report.findings if checked.report else ():
                place = checked.path.relative_to(folder / "src")
                at = f"{place}:{f.span.row}:{f.span.column + 1}"
                yield f"{at}: {f.severity}[{f.code}] {f.kernel}: {f.message}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=cache_folder())
    parser.add_argument("--dialect", choices=sorted(CORPUS), default="numba")
    parser.add_argument("--only", default="", help="packages whose name holds this text")
    parser.add_argument("--shared", action="store_true", help="only kernels with shared memory, listed")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--seconds", type=int, default=120, help="CPU time that a file may take")
    parser.add_argument("--every", type=int, default=1, help="take each K-th file, from --first on")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--lowering", action="store_true", help="lower the kernels, prove nothing")
    parser.add_argument("--write", type=Path, help="write the tables to this Markdown page")
    parser.add_argument("--findings", type=Path, help="write all findings to this file")
    options = parser.parse_args()
    results = run(options)
    if not results:
        print("nothing to check: run bench/fetch.py first", file=sys.stderr)
        return 2
    failed = [c for r in results for c in r.files if failures(c)]
    for checked in failed:
        print(f"{checked.path}:", *failures(checked), sep="\n  ", file=sys.stderr)
    text = page(results, options.dialect, options.every)
    print(text)
    if options.shared:
        print(listing(results))
    if options.write:
        options.write.write_text(text, encoding="utf-8")
    if options.findings:
        lines = list_findings(results, options.folder)
        options.findings.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
