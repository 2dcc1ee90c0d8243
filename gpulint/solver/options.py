"""What a run assumes and spends."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from gpulint.ir.nodes import Kernel
from gpulint.ir.span import Span

ASSUMPTIONS: dict[str, str] = {
    "int32-sizes": "no array has more than 2**31 - 2**20 elements, no launch axis that many threads,"
    " and integer parameters fit 32 bits",
    "grid-limits": "an unbounded grid axis stays within the device's limit",
    "non-empty": "no extent is zero",
    "usual-inputs": "numbers and strides that a host function leaves to its caller overflow nothing that fits"
    " at the numbers' defaults and for row-major tensors, elements of its index arrays are below 2**30,"
    " the rows of a tensor fewer than 2**31, and no tensor that a kernel writes has two elements at"
    " one place",
    "fitting-inputs": "inputs of a host function fit together as the contract asks, where its code says"
    " nothing of it: sizes of several, and the elements of index arrays",
    "distinct-arrays": "arrays that come in from outside under different names (parameters, attributes,"
    " results of calls that are not followed) share no memory",
    "number-arguments": "a parameter that a kernel gives to functions which are not known, and never uses as"
    " an array, is a number, as it is at each launch in view",
    "functions-in-view": "functions that a kernel is given by factories and objects are those that the source"
    " in view gives",
    "named-axes": "a tensor of which a host function names axes, and asks nothing else of its shape, has just"
    " these",
    "cooperative-grids": "the device holds all blocks of a cooperative launch at once where some device does",
}
(
    INT32_SIZES, GRID_LIMITS, NON_EMPTY, USUAL_INPUTS, FITTING_INPUTS, DISTINCT_ARRAYS, NUMBER_ARGUMENTS,
    FUNCTIONS_IN_VIEW, NAMED_AXES, COOPERATIVE_GRIDS,
) = ASSUMPTIONS  # fmt: skip
WHERE_USED = frozenset(
    {
        USUAL_INPUTS,
        FITTING_INPUTS,
        DISTINCT_ARRAYS,
        NUMBER_ARGUMENTS,
        FUNCTIONS_IN_VIEW,
        NAMED_AXES,
        COOPERATIVE_GRIDS,
    }
)  # named where needed


@dataclass(frozen=True)
class Options:
    """`assume`: the standing assumptions in force. `rlimit`: Z3's resource units for one query."""

    assume: frozenset[str] = field(default_factory=lambda: frozenset(ASSUMPTIONS))
    rlimit: int = 400_000
    deny_undecided: bool = False


def unassumed(kernel: Kernel, assumed: Sequence[str]) -> Iterator[tuple[str, Span]]:
    """What the lowering took for granted although that may not be assumed, each with its place."""
    spans = {p.name: p.span for p in kernel.params}
    for name in () if NUMBER_ARGUMENTS in assumed else kernel.numbers:
        yield f"{name} is given to a function that is not known, and may be an array", spans[name]
    for name in () if FUNCTIONS_IN_VIEW in assumed else kernel.functions:
        yield f"{name} may be another function than those in view", kernel.header
