"""What examples with exchanges between lanes, or with records, must give: written down independently.

The reference interpreter does not follow the values that the lanes of a warp exchange, nor tell the fields of
a record apart at the end. Each function takes a case and gives the elements of some arrays after the launch.
"""

from __future__ import annotations

import itertools
import math
import struct
from collections.abc import Callable
from typing import Any

from gpulint.conform.case import Case

Elements = list[Any]
WARP = 32


def at(values: Elements, i: int, otherwise: Any) -> Any:
    return values[i] if i < len(values) else otherwise


def warps(case: Case) -> range:
    """The first thread of each warp of a launch in one dimension."""
    return range(0, case.grid[0] * case.block[0], WARP)


def warp_sums(c: Case) -> dict[str, Elements]:
    out = list(c.given["out"])
    for first in warps(c):
        out[first // WARP] = sum(at(c.given["x"], first + k, 0) for k in range(WARP))
    return {"out": out}


def warp_maximum(c: Case) -> dict[str, Elements]:
    out = list(c.given["out"])
    for first in warps(c):
        best = max(at(c.given["x"], first + k, -(2**31)) for k in range(WARP))
        out[first : first + WARP] = [best] * len(out[first : first + WARP])
    return {"out": out}


def warp_reduce_partial(c: Case) -> dict[str, Elements]:
    out = list(c.given["out"])
    for b in range(c.grid[0]):
        out[b] = sum(c.given["x"][b * 16 : b * 16 + 16])
    return {"out": out}


def lane_scan(c: Case) -> dict[str, Elements]:
    out = list(c.given["out"])
    for first in warps(c):
        sums = list(itertools.accumulate(c.given["x"][first : first + WARP]))
        out[first : first + len(sums)] = sums
    return {"out": out}


def shuffle_doubles(c: Case) -> dict[str, Elements]:
    x = c.given["x"]
    return {"out": [x[i // 4 * 4 + (i + 1) % 4] for i in range(len(x))]}


def softmax_block(c: Case) -> dict[str, Elements]:
    cols = c.shapes["out"][1]
    out = list(c.given["out"])
    for row in range(c.grid[0]):
        scores = c.given["scores"][row * cols : (row + 1) * cols]
        weights = [math.exp(s - max(scores)) for s in scores]
        out[row * cols : (row + 1) * cols] = [w / sum(weights) for w in weights]
    return {"out": out}


def votes(c: Case) -> dict[str, Elements]:
    counts, masks = list(c.given["counts"]), list(c.given["masks"])
    yes = [at(c.given["x"], i, -math.inf) > c.numbers["limit"] for i in range(c.grid[0] * 64)]
    for b in range(c.grid[0]):
        counts[b] = sum(yes[b * 64 : b * 64 + 64])
    for w in range(c.grid[0] * 2):
        masks[w] = sum(1 << k for k in range(WARP) if yes[w * WARP + k])
    return {"counts": counts, "masks": masks}


def particles(c: Case) -> dict[str, Elements]:
    n = c.shapes["particles"][0]
    all_ = c.given["particles"]
    places, speeds, hits = list(all_[:n]), list(all_[n : 2 * n]), list(all_[2 * n :])
    for i in range(min(n, c.grid[0] * c.block[0])):
        place = places[i] + c.numbers["dt"] * speeds[i]
        if place > c.numbers["wall"]:
            speeds[i], hits[i], place = -speeds[i], hits[i] + 1, c.numbers["wall"]
        places[i] = _single(place)
    return {"particles": [*places, *speeds, *hits]}


def _single(v: float) -> float:
    return float(struct.unpack("f", struct.pack("f", v))[0])


REFERENCES: dict[str, Callable[[Case], dict[str, Elements]]] = {
    f"simt.{f.__name__}": f
    for f in (
        warp_sums, warp_maximum, warp_reduce_partial, lane_scan, shuffle_doubles, softmax_block, votes,
        particles,
    )
}  # fmt: skip


def completed(name: str, case: Case) -> Case:
    """The case with what the interpreter does not know; where both know an element, they must agree."""
    reference = REFERENCES.get(name)
    if reference is None:
        return case
    for array, values in reference(case).items():
        for k, (mine, its) in enumerate(zip(values, case.wanted[array], strict=True)):
            if its is not None and not math.isclose(mine, its, rel_tol=1e-6, abs_tol=1e-9):
                place = f"{name}: {array}[{k}] of {case}"
                raise SystemExit(f"{place} is {mine} by the reference, {its} in the interpreter")
        case.wanted[array] = values
    return case
