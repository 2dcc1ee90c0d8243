"""Abstract values of the host interpreter.

Naming. Every symbol is named as the host code names the thing, and within one analysed function a
name stands for one value only (a second `foo(x)` becomes `foo(x)#2`). An array whose rank is not
known has no shape: its extents are the symbols `x.shape[k]`, its size is `x.size`, `len(x)` is
`x.shape[0]`, `x.ndim` is `x.ndim`, whatever the rank turns out to be (`ir.symbols.extent` and
`ir.symbols.size` with ndim None). A copy or a device image of `x` keeps these names (`shape_of`).
Whoever learns the rank calls `ranks.with_rank`, which gives the shape and the facts that connect
the symbols (`x.size == x.shape[0] * x.shape[1]`).

An `Unknown` is typed by its use: as an integer it is the symbol of its name, as an array it is an
array of that name. `free` tells an input (a parameter) from a value that was computed by code that
is not understood; the latter makes every launch site that depends on it inexact.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Union

from gpulint.ir import symbols
from gpulint.ir.types import INT64, Type
from gpulint.source.model import KernelSource, Module, Scope
from gpulint.term import FALSE, ONE, TRUE, ZERO, Bool, Int, const, mul, select, sub, sym


@dataclass(frozen=True)
class Num:
    """An integer."""

    term: Int
    type: Type = INT64


@dataclass(frozen=True)
class Ratio:
    """A float that is exactly `num / den` (below 2**53); the divisor is not zero."""

    num: Int
    den: Int


@dataclass(frozen=True)
class Cond:
    """A truth value."""

    term: Bool


@dataclass(frozen=True)
class Const:
    """Any other constant: None, a string, a float, an ellipsis."""

    value: Any


@dataclass(frozen=True)
class Seq:
    """A tuple or list of known length. `cells`: those that it may be (`cells`), none for a tuple."""

    items: tuple[Value, ...]
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Map:
    """A dictionary with constant keys."""

    items: tuple[tuple[Any, Value], ...]
    cells: tuple[str, ...] = ()


@dataclass(frozen=True)
class Arr:
    """An array. `shape` None: the rank is not known, extents are named after `shape_of`.

    `strides` in elements; None: row-major where `contiguous`, else symbols named after `layout`.
    `none`: when the value is None instead. `injective`, `sorted`: what is known of the elements, which
    lie between `low` and `high`; asked for, their bounds are named after `values`. `dense`: no
    gaps and no overlap, whatever the order of the axes. `sharing`: buffers that it may be in instead of its
    own, where it is either another array's memory or a copy of it. `start`: how many elements of the
    buffer lie before the first, where that is known of a contiguous part; `whole` arrays begin it.
    """

    name: str
    shape: tuple[Int, ...] | None
    buffer: str
    shape_of: str = ""
    fresh: bool = False
    whole: bool = True
    initialised: bool | None = None
    contiguous: bool | None = None
    dtype: str = ""
    device: bool = False
    strides: tuple[Int, ...] | None = None
    layout: str = ""
    none: Bool = FALSE
    injective: bool | None = None
    sorted: bool | None = None
    low: Int | None = None
    high: Int | None = None
    values: str = ""
    dense: bool = False
    sharing: tuple[str, ...] = ()
    start: Int | None = None

    @property
    def memories(self) -> tuple[str, ...]:
        """The buffers that the elements may lie in, its own first."""
        return tuple(dict.fromkeys((self.buffer, *self.sharing)))

    def extent(self, axis: int) -> Int:
        if self.shape is not None and -len(self.shape) <= axis < len(self.shape):
            return self.shape[axis]
        return symbols.extent(self.shape_of or self.name, axis, None)

    @property
    def size(self) -> Int:
        if self.shape is None:
            return symbols.size(self.shape_of or self.name, None)
        out = ONE
        for extent in self.shape:
            out = mul(out, extent)
        return out

    @property
    def ndim(self) -> Int:
        """The number of axes as a term: a fact `x.ndim == 2` fixes the rank."""
        return const(len(self.shape)) if self.shape is not None else rank_symbol(self.shape_of or self.name)


def rank_symbol(name: str) -> Int:
    return sym(f"{name}.ndim", lo=0, hi=32)


@dataclass(frozen=True)
class ShapeOf:
    """`x.shape` of an array of unknown rank, without the first `start` and last `drop` axes; then `tail`."""

    array: Arr
    start: int = 0
    drop: int = 0
    tail: tuple[Int, ...] = ()

    @property
    def whole(self) -> bool:
        return not self.start and not self.drop and not self.tail

    @property
    def length(self) -> Int:
        return sub(self.array.ndim, self.start + self.drop - len(self.tail))

    def extent(self, axis: int) -> Int | None:
        """The extent along an axis; None for one that counts from where nobody knows."""
        if axis >= 0:
            return self.array.extent(axis + self.start)
        if -axis <= len(self.tail):
            return self.tail[axis]
        return self.array.extent(axis + len(self.tail) - self.drop)

    @property
    def numel(self) -> Int:
        """The product of these extents."""
        name = self.array.shape_of or self.array.name
        stop = f"-{self.drop}" if self.drop else ""
        out = self.array.size
        if self.start or self.drop:
            out = sym(f"{name}.shape[{self.start or ''}:{stop}].numel()", lo=0)
        for extent in self.tail:
            out = mul(out, extent)
        return out


@dataclass(frozen=True)
class Range:
    """`range(start, stop, step)`."""

    start: Int
    stop: Int
    step: Int


@dataclass(frozen=True)
class Bounds:
    """A slice within a subscript; None where left out."""

    start: Value | None
    stop: Value | None
    step: Value | None


@dataclass(frozen=True)
class DType:
    """An element type, by NumPy's name."""

    name: str


@dataclass(frozen=True)
class Dotted:
    """A thing of another package, by its dotted origin."""

    path: str

    @property
    def root(self) -> str:
        """The package."""
        return self.path.partition(".")[0]


@dataclass(frozen=True, eq=False)
class Function:
    """A host function in readable source; `bound` is self.

    `closure` are the enclosing locals as they were at its definition, `live` as they are where it is called.
    """

    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    module: Module
    closure: Mapping[str, Value] = field(default_factory=dict)
    bound: Value | None = None
    live: Mapping[str, Value] | None = None


@dataclass(frozen=True, eq=False)
class Class:
    """A host class in readable source."""

    node: ast.ClassDef
    module: Module


@dataclass(frozen=True)
class Tuner:
    """`triton.autotune(configs, key)` or `triton.heuristics(values)` in host code; `option` says which."""

    option: str
    value: Value


@dataclass(frozen=True)
class Kernel:
    """A compiled kernel; `tuners` are those that host code puts around it, outermost first."""

    source: KernelSource
    tuners: tuple[Tuner, ...] = ()


@dataclass(frozen=True)
class Configured:
    """A kernel with its launch configuration, not called yet.

    `elements` are grid, block, stream, shared memory; None when the configuration is one unknown
    value. `exprs` are the expressions that gave them, as far as known.
    """

    kernel: Value
    elements: tuple[Value, ...] | None
    exprs: tuple[ast.expr | None, ...] = ()
    forall: bool = False
    text: str = ""
    tile: bool = False


@dataclass(frozen=True)
class Config:
    """`triton.Config({...}, num_warps=4)`: meta-parameters and launch options of one autotuner trial."""

    meta: tuple[tuple[str, Value], ...]
    options: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True)
class Every:
    """A boolean tensor, by the condition that all of its elements are true."""

    term: Bool


@dataclass(frozen=True)
class Choice:
    """One of several callables, each under its condition."""

    options: tuple[tuple[Bool, Value], ...]


@dataclass(frozen=True)
class Method:
    """A method of an abstract value that is not called yet: `x.reshape`, `k.forall`."""

    owner: Value
    name: str


@dataclass(frozen=True)
class Unknown:
    """A value of which only the name is known; `kind` is '', int, float, array, text, bool or object.

    `sharing`: the buffers that it may lie in besides its own, where it may be one of several arrays.
    """

    name: str
    free: bool = False
    kind: str = ""
    cls: Class | None = None
    sharing: tuple[str, ...] = ()


Value = Union[
    Num, Ratio, Cond, Const, Seq, Map, Arr, ShapeOf, Range, Bounds, DType, Dotted, Function, Class,
    Kernel, Configured, Choice, Method, Unknown, Config, Every, Tuner,
]  # fmt: skip

NONE = Const(None)
TRUE_VALUE = Cond(TRUE)


def as_int(v: Value | None) -> Int | None:
    """The integer that a value is; None for one that is none."""
    if isinstance(v, Num):
        return v.term
    if isinstance(v, Cond):
        return select(v.term, ONE, ZERO)
    if isinstance(v, Ratio) and v.den == ONE:
        return v.num
    if isinstance(v, Unknown) and v.kind in ("", "int"):
        return sym(v.name)
    return None


def as_array(v: Value | None) -> Arr | None:
    """The array that a value is; None for one that is none."""
    if isinstance(v, Arr):
        return v
    if isinstance(v, Unknown) and v.kind in ("", "array"):
        return Arr(v.name, None, v.name, v.name, sharing=v.sharing)
    return None


def memories(*values: Value | None) -> tuple[str, ...]:
    """The buffers that these may lie in, each once; none for what is no array."""
    out: dict[str, None] = {}
    for a in map(as_array, values):
        if a is not None:
            out.update(dict.fromkeys(a.memories))
    return tuple(out)


def truthy(b: bool) -> Cond:
    return Cond(TRUE if b else FALSE)


def number(n: int) -> Num:
    return Num(const(n))


def maybe_copy(a: Arr, buffer: str, **lie: Any) -> Arr:
    """The array itself or a copy of it, nobody knows which: another buffer that may be the same memory."""
    return replace(a, buffer=buffer, fresh=False, sharing=a.memories, **lie)


def view(a: Arr, shape: tuple[Int, ...] | None, name: str, whole: bool = False) -> Arr:
    """A part or another arrangement of the same buffer, whose shape is given or unknown."""
    return replace(
        a, name=name, shape=shape, shape_of=name, whole=whole and a.whole, contiguous=None, strides=None,
        layout=name, injective=None, sorted=None, values=name, dense=False, start=None,
    )  # fmt: skip
