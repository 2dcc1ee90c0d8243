"""Functions cut out of their file, at their own rows, without decorators.

Arguments of calls may be left out on the way (masks that are proved to be true). What was cut is parsed and
held against the tree that was read: it must be that function, less what was left out.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Sequence
from itertools import pairwise

from gpulint.compile.error import CompileError
from gpulint.source.model import Module

Place = tuple[str, int, int]  # file, row, column in bytes
Dropped = frozenset[tuple[Place, str]]  # calls by their place, and names of arguments
POSITIONS = {"load": ("pointer", "mask", "other"), "store": ("pointer", "value", "mask")}


def place(module: Module, call: ast.Call) -> Place:
    return module.filename, call.lineno, call.col_offset


def arguments(call: ast.Call) -> dict[str, ast.expr]:
    """The arguments of a `load` or `store`, as a function or a method, by the names of its parameters."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    positional = zip(POSITIONS.get(name, ()), call.args, strict=False)
    return dict(positional) | {k.arg: k.value for k in call.keywords if k.arg}


def cut(module: Module, functions: Sequence[ast.FunctionDef], dropped: Dropped = frozenset()) -> str:
    """The text of a file that holds these functions and nothing else. Raises CompileError."""
    last = max(f.end_lineno or 0 for f in functions)
    rows = [""] * last
    for f in functions:
        own = _rows(module, f, dropped)
        at = f.lineno - 1
        rows[at : at + len(own)] = own
    text = "\n".join(rows) + "\n"
    _same(text, module, functions, dropped)
    return text


def _rows(module: Module, f: ast.FunctionDef, dropped: Dropped) -> list[str]:
    raw = [line.encode() for line in module.text.split("\n")[f.lineno - 1 : f.end_lineno]]
    end = f.end_col_offset or 0
    raw[-1] = raw[-1][:end]
    for node in ast.walk(f):
        if isinstance(node, ast.Call):
            for start, stop in _ranges(module, node, dropped):
                _blank(raw, f.lineno, start, stop)
    indent = f.col_offset
    return [_dedented(line, indent).decode() for line in raw]


def _dedented(line: bytes, indent: int) -> bytes:
    room = len(line) - len(line.lstrip(b" \t"))
    return line[min(indent, room) :].rstrip(b"\r")


Spot = tuple[int, int]


def _ranges(module: Module, call: ast.Call, dropped: Dropped) -> list[tuple[Spot, Spot]]:
    """From the end of the argument before to the end of the argument, for each that is left out."""
    at = place(module, call)
    names = {name for where, name in dropped if where == at}
    if not names:
        return []
    given = [*call.args, *(k.value for k in call.keywords)]
    leaving = [v for name, v in arguments(call).items() if name in names]
    out = []
    for before, value in pairwise(given):
        if any(value is v for v in leaving):
            out.append((_end(before), _end(value)))
    return out


def _end(node: ast.expr) -> Spot:
    return node.end_lineno or 0, node.end_col_offset or 0


def _blank(raw: list[bytes], first: int, start: Spot, stop: Spot) -> None:
    """Spaces in place of a range: the comma and name before an argument, and the argument."""
    for row in range(start[0], stop[0] + 1):
        line = raw[row - first]
        low = start[1] if row == start[0] else 0
        high = stop[1] if row == stop[0] else len(line)
        raw[row - first] = line[:low] + b" " * (high - low) + line[high:]


def _same(text: str, module: Module, functions: Sequence[ast.FunctionDef], dropped: Dropped) -> None:
    try:
        found = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        found = []
    wanted = sorted(functions, key=lambda f: f.lineno)
    if [ast.dump(x) for x in found] != [ast.dump(_bare(module, f, dropped)) for f in wanted]:
        raise CompileError(f"the functions of {module.filename} cannot be cut out of their file")


def _bare(module: Module, f: ast.FunctionDef, dropped: Dropped) -> ast.FunctionDef:
    """The tree of a function without decorators and what is left out."""
    out = copy.copy(f)
    out.decorator_list = []
    if not dropped:
        return out
    out = copy.deepcopy(out)
    for node in ast.walk(out):
        if isinstance(node, ast.Call):
            names = {name for where, name in dropped if where == place(module, node)}
            gone = [v for name, v in arguments(node).items() if name in names]
            node.args = [a for a in node.args if all(a is not g for g in gone)]
            node.keywords = [k for k in node.keywords if all(k.value is not g for g in gone)]
    return out
