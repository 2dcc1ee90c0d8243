"""Clause text to `Clause`. Bounded in size and depth; never raises on any text."""

from __future__ import annotations

import ast
import math
import re
import warnings
from typing import Union

from gpulint.contract import names as n
from gpulint.contract.clause import Clause
from gpulint.contract.error import ClauseError, Unreadable
from gpulint.contract.expression import Reader
from gpulint.ir.nodes import Kernel
from gpulint.ir.span import Span
from gpulint.term import Int, const

MAX_TEXT, MAX_NODES, MAX_DEPTH = 2000, 400, 40
KEYWORD = re.compile(rf"\s*(?:{'|'.join([*n.LIMITS, *n.LAUNCH])})\s*(=)(?!=)")
RELATION = {
    "min_cc": ast.GtE,
    "max_shared": ast.LtE,
    "min_blocks": ast.GtE,
    "cluster": ast.Eq,
    "cooperative": ast.Eq,
}


def parse(text: str, span: Span, kernel: Kernel) -> Union[Clause, ClauseError]:
    """Read one clause of the kernel; see docs/contracts.md for the language.

    `block=(256, 1, 1)` (one `=`) is read as `block == (256, 1, 1)`, as are limits.
    """
    keyword = KEYWORD.match(text)
    at = keyword.start(1) if keyword else len(text)
    python = f"{text[:at]}={text[at:]}" if keyword else text
    skipped = len(python) - len(python.lstrip())

    def error(message: str, column: int, end: int, suggestion: str = "") -> ClauseError:
        column, end = (c - 1 if c > at else c for c in (column + skipped, end + skipped))
        return ClauseError(message, text, column, end, suggestion, span)

    if len(text) > MAX_TEXT:
        return error(f"a clause has at most {MAX_TEXT} characters", 0, 1)
    if "\n" in text.strip() or "\r" in text.strip():
        return error("a clause is one line", 0, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in the user's text
            tree = ast.parse(python.strip(), mode="eval").body
    except SyntaxError as e:
        column = max(0, (e.offset or 1) - 1)
        return error(f"not a Python expression: {e.msg}", column, column + 1)
    except (ValueError, RecursionError, MemoryError):
        return error("not a Python expression", 0, 1)
    if _too_large(tree):
        return error("the clause is too large or nested too deeply", 0, len(text))
    try:
        return _clause(tree, text.strip(), span, kernel)
    except Unreadable as e:
        start, end = _columns(e.node, python.strip())
        return error(e.message, start, end, e.suggestion)


def _too_large(tree: ast.expr) -> bool:
    """Whether the expression exceeds the bounds; counted without recursion."""
    count, level = 0, [(tree, 1)]
    stack: list[tuple[ast.AST, int]] = list(level)
    while stack:
        node, depth = stack.pop()
        count += 1
        if count > MAX_NODES or depth > MAX_DEPTH:
            return True
        if isinstance(node, ast.Constant) and isinstance(node.value, int) and node.value.bit_length() > 64:
            return True
        stack.extend((c, depth + 1) for c in ast.iter_child_nodes(node))
    return False


def _columns(node: object, text: str) -> tuple[int, int]:
    """The node's place in characters; `ast` counts bytes."""
    raw = text.encode()
    start, end = getattr(node, "col_offset", 0), getattr(node, "end_col_offset", None)
    end = len(raw) if end is None else end
    return len(raw[:start].decode(errors="replace")), len(raw[:end].decode(errors="replace"))


def _clause(tree: ast.expr, text: str, span: Span, kernel: Kernel) -> Clause:
    names = n.Names(kernel)
    limit = _limit(tree, names)
    if limit is not None:
        name, amount = limit
        return Clause(predicate=name, bounds=(const(amount),), text=text, span=span, origin="declared")
    if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name) and tree.func.id in n.PREDICATES:
        arrays, bounds = _predicate(tree, tree.func.id, names)
        return Clause(
            predicate=tree.func.id, arrays=arrays, bounds=bounds, text=text, span=span, origin="declared"
        )
    condition = Reader(names).condition(tree)
    return Clause(condition=condition, text=text, span=span, origin="declared")


def _predicate(call: ast.Call, name: str, names: n.Names) -> tuple[tuple[str, ...], tuple[Int, ...]]:
    """The array and integer arguments of a predicate, checked."""
    if call.keywords or any(isinstance(a, ast.Starred) for a in call.args):
        raise Unreadable(call, f"{name} takes plain arguments only")
    if name == "noalias":
        arrays = tuple(names.array(a).name for a in call.args)
        if len(set(arrays)) < 2 or len(set(arrays)) != len(arrays):
            raise Unreadable(call, "noalias takes two or more different arrays")
        return arrays, ()
    wanted = {"aligned": 2, "within": 3, "above": 2}.get(name, 1)
    if len(call.args) != wanted:
        plural = "s" if wanted > 1 else ""
        raise Unreadable(call, f"{name} takes {wanted} argument{plural}, not {len(call.args)}")
    reader = Reader(names)
    array, bounds = names.array(call.args[0]).name, tuple(reader.number(a) for a in call.args[1:])
    if reader.divisors:
        raise Unreadable(call, "a bound that divides by something unknown is not supported")
    if name == "aligned" and not _power_of_two(bounds[0].value):
        raise Unreadable(call.args[1], "an alignment is a power of two, in bytes")
    return (array,), bounds


def _power_of_two(v: int | None) -> bool:
    return v is not None and v > 0 and v & (v - 1) == 0


def _limit(tree: ast.expr, names: n.Names) -> tuple[str, int] | None:
    """`min_cc >= 80`, `min_cc == 80`, `min_cc(80)`, `cooperative` and the like; None when it is none."""
    head = tree.left if isinstance(tree, ast.Compare) else tree.func if isinstance(tree, ast.Call) else tree
    if not isinstance(head, ast.Name) or head.id not in n.LIMITS or head.id in names.values:
        return None
    given: ast.expr | None = None
    if isinstance(tree, ast.Compare):
        fits = len(tree.ops) == 1 and isinstance(tree.ops[0], (ast.Eq, RELATION[head.id]))
        given = tree.comparators[0] if fits else None
    elif isinstance(tree, ast.Call) and len(tree.args) == 1 and not tree.keywords:
        given = tree.args[0]
    elif head.id == "cooperative" and (tree is head or not getattr(tree, "args", [head])):
        return "cooperative", 1
    if given is None:
        example = f"{head.id}({'80' if head.id == 'min_cc' else '1'})"
        raise Unreadable(tree, f"{head.id} is given one number", example)
    return head.id, _amount(given, head.id)


def _amount(node: ast.expr, name: str) -> int:
    """The number of a limit; a compute capability may be `(8, 6)` for 86, a cluster `(2, 1, 1)`."""
    try:
        value = ast.literal_eval(node)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        value = None
    if name == "min_cc" and isinstance(value, tuple) and [type(v) for v in value] == [int, int]:
        value = value[0] * 10 + value[1]
    if name == "cluster" and isinstance(value, tuple) and all(type(v) is int for v in value):
        value = math.prod(value)
    if not isinstance(value, int) or value < 0:
        raise Unreadable(node, f"{name} is a whole number")
    return int(value)
