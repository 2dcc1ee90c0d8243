"""How arrays lie in memory: rank once it is known, strides, contiguity, the elements a pointer may reach."""

from __future__ import annotations

from dataclasses import replace

from gpulint.frontend.host.ranks import extents, known_ranks
from gpulint.frontend.host.values import Arr, Unknown, Value
from gpulint.ir import symbols
from gpulint.term import ONE, TRUE, Bool, Int, Sym, add, bool_sym, const, eq, mul, sub, sym

MAX_RANK = 8
Facts = tuple[Bool, ...]
_ranks: tuple[Facts, dict[str, int]] = ((), {})


def ranks(facts: Facts) -> dict[str, int]:
    """The ranks of arrays, by the name of their shape, that the path's facts fix."""
    global _ranks
    if _ranks[0] is not facts:
        _ranks = (facts, known_ranks(facts))
    return _ranks[1]


def ranked(facts: Facts, v: Value) -> Value:
    """The value as an array with a shape where the path fixes its rank; otherwise as it is."""
    if isinstance(v, Unknown):
        name = v.name if v.kind in ("", "array") else ""
    else:
        name = (v.shape_of or v.name) if isinstance(v, Arr) and v.shape is None else ""
    rank = ranks(facts).get(name, 0) if name else 0
    if not 0 < rank <= MAX_RANK:
        return v
    a = v if isinstance(v, Arr) else Arr(v.name, None, v.name, v.name, layout=v.name)
    return replace(a, shape=extents(name, rank), shape_of=name)


def layout_of(a: Arr) -> str:
    """What unknown strides of the array are named after."""
    return a.layout or a.shape_of or a.name


def contiguous_literal(a: Arr) -> Bool:
    """The condition that an array of unknown layout is row-major."""
    return bool_sym(f"{layout_of(a)}.flags.c_contiguous")


def is_contiguous(facts: Facts, a: Arr) -> bool:
    """Whether the array is known to be row-major here."""
    return a.contiguous is True or (a.contiguous is None and contiguous_literal(a) in facts)


def products(shape: tuple[Int, ...]) -> tuple[Int, ...]:
    """Row-major strides in elements."""
    out: list[Int] = []
    step = ONE
    for extent in reversed(shape):
        out.append(step)
        step = mul(step, extent)
    return tuple(reversed(out))


def stride_symbol(a: Arr, axis: int) -> Int:
    return symbols.stride(layout_of(a), axis, "element")


def strides_of(facts: Facts, a: Arr) -> tuple[Int, ...] | None:
    """The strides in elements; None when the rank is not known."""
    if a.shape is None:
        return None
    if a.strides is not None:
        return a.strides
    if is_contiguous(facts, a):
        return products(a.shape)
    return tuple(stride_symbol(a, axis) for axis in range(len(a.shape)))


def stride(facts: Facts, a: Arr, axis: int) -> Int | None:
    """`a.stride(axis)`; None for an axis that the array does not have."""
    known = strides_of(facts, a)
    if known is not None:
        return known[axis] if -len(known) <= axis < len(known) else None
    if is_contiguous(facts, a) and axis < 0:
        step = ONE
        for k in range(-1, axis, -1):
            step = mul(step, a.extent(k))
        return step
    return stride_symbol(a, axis)


def span(facts: Facts, a: Arr) -> Int:
    """The number of elements from the first to one past the last, as long as no extent is zero."""
    if a.dense or is_contiguous(facts, a):
        return a.size
    strides = strides_of(facts, a)
    if a.shape is None or strides is None:
        return sym(f"{layout_of(a)}.span", lo=0)
    if strides == products(a.shape):
        return a.size
    return add(ONE, *(mul(sub(n, 1), step) for n, step in zip(a.shape, strides, strict=True)))


def gapless(a: Arr) -> Bool:
    """What holds of the strides of a tensor without gaps: its last element is where its size says."""
    strides = strides_of((), replace(a, strides=None, contiguous=None))
    if a.shape is None or strides is None:
        return TRUE
    ends = (mul(sub(n, 1), step) for n, step in zip(a.shape, strides, strict=True))
    return eq(add(ONE, *ends), a.size)


def settled(facts: Facts, a: Arr) -> Arr:
    """The array with what the path tells of its rank and layout written into it."""
    v = ranked(facts, a)
    assert isinstance(v, Arr)
    return replace(v, contiguous=True) if is_contiguous(facts, v) else v


def rank_links(facts: Facts) -> dict[Sym, Int]:
    """The rank-free names of extents, sizes and strides as those of the rank that the path fixes."""
    out: dict[Sym, Int] = {}
    for name, rank in ranks(facts).items():
        if not 0 < rank <= MAX_RANK:
            continue
        _link(out, symbols.size(name, None), symbols.size(name, rank))
        _link(out, sym(f"{name}.ndim", lo=0, hi=32), const(rank))
        for axis in range(-rank, rank):
            _link(out, symbols.extent(name, axis, None), symbols.extent(name, axis % rank, rank))
            _link(out, symbols.stride(name, axis, "element"), symbols.stride(name, axis % rank, "element"))
    return out


def _link(out: dict[Sym, Int], a: Int, b: Int) -> None:
    atom = a.atom
    if isinstance(atom, Sym) and a != b:
        out[atom] = b
