"""Array arguments of a launch: extents, sizes and strides of the kernel's parameter in host terms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from gpulint.frontend.host.site import Argument, HostArray, Other, Scalar
from gpulint.frontend.host.values import rank_symbol
from gpulint.ir import symbols as s
from gpulint.ir.nodes import Param
from gpulint.term import FALSE, TRUE, App, Bool, Int, Literal, Sym, bool_app, const, ge, mul, subst
from gpulint.term.build import ONE

ITEM_BYTES = {
    "bool": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "int32": 4, "uint32": 4,
    "float32": 4, "int64": 8, "uint64": 8, "float64": 8, "complex64": 8, "complex128": 16,
}  # fmt: skip
MAX_RANK = 32  # NumPy had this limit; more axes than this are no array


@dataclass(frozen=True)
class Elements:
    """What the host knows of an array's elements: their bounds, whether they are all different, whether
    they never fall, the first and the last of those that do not, how many there are, and a negative number
    that stands for none. None: nothing."""

    low: Int | None = None
    high: Int | None = None
    injective: bool | None = None
    sorted: bool | None = None
    first: Int | None = None
    last: Int | None = None
    count: Int | None = None
    sentinel: int | None = None

    @property
    def least(self) -> Int | None:
        """A lower bound of the elements: the first of those that never fall is one."""
        return self.low if self.low is not None or not self.sorted else self.first

    @property
    def most(self) -> Int | None:
        """An upper bound of the elements: the last of those that never fall is one."""
        return self.high if self.high is not None or not self.sorted else self.last

    def bounds(self, element: Int) -> list[Bool]:
        """What holds of one element."""
        out = [ge(element, self.low)] if self.low is not None else []
        return [*out, ge(self.high, element)] if self.high is not None else out

    def linked(self, links: Mapping[Sym, Int]) -> Elements:
        """The same with the names of one quantity made one."""
        terms = (self.low, self.high, self.first, self.last, self.count)
        low, high, first, last, count = (None if t is None else subst(t, links) for t in terms)
        return replace(self, low=low, high=high, first=first, last=last, count=count)


@dataclass
class Links:
    """Equalities between the names of one host array, found once its rank is known.

    `ranks` starts with the ranks that the host code fixes by itself.
    """

    mapping: dict[Sym, Int] = field(default_factory=dict)
    ranks: dict[str, int] = field(default_factory=dict)


def link_ranks(links: Links, name: str, rank: int | None) -> bool:
    """Give the host array `name`, whose rank the host code does not tell, the kernel's rank.

    False when the array has another rank already (by an assertion, or as another argument).
    """
    if rank is None or not 1 <= rank <= MAX_RANK:
        return True
    if links.ranks.setdefault(name, rank) != rank:
        return False
    names = {s.size(name, None): s.size(name, rank), rank_symbol(name): const(rank)}
    names |= {s.extent(name, axis, None): s.extent(name, axis % rank, rank) for axis in range(-rank, rank)}
    links.mapping.update({_sym(v): value for v, value in names.items() if v != value})
    return True


def array_terms(p: Param, rank: int | None, a: HostArray) -> tuple[dict[Sym, Int], list[Int]]:
    """The bindings of the parameter's symbols, and the extents (none of which is negative).

    An axis with one element may have any stride even in a contiguous array; it is given the one of
    the layout, which is the same for every subscript in range.
    """
    shape = a.shape
    if shape is None:
        if rank is None or rank > MAX_RANK:
            known = {_sym(s.size(p.name, None)): s.size(a.name, None)}
            return known, []
        shape = tuple(s.extent(a.name, axis, rank) for axis in range(rank))
    if len(shape) > MAX_RANK:
        return {}, []
    out = {_sym(s.extent(p.name, axis, None)): t for axis, t in enumerate(shape)}
    total = ONE
    for t in shape:
        total = mul(total, t)
    out[_sym(s.size(p.name, None))] = total
    if a.contiguous:
        out.update(_strides(p.name, shape, ITEM_BYTES.get(a.dtype)))
    return out, list(shape)


def pointer_terms(name: str, span: Int) -> dict[Sym, Int]:
    """The extent of a tensor that a tile kernel sees through a pointer: one axis, as long as its span."""
    return {_sym(s.extent(name, 0, 1)): span, _sym(s.extent(name, 0, None)): span}


def elements_of(a: HostArray) -> Elements | None:
    """What is known of the elements; None for nothing."""
    known = Elements(a.low, a.high, a.injective, a.sorted, a.first, a.last, sentinel=a.sentinel)
    count = a.span if a.contiguous and a.shape is not None and len(a.shape) == 1 else None
    return replace(known, count=count) if known != Elements() else None


def absence(argument: Argument | None) -> Bool | None:
    """The condition that None is given; None when the host does not tell."""
    if isinstance(argument, Scalar):
        return FALSE
    return argument.none if argument is not None else None


def is_none(name: str) -> list[App]:
    """The predicates by which a kernel asks whether a parameter is None."""
    out = []
    for text in (f"{name} is None", f"{name} is None()"):
        question = bool_app(text)
        assert isinstance(question, Literal) and isinstance(question.atom, App)
        out.append(question.atom)
    return out


def settled(argument: Argument | None) -> bool:
    """Whether an argument is no number and no array, and known for what it is: None, a string, a type."""
    return isinstance(argument, Other) and (argument.known or argument.none == TRUE)


def _strides(name: str, shape: tuple[Int, ...], item: int | None) -> dict[Sym, Int]:
    """Row-major strides; those in bytes only when the element type is known."""
    out: dict[Sym, Int] = {}
    step = ONE
    for axis in reversed(range(len(shape))):
        out[_sym(s.stride(name, axis, "element"))] = step
        if item is not None:
            out[_sym(s.stride(name, axis, "byte"))] = mul(step, item)
        step = mul(step, shape[axis])
    return out


def _sym(t: Int) -> Sym:
    atom = t.atom
    assert isinstance(atom, Sym)
    return atom
