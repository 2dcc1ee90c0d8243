"""Check the kernels of files and directories.

Directories are searched for Python files, leaving out what .gitignore names. `-` reads standard
input. Options may also be given in pyproject.toml under [tool.gpulint]: select, ignore, exclude,
no-assume (lists of strings) and deny-undecided (true or false); reading it on Python 3.10 needs the
package tomli. Options of the command line replace those of the file.

Results are kept in the user's cache folder (gpulint below $XDG_CACHE_HOME or the platform's own) and
used again for files that have not changed, nor what they import.

Exit code 0: no error or warning. 1: some. 2: gpulint was used wrongly, or a path does not exist.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint.config import ASSUMPTIONS, Config, ConfigError, check_assumption, load, suggest
from gpulint.report import FORMATS

if TYPE_CHECKING:
    from gpulint.report.model import FileReport, Report

STDIN = Path("-")


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("paths", metavar="PATH", nargs="*", type=Path, help="files, directories (default: .)")
    shown = "; ".join(f"{name}: {text}" for name, text in FORMATS.items())
    p.add_argument("--output-format", metavar="FORMAT", choices=tuple(FORMATS), default="text", help=shown)
    p.add_argument("-o", "--output-file", metavar="FILE", type=Path, help="write the report there")
    p.add_argument("--stdin-filename", metavar="NAME", help="the name under which `-` is reported")
    p.add_argument("--select", metavar="CODES", action="append", help="show only these codes or prefixes")
    p.add_argument("--ignore", metavar="CODES", action="append", help="do not show these")
    known = ", ".join(ASSUMPTIONS)
    p.add_argument("--no-assume", metavar="NAME", action="append", help=f"lift an assumption: {known}")
    p.add_argument("--deny", choices=("undecided",), help="count what is undecided as a warning")
    p.add_argument("--exit-zero", action="store_true", help="exit with 0 even if there are findings")
    p.add_argument("--jobs", metavar="N", type=_jobs, default=0, help="worker processes (one a core)")
    p.add_argument("-v", "--show-info", action="store_true", help="also info findings, verified kernels")
    p.add_argument("--no-cache", action="store_true", help="neither use nor keep results of earlier runs")
    p.add_argument("--isolated", action="store_true", help="read no pyproject.toml")


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("must be a number from 1")
    return int(text)


def run(o: argparse.Namespace) -> int:
    from gpulint.report.model import Report

    start = time.perf_counter()
    config = configuration(o)
    texts: dict[str, str] = {}
    files, wrong = _files(o, config, texts)
    report = Report(tuple(files), time.perf_counter() - start, texts)
    _write(o, report)
    if wrong:
        return 2
    return 1 if report.failed and not o.exit_zero else 0


def configuration(o: argparse.Namespace) -> Config:
    """The options over the configuration file. Raises ConfigError for names that do not exist."""
    base = Config() if o.isolated else load(Path.cwd())
    for name in o.no_assume or ():
        check_assumption(name, "--no-assume")
    config = base.with_options(
        select=_words(o.select), ignore=_words(o.ignore), no_assume=frozenset(o.no_assume or ()),
        deny_undecided=o.deny == "undecided",
    )  # fmt: skip
    if config.select or config.ignore:
        _check_codes((*config.select, *config.ignore))
    return config


def _words(given: list[str] | None) -> tuple[str, ...]:
    return tuple(w.strip() for part in given or () for w in part.split(",") if w.strip())


def _check_codes(words: tuple[str, ...]) -> None:
    from gpulint.rules.registry import codes
    from gpulint.rules.selection import unknown

    known = codes()
    for word in unknown(words, known):
        raise ConfigError(f"no rule fits `{word}`{suggest(word, [*known, *known.values()])}")


def _files(o: argparse.Namespace, config: Config, texts: dict[str, str]) -> tuple[list[FileReport], bool]:
    """Check everything that was named; whether something named does not exist."""
    from gpulint.cli.entries import folder as cache_folder
    from gpulint.cli.pool import check_paths
    from gpulint.cli.targets import find
    from gpulint.pipeline import check_file

    paths = o.paths or [Path()]
    found = find([p for p in paths if p != STDIN], config.exclude)
    for error in found.errors:
        print(f"gpulint: error: {error.filename}: {error.message}", file=sys.stderr)
    files = []
    if STDIN in paths:
        name = o.stdin_filename or "<stdin>"
        texts[name] = _stdin()
        files.append(check_file(texts[name], name, config, True))
    kept = None if o.no_cache else cache_folder()
    files += check_paths(found.files, found.explicit, config, o.jobs, sys.stderr.isatty(), kept)
    if not files and not found.errors:
        print("gpulint: warning: no Python files found", file=sys.stderr)
    return files, bool(found.errors)


def _stdin() -> str:
    """Standard input as text; bytes that are no UTF-8 become replacement characters."""
    return sys.stdin.buffer.read().decode("utf-8", "replace")


def _write(o: argparse.Namespace, report: Report) -> None:
    from gpulint.cli import terminal
    from gpulint.report import Options, render

    color = o.output_file is None and terminal.color(sys.stdout)
    text = render(o.output_format, report, Options(color, o.show_info))
    if o.output_file is None:
        terminal.write(sys.stdout, text)
        return
    try:
        o.output_file.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"cannot write {o.output_file}: {error.strerror}") from None
