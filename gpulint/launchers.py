"""Launches of a file's kernels: in the file itself, and in neighbouring files of the same run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from gpulint.source import trace

if TYPE_CHECKING:
    from gpulint.frontend.host.site import LaunchSite
    from gpulint.source.model import KernelSource, Module
    from gpulint.source.resolve import Project

MAX_LAUNCHERS = 16
_IMPORT = re.compile(r"(?:^|[;:])[ \t]*(?:from[ \t]+([.\w]+)|import[ \t]+([\w., \t]+))", re.MULTILINE)


@dataclass(frozen=True)
class Launches:
    """`sites` in source order, `modules` the other files that were read, `failures` what went wrong."""

    sites: tuple[LaunchSite, ...]
    modules: tuple[Module, ...] = ()
    failures: tuple[str, ...] = ()

    def of(self, kernel: KernelSource) -> tuple[LaunchSite, ...]:
        """The launches of one kernel; definitions of the same name in one file are told apart."""
        row = kernel.node.lineno
        names = (kernel.qualname, *kernel.names)
        return tuple(s for s in self.sites if s.kernel in names and s.kernel_row in (0, row))


def find(
    module: Module, project: Project, kernels: Sequence[KernelSource], neighbours: Sequence[Path]
) -> Launches:
    """The launches of the module's kernels. A file whose host code cannot be followed is a failure.

    Of the neighbours only those are read that name a kernel and import what may lead to it, at most
    MAX_LAUNCHERS of them.
    """
    from gpulint.frontend.host import sites
    from gpulint.pipeline import one_line

    others = _naming(module, project, kernels, [p for p in neighbours if p != module.path])
    found: list[LaunchSite] = []
    failures = []
    for host in (module, *others):
        try:
            found += sites(host, project, kernels)
        except Exception as error:
            failures.append(f"host code of {host.filename}: {one_line(error)}")
    return Launches(tuple(found), tuple(others), tuple(failures))


def _naming(
    module: Module, project: Project, kernels: Sequence[KernelSource], paths: Sequence[Path]
) -> list[Module]:
    """The modules whose text holds the name of a kernel as a word, and whose imports lead to the module."""
    from gpulint.frontend.host import leads_to

    full = [name for k in kernels if k.device is not True for name in (k.qualname, *k.names)]
    names = {name.rpartition(".")[2] for name in full}
    if not names or not paths:
        return []
    word = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    fits = (p for p in paths if word.search(_text(p)) and _imports(_text(p), module, project))
    loaded = (project.load(p, str(p)) for p in fits)
    homes = {module, *(k.module for k in kernels)}
    leading = (m for m in loaded if m is not None and leads_to(m, homes, project, names))
    return list(islice(leading, MAX_LAUNCHERS))


def _imports(text: str, module: Module, project: Project) -> bool:
    """Whether a file beside the module seems to import anything that is read."""
    for found in _IMPORT.finditer(text):
        source, listed = found.groups()
        tops = [source] if source else [part.split()[0] for part in listed.split(",") if part.strip()]
        if any(t.startswith(".") or project.locates(t.partition(".")[0], module) for t in tops):
            return True
    return False


def _text(path: Path) -> str:
    text, seen = _read(path)
    trace.repeat(seen)
    return text


@lru_cache(maxsize=64)
def _read(path: Path) -> tuple[str, tuple[tuple[trace.Question, str], ...]]:
    """The text of a file, and what was asked of the disk for it."""
    from gpulint.source.load import read_text

    with trace.recording() as seen:
        text = read_text(path)
    return text if isinstance(text, str) else "", tuple(seen.items())
