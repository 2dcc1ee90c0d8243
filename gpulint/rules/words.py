"""Verdicts in plain words: the pieces from which the rules build messages, labels and notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from gpulint.dataflow.access import Access
from gpulint.interp.launch import Point
from gpulint.solver.verdict import Witness
from gpulint.term import Int, Scope, apps, show, symbols

MAX_LABEL = 100
MAX_PARAMS = 5
_VERBS = {"read": "reads", "write": "writes", "atomic": "updates"}
_NOUNS = {"read": "load", "write": "store", "atomic": "atomic update"}
_COORDINATES = ("threadIdx.", "blockIdx.", "lane0", "lane1", "lane2")
_PID = re.compile(r"blockIdx\.([xyz])")
_SIZE = re.compile(r"\bgrid\.([xyz])")
_LANE = re.compile(r"\blane(\d)")
_NAME = re.compile(r"[A-Za-z_][\w.]*(?:\[\d+\]|\(\d+\))?")
_HOST = re.compile(r"\b(block|grid)(?=\.[xyz]\b)")
_FIRST = re.compile(r"blockDim\.([xyz]) \* blockIdx\.\1\b")
_USUAL = re.compile(r"threadIdx\.([xyz]) \+ (blockIdx\.\1 \* blockDim\.\1)\b")


def verb(access: Access | None) -> str:
    return _VERBS.get(access.mode, "touches") if access else "touches"


def noun(access: Access | None) -> str:
    return _NOUNS.get(access.mode, "access") if access else "access"


def index(values: Iterable[int], rank: int) -> str:
    """`3`, or `(3, 1)` when more than one axis is in play."""
    used = [str(v) for v in values][: max(rank, 1)]
    return used[0] if len(used) == 1 else f"({', '.join(used)})"


def rank_of(sizes: tuple[int, int, int]) -> int:
    """How many axes a size really uses."""
    return max((axis + 1 for axis, size in enumerate(sizes) if size > 1), default=1)


def tiles(w: Witness | None) -> bool:
    """Whether the witness is of a tile kernel: points are programs and lanes, not blocks and threads."""
    return w is not None and w.tile is not None


def one(w: Witness | None) -> str:
    """What runs a kernel, where no particular one is meant."""
    return "program" if tiles(w) else "thread"


def point(p: Point, w: Witness, lanes: bool = True) -> str:
    """`thread 232 of block 3`, or `lane (2, 5) of program (1, 0)` in a tile kernel."""
    if w.tile is not None:
        program = f"program {index(p[0], rank_of(w.grid))}"
        return f"lane {index(p[1], w.tile)} of {program}" if w.tile and lanes else program
    return f"thread {index(p[1], rank_of(w.block))} of block {index(p[0], rank_of(w.grid))}"


def points(w: Witness) -> str:
    """Both threads of a pair: `threads 0 and 1 of block 0`, or each with its block."""
    first, second = w.points[0], w.points[-1]
    if w.tile is not None:
        return _programs(first, second, w)
    if first[0] == second[0] and first[1] != second[1]:
        rank = rank_of(w.block)
        pair = f"threads {index(first[1], rank)} and {index(second[1], rank)}"
        return f"{pair} of block {index(first[0], rank_of(w.grid))}"
    return f"{point(first, w)} and {point(second, w)}"


def _programs(first: Point, second: Point, w: Witness) -> str:
    """`programs 0 and 1`, or two lanes of one program."""
    rank = rank_of(w.grid)
    if first[0] != second[0]:
        return f"programs {index(first[0], rank)} and {index(second[0], rank)}"
    pair = f"lanes {index(first[1], w.tile or 1)} and {index(second[1], w.tile or 1)}"
    return f"{pair} of program {index(first[0], rank)}"


def element(w: Witness) -> str:
    return f"{w.array}[{', '.join(map(str, w.element))}]"


def distance(w: Witness) -> str:
    """`one past its end`, `3 before its start`: how far the element lies outside its array."""
    for axis, (at, size) in enumerate(zip(w.element, w.extents, strict=False)):
        where = "" if len(w.extents) == 1 else f" along axis {axis}"
        if at >= size:
            return f"{_count(at - size + 1)} past its end{where}"
        if at < 0:
            return f"{_count(-at)} before its start{where}"
    return "outside its bounds"


def _count(n: int) -> str:
    return "one" if n == 1 else str(n)


def device_names(text: str, tile: bool = False) -> str:
    """Launch symbols as a kernel's author writes them: `blockIdx.x * blockDim.x + threadIdx.x`.

    In a tile kernel `pid_0` is the program along axis 0, `lane_0` the lane along axis 0 of the tile.
    """
    if tile:
        text = _PID.sub(lambda m: f"pid_{'xyz'.index(m[1])}", text)
        text = _SIZE.sub(lambda m: f"grid[{'xyz'.index(m[1])}]", text)
        return _LANE.sub(r"lane_\1", text)
    text = _FIRST.sub(r"blockIdx.\1 * blockDim.\1", _HOST.sub(r"\1Dim", text))
    return _USUAL.sub(r"\2 + threadIdx.\1", text)


def bindings(w: Witness, which: int = 0) -> dict[str, int]:
    """The number that each name has at one point of the witness.

    `values` are those of the first point. Loop counters are left out: they are not what the user's
    loop variable holds.
    """
    values = w.values if which == 0 or w.tile is not None else {}
    out: dict[str, int] = {**w.params, **values}
    place = w.points[which] if which < len(w.points) else None
    for axis, letter in enumerate("xyz"):
        out[f"block.{letter}"] = out[f"blockDim.{letter}"] = w.block[axis]
        out[f"grid.{letter}"] = out[f"gridDim.{letter}"] = w.grid[axis]
        if place is not None:
            out[f"blockIdx.{letter}"] = place[0][axis]
            out[f"lane{axis}" if w.tile is not None else f"threadIdx.{letter}"] = place[1][axis]
    return out


def numbers(term: Int, names: Mapping[str, int], tile: bool = False) -> str | None:
    """The term with numbers for its names; None when one of them, or a loaded value, has none."""
    if any(s.name not in names for s in symbols(term)) or any(a.op in ("load", "fn") for a in apps(term)):
        return None
    text = show(term) if tile else device_names(show(term))
    return _NAME.sub(lambda m: str(names[m.group()]) if m.group() in names else m.group(), text)


def computed(text: str, term: Int, w: Witness, which: int = 0, value: int | None = None) -> str:
    """`i = blockIdx.x * blockDim.x + threadIdx.x = 3 * 256 + 232`, as far as it is known and short."""
    shown, names = device_names(show(term), tiles(w)), bindings(w, which)
    filled = numbers(term, names, tiles(w))
    known = names.get(text, value)
    parts = [text] if text else []
    if shown != text and own_names(term):
        parts.append(shown)
    if filled is not None and filled not in parts:
        parts.append(filled)
    elif filled is None and known is not None:
        parts.append(str(known))
    full = " = ".join(parts)
    if len(parts) > 1 and len(full) <= MAX_LABEL:
        return full
    return f"{text} = {known}" if text and known is not None and text != str(known) else ""


def own_names(term: Int) -> bool:
    """Whether the term reads in names that the user knows: parameters, extents and coordinates."""
    known = all(s.scope is Scope.LAUNCH or s.name.startswith(_COORDINATES) for s in symbols(term))
    return known and not apps(term, op="fn")


def axis_outside(w: Witness) -> int:
    """The first axis along which the element lies outside the array."""
    pairs = enumerate(zip(w.element, w.extents, strict=False))
    return next((axis for axis, (at, size) in pairs if not 0 <= at < size), 0)


def subscript(access: Access, axis: int) -> tuple[str, Int | None]:
    """A subscript as written and as a term; the text is empty when there is none to show."""
    texts = access.subscript_texts
    text = texts[axis] if axis < len(texts) else ""
    if axis < len(access.checks):
        return text, access.checks[axis][0]
    return text, access.subscripts[axis] if axis < len(access.subscripts) else None


def relevant(w: Witness, *accesses: Access | None) -> list[str]:
    """`name = number` for the parameters that the accesses depend on, or the first few."""
    used: set[str] = set()
    for a in accesses:
        if a is not None:
            checks = [t for pair in a.checks for t in pair]
            used |= {s.name for s in symbols(a.domain, *a.subscripts, *checks)}
            used |= {s.name for s in symbols(*a.array.extents)}
    shown = [k for k in w.params if k in used] or list(w.params)
    plain = [k for k in shown if not k.startswith(("block.", "grid."))]
    out = [f"{k} = {w.params[k]}" for k in plain[:MAX_PARAMS]]
    size = extents(w)
    return out if not size or size in out or any(k.startswith(f"{w.array}.") for k in plain) else [*out, size]


def extents(w: Witness) -> str:
    """`out.size = 1000`, or `out.shape = (10, 20)`: the array that the witness is about."""
    if not w.array or not w.extents:
        return ""
    if len(w.extents) == 1:
        return f"{w.array}.size = {w.extents[0]}"
    return f"{w.array}.shape = ({', '.join(map(str, w.extents))})"


def launch(w: Witness, *accesses: Access | None) -> str:
    """`grid 4, block 256, out.size = 1000`, or `grid (2, 3), BLOCK = 64, x.shape[0] = 100`."""
    if w.tile is not None:
        constants = [f"{k} = {n}" for k, n in w.values.items() if _is_constant(k, w, accesses)]
        return ", ".join([f"grid {_grid(w)}", *constants[:MAX_PARAMS], *relevant(w, *accesses)])
    sizes = [f"grid {index(w.grid, rank_of(w.grid))}", f"block {index(w.block, rank_of(w.block))}"]
    return ", ".join([*sizes, *relevant(w, *accesses)])


def _grid(w: Witness) -> str:
    used = w.grid[: rank_of(w.grid)]
    return f"({', '.join(map(str, used))}{',' if len(used) == 1 else ''})"


def _is_constant(name: str, w: Witness, accesses: Iterable[Access | None]) -> bool:
    """Whether a value is that of a compile-time parameter that an access depends on."""
    known = [a for a in accesses if a is not None]
    used = {s.name for a in known for s in symbols(a.domain, *a.subscripts)}
    loops = {loop.name for a in known for loop in a.loops}
    return name in used and name not in loops and name not in w.params and "Idx." not in name
