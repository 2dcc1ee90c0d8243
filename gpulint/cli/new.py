"""Start a kernel: a folder NAME with the kernel and its contract, a test, and a pre-commit file.

What is written passes `gpulint check` and `pytest` as it is. Nothing that exists is overwritten.
"""

from __future__ import annotations

import argparse
import keyword
from pathlib import Path

from gpulint.config import ConfigError

TAKEN = ("cuda", "gpulint", "np", "numba", "numpy", "pytest", "run")


def add_options(p: argparse.ArgumentParser) -> None:
    p.add_argument("name", metavar="NAME", help="the kernel's name, a Python identifier")
    p.add_argument("--folder", metavar="PATH", type=Path, help="where to (default: a folder NAME)")


def run(o: argparse.Namespace) -> int:
    from gpulint.cli.templates import files
    from gpulint.compile.error import CompileError
    from gpulint.compile.files import write_all

    if not o.name.isidentifier() or keyword.iskeyword(o.name) or not o.name.isascii():
        raise ConfigError(f"`{o.name}` is no name of a function")
    if o.name in TAKEN:
        raise ConfigError(f"`{o.name}` is the name of something that the new files use")
    folder = o.folder or Path(o.name)
    made = {folder / path: text for path, text in files(o.name).items()}
    there = [str(path) for path in made if path.exists()]
    if there:
        raise ConfigError(f"{', '.join(there)}: there already; nothing was written")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_all(made)
    except (OSError, CompileError) as error:
        raise ConfigError(f"cannot write to {folder}: {error}") from None
    print(f"wrote {', '.join(str(path) for path in made)}", f"next: gpulint check {folder}", sep="\n")
    return 0
