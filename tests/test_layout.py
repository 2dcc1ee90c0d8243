"""Import rules: which way the rooms may depend on each other, and what stays out of cheap imports."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "gpulint"
ROOMS = [
    "term", "source", "ir", "frontend", "interp", "dataflow", "contract", "solver", "rules",
    "report", "compile", "runtime", "conform", "pipeline", "server", "cli",
]  # fmt: skip
TOP = {"config": "term", "launchers": "pipeline"}  # modules beside the rooms, and where they count
UPWARD = {("source", "gpulint.ir.span")}  # the one import that goes up: a source range is the same everywhere
HEAVY = {
    "z3": {"solver"},
    "libcst": {"source", "frontend"},
    "llvmlite": {"compile"},
    "cuda": {"runtime", "conform"},
    "networkx": {"dataflow"},
}
LIMIT = 400

MODULES = sorted(PACKAGE.rglob("*.py"))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def room_of(dotted: str) -> str | None:
    """`gpulint.solver.ladder` -> `solver`; None for the package itself and its private modules."""
    parts = dotted.split(".")
    if len(parts) < 2 or parts[1].startswith("_"):
        return None
    return TOP.get(parts[1], parts[1])


def own_room(path: Path) -> str | None:
    return room_of(".".join(path.relative_to(ROOT).with_suffix("").parts))


def imports(path: Path) -> Iterator[tuple[int, str]]:
    """(line, dotted name) of every import of the file, at any depth."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, a.name) for a in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{relative(path)}:{node.lineno}: relative import"
            yield node.lineno, node.module or ""
            if node.module == "gpulint":
                yield from ((node.lineno, f"gpulint.{a.name}") for a in node.names)


def breach(path: Path, dotted: str) -> str | None:
    """What is wrong with one import, or None."""
    own = own_room(path)
    top = dotted.split(".")[0]
    if top in HEAVY and own not in HEAVY[top]:
        return f"only {sorted(HEAVY[top])} may import {top}"
    target = room_of(dotted) if top == "gpulint" else None
    if own is None or target is None or own == target or (own, dotted) in UPWARD:
        return None
    if target not in ROOMS:
        return f"{target} is in no room" if (PACKAGE / target).exists() else None
    return None if ROOMS.index(target) < ROOMS.index(own) else f"{own} may not import {target}"


def test_modules_are_found() -> None:
    assert len(MODULES) > 20


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_imports_go_down(path: Path) -> None:
    found = [(line, dotted, breach(path, dotted)) for line, dotted in imports(path)]
    assert not [f for f in found if f[2]]


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_every_module_stands_in_a_room(path: Path) -> None:
    own = own_room(path)
    assert own is None or own == "__init__" or own in ROOMS


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_modules_are_short(path: Path) -> None:
    lines = path.read_text(encoding="utf-8").count("\n")
    assert lines <= LIMIT


@pytest.mark.parametrize(
    ("place", "dotted"),
    [("ir/nodes.py", "gpulint.solver.ladder"), ("rules/base.py", "z3"), ("term/node.py", "gpulint.cli")],
)
def test_a_breach_is_seen(place: str, dotted: str) -> None:
    assert breach(PACKAGE / place, dotted)


def loaded_by(code: str) -> set[str]:
    """Top-level modules that are loaded after the code ran in a fresh interpreter."""
    probe = f"import sys\n{code}\nprint('\\n'.join({{m.split('.')[0] for m in sys.modules}}))"
    run = subprocess.run(
        [sys.executable, "-c", probe], cwd=ROOT, capture_output=True, text=True, check=True, timeout=60
    )
    return set(run.stdout.split())


VERSION = """
from gpulint.cli.main import main
try:
    main(["version"])
except SystemExit as end:
    assert not end.code, end.code
"""


@pytest.mark.parametrize("code", ["import gpulint", VERSION], ids=["import", "version"])
def test_cheap_commands_load_nothing_heavy(code: str) -> None:
    assert not loaded_by(code) & {"libcst", "z3", "networkx", "asyncio", "multiprocessing"}


PLAIN = """
from gpulint.cli.main import main
try:
    main(["check", "gpulint/config.py"])
except SystemExit as end:
    assert not end.code, end.code
"""


def test_a_file_without_a_kernel_loads_no_prover() -> None:
    assert not loaded_by(PLAIN) & {"libcst", "z3"}
