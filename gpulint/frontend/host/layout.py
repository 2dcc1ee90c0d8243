"""How arrays lie in memory: rank once it is known, strides, contiguity, the elements a pointer may reach."""

from __future__ import annotations

from dataclasses import replace

from gpulint.frontend.host.ranks import extents, known_ranks
from gpulint.frontend.host.values import Arr, ShapeOf, Unknown, Value
from gpulint.ir import symbols
from gpulint.term import ONE, TRUE, Bool, Int, Literal, Sym, add, bool_sym, const, eq, mul, sub, sym

MAX_RANK = 8
Facts = tuple[Bool, ...]
_ranks: tuple[Facts, dict[str, int]] = ((), {})


def ranks(facts: Facts) -> dict[str, int]:
    """The ranks of arrays, by the name of their shape, that the path's facts fix, equal shapes included."""
    global _ranks
    if _ranks[0] is not facts:
        known, same = dict(known_ranks(facts)), _same_shapes(facts)
        for name, other in same.items():
            if name in known:
                known.setdefault(other, known[name])
        known.update({n: known[o] for n, o in same.items() if o in known and n not in known})
        _ranks = (facts, known)
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
    a = v if isinstance(v, Arr) else Arr(name, None, name, name, layout=name)
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
    """The names of one quantity made one: arrays of equal shape, the rank-free names of an array whose
    rank the path fixes, the size of one whose last extent is known apart."""
    out: dict[Sym, Int] = {}
    same = _same_shapes(facts)
    known = ranks(facts)
    for name, other in same.items():
        known = {**known, other: known[name]} if name in known else known
    for name, rank in {**{n: known.get(o, 0) for n, o in same.items()}, **known}.items():
        target = same.get(name, name)
        if 0 < rank <= MAX_RANK:
            _link_rank(out, name, target, rank)
        elif target != name:
            _link_names(out, name, target)
    return out


SAME = ".shape == "


def same_shape(a: Arr, b: Arr) -> Bool:
    """The condition that two arrays of unknown rank have the same extents."""
    return bool_sym(f"{a.shape_of or a.name}{SAME}{b.shape_of or b.name}.shape")


def _same_shapes(facts: Facts) -> dict[str, str]:
    """Arrays whose shape equals that of another one, by that one's name."""
    out: dict[str, str] = {}
    for f in facts:
        if not isinstance(f, Literal) or f.negated or not isinstance(f.atom, Sym) or SAME not in f.atom.name:
            continue
        second, _, first = f.atom.name.removesuffix(".shape").partition(SAME)
        first, second = out.get(first, first), out.get(second, second)
        if first != second:
            out = {k: first if v == second else v for k, v in out.items()} | {second: first}
    return out


def _link_rank(out: dict[Sym, Int], name: str, target: str, rank: int) -> None:
    shape = extents(target, rank)
    _link(out, symbols.size(name, None), symbols.size(target, rank))
    _link(out, sym(f"{name}.ndim", lo=0, hi=32), const(rank))
    for axis in range(-rank, rank):
        _link(out, symbols.extent(name, axis, None), shape[axis])
        _link(out, symbols.stride(name, axis, "element"), symbols.stride(name, axis % rank, "element"))
    if rank > 1:
        for axis in range(rank):
            _link(out, symbols.extent(name, axis, rank), shape[axis])
    else:
        _link(out, symbols.size(name, 1), shape[0])
    for start in range(rank):
        for drop in range(rank - start):
            left = ONE
            for extent in shape[start : rank - drop]:
                left = mul(left, extent)
            _link(out, numel(name, start, drop), left)


def _link_names(out: dict[Sym, Int], name: str, target: str) -> None:
    """Two arrays of one shape whose rank is not known."""
    _link(out, symbols.size(name, None), symbols.size(target, None))
    _link(out, sym(f"{name}.ndim", lo=0, hi=32), sym(f"{target}.ndim", lo=0, hi=32))
    for axis in range(-MAX_RANK, MAX_RANK):
        _link(out, symbols.extent(name, axis, None), symbols.extent(target, axis, None))
    _link(out, numel(name, 0, 1), numel(target, 0, 1))


def numel(name: str, start: int, drop: int) -> Int:
    """The product of the extents without the first and the last few."""
    return ShapeOf(Arr(name, None, name, name), start, drop).numel


def others(size: Int, extent: Int) -> Int | None:
    """What a size divided by the first or last extent of the same array leaves: the other extents' product.

    The size of an array of unknown rank is that extent times the product, so no remainder is dropped.
    """
    whole, part = size.atom, extent.atom
    if not isinstance(whole, Sym) or not isinstance(part, Sym):
        return None
    base, found, _ = part.name.rpartition(".shape[")
    if not found or size != symbols.size(base, None):
        return None
    for axis, (start, drop) in {-1: (0, 1), 0: (1, 0)}.items():
        if extent == symbols.extent(base, axis, None):
            return numel(base, start, drop)
    return None


def divided(used: set[str]) -> dict[Sym, Int]:
    """The size of arrays of unknown rank as rows times their last extent, where the rows are spoken of, or
    as the first extent times the others."""
    out: dict[Sym, Int] = {}
    for start, drop, axis in ((1, 0, 0), (0, 1, -1)):
        part = numel("", start, drop).atom
        assert isinstance(part, Sym)
        for base in (n.removesuffix(part.name) for n in used if n.endswith(part.name)):
            whole = mul(numel(base, start, drop), symbols.extent(base, axis, None))
            _link(out, symbols.size(base, None), whole)
    return out


def _link(out: dict[Sym, Int], a: Int, b: Int) -> None:
    atom = a.atom
    if isinstance(atom, Sym) and a != b:
        out[atom] = b
