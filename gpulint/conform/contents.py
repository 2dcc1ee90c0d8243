"""What the arrays of a launch hold: random elements that are as the contract says.

Floats are eighths, which sums hold exactly; integers are small. Of records, every field gets its own numbers.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from typing import Union

from gpulint.compile.signature import ArraySpec
from gpulint.conform.subject import MEMORY, Memory, Subject
from gpulint.contract.clause import QUANTIFIED, Clause
from gpulint.interp.environment import Environment
from gpulint.ir.types import BoolType, FloatType, IntType, Type
from gpulint.term import Unbound, evaluate

Number = Union[int, float, bool]
SMALL, EIGHTHS = 24, 24
PLACES = ("injective", "sorted", "within", "above")


def scalars(p: Subject, integers: Mapping[str, int], draw: random.Random) -> dict[str, Number]:
    """The numbers of a launch: integers as given, floats at random, not zero."""
    out: dict[str, Number] = {}
    for q, s in zip(p.kernel.params, p.signature, strict=True):
        if isinstance(s, MEMORY):
            continue
        if isinstance(s.type, FloatType):
            out[q.name] = draw.choice((-1, 1)) * draw.randint(1, EIGHTHS) / 8
        else:
            out[q.name] = integers[q.name] if isinstance(s.type, IntType) else bool(integers[q.name] % 2)
    return out


def elements(p: Subject, name: str, spec: Memory, shape: Sequence[int], sizes: Environment,
             draw: random.Random) -> list[Number] | None:  # fmt: skip
    """The elements of an array in row-major order; None when the contract asks for what cannot be drawn.

    The elements of records are told field by field, one list after the other.
    """
    count = math.prod(shape)
    if any(c.predicate in QUANTIFIED and name in c.arrays for c in p.clauses):
        return None
    said = [c for c in p.clauses if c.predicate in PLACES and c.arrays == (name,)]
    if isinstance(spec, ArraySpec) and spec.record is not None:
        return [v for _, t in spec.record.fields for v in _free(t, count, draw)]
    if not said:
        return _free(spec.element, count, draw)
    return _bound(said, spec.element, count, sizes, draw)


def _free(t: Type, count: int, draw: random.Random) -> list[Number]:
    if isinstance(t, BoolType):
        return [draw.random() < 0.5 for _ in range(count)]
    if isinstance(t, FloatType):
        return [draw.randint(-EIGHTHS, EIGHTHS) / 8 for _ in range(count)]
    low = -2 if isinstance(t, IntType) and t.signed else 0
    return [draw.randint(low, SMALL) for _ in range(count)]


def _bound(
    said: Sequence[Clause], t: Type, count: int, sizes: Environment, draw: random.Random
) -> list[Number] | None:
    low, high = -2 if isinstance(t, IntType) and t.signed else 0, SMALL
    low = 0 if any(c.predicate == "injective" for c in said) else low
    ranges = [c for c in said if c.predicate in ("within", "above")]
    try:
        if ranges:
            low = max(evaluate(c.bounds[0], sizes) for c in ranges)
            tops = [evaluate(c.bounds[1], sizes) - 1 for c in ranges if c.predicate == "within"]
            high = min([*tops, low + max(count, SMALL)])
    except (KeyError, Unbound, ZeroDivisionError):
        return None
    if any(c.predicate == "injective" for c in said):
        high = max(high, low + count - 1) if not any(c.predicate == "within" for c in said) else high
        if high - low + 1 < count:
            return None
        out: list[Number] = list(draw.sample(range(low, high + 1), count))
    elif high < low:
        return None
    else:
        out = [draw.randint(low, high) for _ in range(count)]
    return sorted(out) if any(c.predicate == "sorted" for c in said) else out
