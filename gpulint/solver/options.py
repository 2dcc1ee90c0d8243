"""What a run assumes and spends."""

from __future__ import annotations

from dataclasses import dataclass, field

ASSUMPTIONS: dict[str, str] = {
    "int32-sizes": "no array has more than 2**31 - 2**20 elements, no launch axis that many threads,"
    " and integer parameters fit 32 bits",
    "grid-limits": "an unbounded grid axis stays within the device's limit",
    "non-empty": "no extent is zero",
    "usual-inputs": "numbers and strides that a host function leaves to its caller overflow nothing that fits"
    " at the numbers' defaults and for row-major tensors",
    "distinct-arrays": "arrays that come in from outside under different names (parameters, attributes,"
    " results of calls that are not followed) share no memory",
}
INT32_SIZES, GRID_LIMITS, NON_EMPTY, USUAL_INPUTS, DISTINCT_ARRAYS = ASSUMPTIONS
WHERE_USED = frozenset({USUAL_INPUTS, DISTINCT_ARRAYS})  # named only with verdicts that rest on them


@dataclass(frozen=True)
class Options:
    """`assume`: the standing assumptions in force. `rlimit`: Z3's resource units for one query."""

    assume: frozenset[str] = field(default_factory=lambda: frozenset(ASSUMPTIONS))
    rlimit: int = 400_000
    deny_undecided: bool = False
