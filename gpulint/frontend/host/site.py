"""Launch sites: what the host code says of one launch, in terms over host symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Union

from gpulint.ir.span import Span
from gpulint.ir.types import UNKNOWN, Type
from gpulint.term import FALSE, Bool, Int

FORALL_BLOCK = "threads_per_block"  # of `kernel.forall(n)`, as the driver finds best
COUNTS = ("multi_processor_count", "warp_size", "max_threads_per_block")


def of_device(name: str) -> bool:
    """Whether a host quantity is one of the device's, or chosen by its driver, and never by a caller."""
    return name.partition("#")[0].rpartition(".")[2] in (*COUNTS, FORALL_BLOCK)


@dataclass(frozen=True)
class Scalar:
    """An integer (or, with `term` None, any other) scalar argument; `real`: a float in plain view."""

    term: Int | None
    type: Type = UNKNOWN
    real: float | None = None


@dataclass(frozen=True)
class HostArray:
    """An array argument.

    `shape` is None when not even the rank is known; unknown extents are symbols named as the host
    code names them (`a.shape[0]`). `buffer` identifies the allocation: two arguments with the same
    buffer overlap; different buffers that were both `fresh` (allocated in view) do not; otherwise
    nothing is known. `whole`: the argument covers its buffer entirely (no slice of it).
    `initialised` is False for empty / device_array allocations, True when filled or copied, None
    when unknown. `contiguous`: C-contiguous, None when unknown. `dtype` is NumPy's name or ''.
    Without a shape, `name` is the one that its extents are named after: `ranks.with_rank` gives the
    shape once the kernel fixes the rank. `scalar`: when the host does not say whether this is an
    array at all, the term that it is should the kernel take a scalar. `none`: the condition that None is
    given instead.

    `strides` are in elements: products for a contiguous array, symbols `x.stride(0)` when unknown; None
    without a shape. `span` is the number of elements from its first to one past its last: what a
    pointer to it may reach. `low` and `high` bound its elements, `injective` and `sorted` (never
    falling) tell how they are arranged, `first` and `last` are the ends of a sorted one; None where
    nothing is known. `start`: how many elements of the buffer lie before a contiguous argument, where
    known. `sharing`: buffers that the argument may be in instead of its own (`x.reshape(-1)` is x's memory
    or a copy). `rounds`: the counters of host loops whose launches fill an allocation together that was empty
    before; the launch happens for every value of them that the site's facts allow. `sentinel`: a negative
    number that the host code says elements may be, for none.
    """

    name: str
    shape: tuple[Int, ...] | None
    buffer: str
    fresh: bool = False
    whole: bool = True
    initialised: bool | None = None
    contiguous: bool | None = None
    dtype: str = ""
    scalar: Int | None = None
    none: Bool = FALSE
    strides: tuple[Int, ...] | None = None
    span: Int | None = None
    low: Int | None = None
    high: Int | None = None
    injective: bool | None = None
    sorted: bool | None = None
    first: Int | None = None
    last: Int | None = None
    sharing: tuple[str, ...] = ()
    start: Int | None = None
    rounds: tuple[Int, ...] = ()
    sentinel: int | None = None

    @property
    def memories(self) -> frozenset[str]:
        """The buffers that the elements may lie in."""
        return frozenset((self.buffer, *self.sharing)) - {""}


@dataclass(frozen=True)
class Other:
    """An argument that is neither: None, a string, a type, a function, something not understood.

    `none`: the condition that it is None; None when nobody knows. `known`: the host says exactly what
    it is (a string, a type, None), so that nothing about it stays open. `items`: of a tuple, how many it
    has; they are arguments `name[0]`, ... of their own.
    """

    text: str
    none: Bool | None = None
    known: bool = False
    items: int | None = None


Argument = Union[Scalar, HostArray, Other]


@dataclass(frozen=True)
class LaunchSite:
    """One launch in the host code.

    `grid` and `block` have 1 to 3 terms as written (`grid_rank`, `block_rank` are their lengths); a size
    that is not understood is a symbol named by its source text. `facts` hold when the launch
    happens: asserts, raises and branches on the way, positive sizes. `arguments` maps parameter
    names. `exact`: every part was understood, so that a violation found here is real; `notes`
    name what was not. `forall`: n of `kernel.forall(n)`. `callers`: when the function that launches was
    analysed for one of its callers, the calls, outermost first; empty when its parameters are free.

    For a tile kernel, `grid` is its program grid and `block` is (1, 1, 1); `options` are the launch's
    own settings (`num_warps`, `num_stages`, `num_ctas`, `maxnreg`), written at `option_spans`. `config` is
    the text of the autotuner's configuration that this site stands for: such a launch has one for each.
    `usual` are the numbers of the host function at their defaults: one choice of its caller. `axes_named`:
    tensors are taken to have just the axes that the host code names. `open`: the parameters of a public
    host function that nothing but its own body says anything of.
    """

    kernel: str  # qualname of the kernel
    span: Span
    grid: tuple[Int, ...] | None
    block: tuple[Int, ...] | None
    arguments: Mapping[str, Argument]
    facts: tuple[Bool, ...] = ()
    shared_bytes: Int | None = None
    grid_span: Span | None = None
    block_span: Span | None = None
    forall: bool = False
    exact: bool = True
    notes: tuple[str, ...] = ()
    function: str = ""  # the host function that launches
    kernel_file: str = ""  # filename of the kernel's module
    kernel_row: int = 0  # row of the kernel's definition: one file may define a name twice
    callers: tuple[Span, ...] = ()
    options: Mapping[str, Int] = field(default_factory=dict)
    option_spans: Mapping[str, Span] = field(default_factory=dict)
    config: str = ""
    forwarded: bool = False  # grid and block are the caller's, and callers in view have sites of their own
    usual: tuple[Bool, ...] = ()
    ranked: bool = True  # False when the grid or block is an unknown that is taken as one number
    axes_named: bool = False
    open: frozenset[str] = frozenset()


def tuples(sites: Sequence[LaunchSite]) -> dict[str, int]:
    """The parameters for which all sites give tuples of one length, and the length."""
    found: dict[str, set[int | None]] = {}
    for site in sites:
        for name, a in site.arguments.items():
            found.setdefault(name, set()).add(a.items if isinstance(a, Other) else None)
    known = {name: next(iter(lengths)) for name, lengths in found.items() if len(lengths) == 1}
    return {name: length for name, length in known.items() if length is not None}
