"""Right kernels made wrong by one change each: a verified kernel must lose that status.

    PYTHONPATH=.:tests python -m fuzz.mutants [FILE...]

takes the right examples (or the files given), checks each mutant and prints those that stay verified.
What stays verified must be harmless, and is explained in `EXPLAINED`: a neighbour read that is in range as
well, elements that are added up twice by atomics. `contradicted` runs such a kernel on small launches of
every kind.
"""

from __future__ import annotations

import argparse
import ast
import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from fuzz import tilechanges
from fuzz.check import contradictions
from fuzz.expressions import ArrayParam
from fuzz.generate import Program
from fuzz.launches import brute, launches

from gpulint.config import Config
from gpulint.dataflow import analyse
from gpulint.frontend import lower
from gpulint.ir.nodes import Kernel
from gpulint.pipeline import check_file
from gpulint.solver.decide import decide
from gpulint.solver.options import Options
from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

EXAMPLES = Path(__file__).resolve().parent.parent.parent / "examples"


@dataclass(frozen=True)
class Mutant:
    """A changed module: `kind` of change, the `place` (row of the original), the text."""

    kind: str
    row: int
    number: int  # among the changes of this kind
    text: str

    @property
    def name(self) -> str:
        return f"{self.kind}-{self.number}"


Change = Callable[[ast.AST], "Iterator[Callable[[], None]]"]


def _replace(node: ast.AST, other: ast.AST) -> None:
    """Make `node` what `other` is, in place."""
    node.__class__ = other.__class__  # type: ignore[assignment]
    node.__dict__.clear()
    node.__dict__.update(other.__dict__)


def _guard_dropped(node: ast.AST) -> Iterator[Callable[[], None]]:
    if isinstance(node, ast.If) and not node.orelse:
        leaves = isinstance(node.body[-1], (ast.Return, ast.Continue, ast.Break))
        truth = ast.Constant(not leaves)
        yield lambda: setattr(node, "test", truth)


def _relation_loosened(node: ast.AST) -> Iterator[Callable[[], None]]:
    looser = {ast.Lt: ast.LtE, ast.GtE: ast.Gt}
    if isinstance(node, ast.Compare):
        for i, op in enumerate(node.ops):
            if type(op) in looser:
                yield lambda i=i, op=op: node.ops.__setitem__(i, looser[type(op)]())  # type: ignore[misc]


def _stride_halved(node: ast.AST) -> Iterator[Callable[[], None]]:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range"):
        return
    if len(node.args) == 3 and not isinstance(node.args[2], ast.UnaryOp):
        half = ast.BinOp(node.args[2], ast.FloorDiv(), ast.Constant(2))
        yield lambda: node.args.__setitem__(2, half)


def _index_off_by_one(node: ast.AST) -> Iterator[Callable[[], None]]:
    if isinstance(node, ast.Subscript) and not _is_shape(node) and not isinstance(node.slice, ast.Slice):
        if isinstance(node.slice, ast.Tuple):
            elements = node.slice.elts
            for i, e in enumerate(elements):
                more = ast.BinOp(e, ast.Add(), ast.Constant(1))
                yield lambda i=i, more=more: elements.__setitem__(i, more)  # type: ignore[misc]
        else:
            plus = ast.BinOp(node.slice, ast.Add(), ast.Constant(1))
            yield lambda: setattr(node, "slice", plus)


def _is_shape(node: ast.Subscript) -> bool:
    return isinstance(node.value, ast.Attribute) and node.value.attr == "shape"


def _atomic_plain(node: ast.AST) -> Iterator[Callable[[], None]]:
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        call = node.value
        if ast.unparse(call.func).startswith("cuda.atomic."):
            target = ast.Subscript(call.args[0], call.args[1], ast.Store())
            plain = ast.AugAssign(target, ast.Add(), call.args[2])
            yield lambda: _replace(node, ast.copy_location(plain, node))


def _barrier_removed(node: ast.AST) -> Iterator[Callable[[], None]]:
    if isinstance(node, ast.Expr) and ast.unparse(node) == "cuda.syncthreads()":
        yield lambda: _replace(node, ast.copy_location(ast.Pass(), node))


def _axes_swapped(node: ast.AST) -> Iterator[Callable[[], None]]:
    if not (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Tuple)):
        return
    elements = node.slice.elts
    if len(elements) == 2 and ast.unparse(elements[0]) != ast.unparse(elements[1]):
        yield elements.reverse


def _grid_floored(node: ast.AST) -> Iterator[Callable[[], None]]:
    divided = isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv)
    if divided and isinstance(node.left, ast.BinOp) and isinstance(node.left.op, (ast.Add, ast.Sub)):
        size: ast.expr = node.left
        while isinstance(size, ast.BinOp):
            size = size.left
        yield lambda: setattr(node, "left", size)
    if (
        isinstance(node, ast.Call)
        and ast.unparse(node.func) == "math.ceil"
        and isinstance(node.args[0], ast.BinOp)
    ):
        inner = node.args[0]
        floor = ast.BinOp(inner.left, ast.FloorDiv(), inner.right)
        yield lambda: _replace(node, ast.copy_location(floor, node))


IN_KERNEL: dict[str, Change] = {
    "guard-dropped": _guard_dropped, "relation-loosened": _relation_loosened, "stride-halved": _stride_halved,
    "index-off-by-one": _index_off_by_one, "atomic-plain": _atomic_plain,
    "barrier-removed": _barrier_removed, "axes-swapped": _axes_swapped,
}  # fmt: skip
IN_TILES: dict[str, Change] = dict(tilechanges.CHANGES)
IN_HOST: dict[str, Change] = {"grid-floored": _grid_floored}
TABLES = ((IN_KERNEL, "cuda.jit"), (IN_TILES, "triton.jit"), (IN_HOST, ""))


TWICE = "elements are added twice by atomics: a wrong sum, and no race"
UNUSED = "the lanes left out are used under the same mask alone"
FEWER = "elements are left out of a sum: a wrong number, and no access that is wrong"
NEIGHBOUR = "the neighbour that is read is in range as well, and nobody writes it"
EXPLAINED = {
    ("triton/index_add", "mask-dropped-1"): "lanes past the end add the padding, zero, to the first row",
    ("triton/index_add", "other-dropped-0"): UNUSED,
    ("triton/index_add", "other-dropped-1"): UNUSED,
    ("triton/index_add", "tile-halved-0"): TWICE,
    ("numba/differences", "index-off-by-one-2"): NEIGHBOUR,
    ("numba/echo", "relation-loosened-1"): "the first elements read their own echo, which is in range",
    ("numba/dot_product", "stride-halved-0"): TWICE,
    ("numba/histogram", "relation-loosened-0"): FEWER,
    ("numba/histogram", "stride-halved-0"): TWICE,
    ("numba/rgb_to_gray", "index-off-by-one-7"): NEIGHBOUR,
    ("numba/rgb_to_gray", "index-off-by-one-10"): NEIGHBOUR,
    ("numba/scatter_add", "relation-loosened-1"): FEWER,
    ("numba/scatter_add", "grid-floored-0"): FEWER,
    **{("numba/jacobi", f"index-off-by-one-{k}"): NEIGHBOUR for k in (0, 1, 2, 4, 5, 6, 7, 9)},
}


def name_of(path: Path) -> str:
    """How a right example is called in `EXPLAINED`: its language and its stem."""
    return f"{path.parent.parent.name}/{path.stem}"


def _functions(tree: ast.Module, how: str) -> Iterator[ast.FunctionDef]:
    """The functions compiled by this decorator; without one, those that are not compiled."""
    for f in tree.body:
        if isinstance(f, ast.FunctionDef):
            decorators = [ast.unparse(d) for d in f.decorator_list]
            if any(how in d for d in decorators) if how else not any("jit" in d for d in decorators):
                yield f


def mutants(text: str) -> Iterator[Mutant]:
    """Every mutant of a module, each with one change."""
    tree = ast.parse(text)
    for changes, how in TABLES:
        for kind, change in changes.items():
            for number in range(
                sum(len(list(change(n))) for f in _functions(tree, how) for n in ast.walk(f))
            ):
                fresh = copy.deepcopy(tree)
                spots = [(n, c) for f in _functions(fresh, how) for n in ast.walk(f) for c in change(n)]
                node, apply = spots[number]
                row = getattr(node, "lineno", 0)
                apply()
                yield Mutant(kind, row, number, ast.unparse(ast.fix_missing_locations(fresh)) + "\n")


def verified(text: str) -> bool:
    """Whether every kernel of the module is verified and nothing is reported."""
    report = check_file(text, "mutant.py", Config())
    loud = [f for f in report.findings if f.severity in ("error", "warning")]
    return not loud and bool(report.kernels) and all(k.status == "verified" for k in report.kernels)


def contradicted(text: str, count: int = 40) -> list[str]:
    """What small launches contradict in the verdicts on the kernels of a module, in words."""
    out = []
    for k in kernels_of(text):
        if k.dialect != "numba":
            continue  # launches of tile kernels are made by their host code: see `tilesites`
        accesses = analyse(k)
        result = decide(k, accesses, (), Options())
        ranks = {a.name: len(a.extents) for a in accesses.arrays.values() if a.is_param}
        arrays = tuple(
            ArrayParam(p.name, ranks.get(p.name, 1), "data", "float32") for p in k.params if p.is_array
        )
        scalars = tuple(p.name for p in k.params if not p.is_array)
        program = Program(text, max(1, accesses.rank), arrays, scalars, "mutant")
        out += [str(c) for c in contradictions(result, k, brute(k, launches(program, count)))]
    return out


def kernels_of(text: str) -> list[Kernel]:
    module = load_text(text, "mutant.py")
    assert isinstance(module, Module), module
    project = Project()
    return [lower(s, project) for s in find(module, project) if s.device is not True]


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="mutants of right kernels that stay verified")
    parser.add_argument("files", nargs="*", type=Path)
    files = parser.parse_args(argv).files or sorted(EXAMPLES.glob("*/right/*.py"))
    count = left = wrong = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        if not verified(ast.unparse(ast.parse(text))):
            print(f"{path.stem}: not verified to begin with")
            continue
        for m in mutants(text):
            count += 1
            if verified(m.text):
                left += 1
                found = contradicted(m.text)
                known = EXPLAINED.get((name_of(path), m.name), "")
                wrong += bool(found) or not known
                why = f", and {found[0]}" if found else f": {known or 'not explained'}"
                print(f"{path.stem} {m.name} at row {m.row} stays verified{why}", flush=True)
    print(f"{count} mutants, {left} stay verified, {wrong} of them wrongly or without an explanation")
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
