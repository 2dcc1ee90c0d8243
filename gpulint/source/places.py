"""Where a dotted module name lies on disk, as an importing file would find it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from gpulint.source import trace
from gpulint.source.model import Module

_EXTERNAL = frozenset(
    (
        "IPython", "cuda", "cudf", "cuml", "cupy", "cupyx", "gpulint", "dask", "h5py", "hypothesis", "jax",
        "jaxlib", "llvmlite", "matplotlib", "numba", "numba_cuda", "numba_cuda_mlir", "numexpr", "numpy",
        "pandas", "pyarrow", "pytest", "rmm", "scipy", "setuptools", "sympy", "tensorflow", "torch", "tqdm",
        "triton",
    )
)  # fmt: skip
_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")
_MAX_CLIMB = 5


def own_root(module: Module) -> Path | None:
    """The folder that holds the topmost package of the module, or the module itself."""
    if module.path is None:
        return None
    path = module.path.absolute()
    parts = len(module.name.split(".")) - (0 if path.stem == "__init__" else 1)
    folder = path.parent
    for _ in range(parts):
        folder = folder.parent
    return folder


class Places:
    """Finds modules in a module's own root, the given roots, and the project folders around it.

    Modules of the standard library and of well-known compiled packages are never located, unless
    the importing module belongs to that package itself.
    """

    def __init__(self, roots: Sequence[Path]) -> None:
        self.roots = tuple(root.absolute() for root in roots)
        self._found: dict[tuple[Path, str], Path | None] = {}
        self._around: dict[Path, tuple[Path, ...]] = {}

    def external(self, name: str, importer: Module | None) -> bool:
        """Whether a top-level name stands for a module that is never read."""
        if importer is not None and importer.name.partition(".")[0] == name:
            return False
        return not name or name in _EXTERNAL or name in sys.stdlib_module_names

    def top(self, name: str, importer: Module | None) -> Path | None:
        """The file (or, of a package without `__init__.py`, the folder) of a top-level module."""
        if self.external(name, importer):
            return None
        for folder in self._folders(importer):
            found = self.child(folder, name)
            if found is not None:
                return found
        return None

    def child(self, folder: Path, name: str) -> Path | None:
        """The module of that name in a folder."""
        key = (folder, name)
        if key not in self._found:
            self._found[key] = _probe(folder, name)
        return self._found[key]

    def _folders(self, importer: Module | None) -> tuple[Path, ...]:
        own = own_root(importer) if importer is not None else None
        if own is None:
            return self.roots
        if own not in self._around:
            self._around[own] = tuple(dict.fromkeys((own, *self.roots, *_project_folders(own))))
        return self._around[own]


def _probe(folder: Path, name: str) -> Path | None:
    if not name.isidentifier():
        return None
    try:
        package = folder / name
        if trace.is_file(package / "__init__.py"):
            return package / "__init__.py"
        if trace.is_file(folder / f"{name}.py"):
            return folder / f"{name}.py"
        return package if trace.is_dir(package) else None
    except OSError:
        return None


def _project_folders(start: Path) -> list[Path]:
    """The folders from `start` up to the project's own, with their `src`; none outside a project."""
    climbed: list[Path] = []
    for folder in (start, *start.parents)[:_MAX_CLIMB]:
        climbed += [folder, folder / "src"]
        try:
            if any(trace.exists(folder / marker) for marker in _MARKERS):
                return climbed
        except OSError:
            break
    return []
