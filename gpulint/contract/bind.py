"""A launch site seen from the kernel: kernel symbols as terms over the host's symbols.

Kernel and host are two name spaces (`n` in both need not be the same number), so a kernel term is
carried over by one simultaneous substitution. Sound in this direction: a launch symbol of the
kernel that the site says nothing of becomes a free unknown with a name of its own, so whatever is
proved after `Binding.apply` holds for every value that it may have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from gpulint.contract.hostarray import (
    Elements,
    Links,
    absence,
    array_terms,
    elements_of,
    is_none,
    link_ranks,
    pointer_terms,
    settled,
)
from gpulint.dataflow.access import Array
from gpulint.frontend.host.ranks import known_ranks
from gpulint.frontend.host.site import Argument, HostArray, LaunchSite, Other, Scalar
from gpulint.interp.values import itemsize
from gpulint.ir import symbols as s
from gpulint.ir.nodes import Kernel, Param
from gpulint.ir.types import ArrayType, BoolType, FloatType
from gpulint.term import (
    TRUE,
    ZERO,
    App,
    Bool,
    Int,
    Literal,
    Scope,
    Sym,
    apps,
    bool_sym,
    const,
    floordiv,
    ge,
    le,
    mul,
    subst,
    symbols,
)
from gpulint.term.build import ONE, of_atom, sym
from gpulint.term.walk import T, Term


@dataclass(frozen=True)
class Problem:
    """An argument that cannot be what the kernel takes.

    `kind`: rank (the array has another number of axes than the kernel indexes), not-array (no array
    is given where the kernel needs one), array (one is given where the kernel is lowered for a number),
    items (a tuple of another length is given).
    """

    kind: str
    param: str
    kernel_rank: int | None
    host_rank: int | None
    message: str


@dataclass(frozen=True)
class Binding:
    """The kernel's launch symbols as host terms, and what is known of those.

    `facts` hold when the launch happens. `device_facts` hold as well once the device has accepted
    the launch (block and grid within the limits that the kernel's symbols carry): use them for what
    happens in the kernel, never to prove those limits. `links` are equalities between names of one
    host array (`a.shape[0]` and `a.size` of a 1-D one), already applied to `mapping` and `facts`;
    `host` applies them to other terms of the site. `exact`: every argument was understood.
    `missing` are parameters without an understood argument. `flags` answer the kernel's questions
    whether a parameter is None. `elements` tell of what an array holds, by the kernel's parameter.
    """

    mapping: Mapping[Sym, Int]
    facts: tuple[Bool, ...]
    device_facts: tuple[Bool, ...]
    exact: bool
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    missing: tuple[str, ...] = ()
    links: Mapping[Sym, Int] = field(default_factory=dict)
    kernel: str = ""
    taken: frozenset[str] = frozenset()  # names of host symbols at this site
    flags: Mapping[App, Bool] = field(default_factory=dict)
    elements: Mapping[str, Elements] = field(default_factory=dict)

    def apply(self, term: T) -> T:
        """The kernel term over host symbols; symbols without a binding are renamed apart."""
        free = {v: of_atom(self.free(v)) for v in self.unbound(term)}
        both: dict[Any, Any] = {**self.mapping, **free, **self.flags}
        return subst(term, both)

    def element_facts(self, *terms: Term) -> tuple[Bool, ...]:
        """What holds of the elements that host-side terms (after `apply`) load."""
        out: list[Bool] = []
        for a in apps(*terms, op="load"):
            known = self.elements.get(a.data)
            if known is not None:
                out += known.bounds(of_atom(a))
        return _unique(out)

    def host(self, term: T) -> T:
        """A term of the host code with the names of one quantity made one."""
        return subst(term, self.links)

    def unbound(self, *terms: Term) -> list[Sym]:
        """The launch symbols of kernel terms that the site gives no value, by name."""
        found = (v for v in symbols(*terms) if v.scope is Scope.LAUNCH and v not in self.mapping)
        return sorted(found, key=lambda v: v.order)

    def free(self, v: Sym) -> Sym:
        """The host-side unknown for an unbound kernel symbol: its own name when that is not taken."""
        if v.name not in self.taken:
            return v
        name = f"{self.kernel}:{v.name}"
        while name in self.taken:
            name += "'"
        (mono, _) = sym(name, Scope.LAUNCH, v.lo, v.hi).terms[0]
        renamed = mono[0]
        assert isinstance(renamed, Sym)
        return renamed


def bind(kernel: Kernel, arrays: Mapping[str, Array], site: LaunchSite) -> Binding:
    """Bind every parameter, extent, size, stride, block and grid axis that the site tells of."""
    work = _Work(Links(ranks=known_ranks(site.facts)), list(site.notes), frozenset(kernel.numbers))
    for p in kernel.params:
        argument = site.arguments.get(p.name)
        work.missing_value(p, argument)
        if isinstance(argument, HostArray) and p.is_array:
            rank = _rank(p, arrays)
            if argument.span is not None and rank in (1, None):
                work.pointer(p, argument)
            else:
                work.array(p, rank, argument)
        elif not settled(argument):
            work.other(p, argument)
    work.tuples(kernel, site)
    work.dynamic(arrays, site)
    device = work.launch(site)
    links = work.links.mapping
    mapping = {k: subst(v, links) for k, v in work.mapping.items()}
    facts = _unique(subst(f, links) for f in (*site.facts, *work.facts))
    flags = {k: subst(v, links) for k, v in work.flags.items()}
    elements = {k: v.linked(links) for k, v in work.elements.items()}
    known = [t for v in elements.values() for t in (v.low, v.high) if t is not None]
    taken = frozenset(
        v.name for v in symbols(*facts, *mapping.values(), *flags.values(), *known, *_site_terms(site))
    )
    return Binding(
        mapping, facts, _unique(subst(f, links) for f in device), site.exact and not work.missing,
        tuple(work.notes), tuple(work.problems), tuple(work.missing), links, kernel.name, taken, flags,
        elements,
    )  # fmt: skip


@dataclass
class _Work:
    """A binding under construction; terms are over the names as the host code gives them."""

    links: Links
    notes: list[str]
    numbers: frozenset[str] = frozenset()
    mapping: dict[Sym, Int] = field(default_factory=dict)
    facts: list[Bool] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    flags: dict[App, Bool] = field(default_factory=dict)
    elements: dict[str, Elements] = field(default_factory=dict)

    def array(self, p: Param, rank: int | None, a: HostArray) -> None:
        """Bind the extents, size and strides of an array, unless its rank does not fit."""
        if a.shape is None:
            rank = self.links.ranks.get(a.name) if rank is None else rank
            if not link_ranks(self.links, a.name, rank):
                self.rank_problem(p, a, rank, self.links.ranks[a.name])
                return
        elif rank is not None and len(a.shape) != rank:
            self.rank_problem(p, a, rank, len(a.shape))
            return
        known = elements_of(a)
        if known is not None:
            self.elements[p.name] = known
        terms, extents = array_terms(p, rank, a)
        self.mapping.update(terms)
        self.facts += [ge(t, ZERO) for t in extents]

    def pointer(self, p: Param, a: HostArray) -> None:
        """A tensor of a tile kernel, seen through its pointer: as many elements as it spans."""
        assert a.span is not None
        self.mapping.update(pointer_terms(p.name, a.span))
        self.facts += [ge(t, ZERO) for t in (*(a.shape or ()), *(a.strides or ()))]
        known = elements_of(a)
        if known is not None:
            self.elements[p.name] = known

    def missing_value(self, p: Param, argument: Argument | None) -> None:
        """Whether None is given for the parameter: the kernel asks by name."""
        none = absence(argument)
        if none is not None:
            self.flags.update(dict.fromkeys(is_none(p.name), none))

    def rank_problem(self, p: Param, a: HostArray, rank: int | None, given: int) -> None:
        axes = "axis" if rank == 1 else "axes"
        host = a.name or "the argument"
        text = f"{p.name} is indexed with {rank} {axes} in the kernel, and {host} has {given}"
        self.problems.append(Problem("rank", p.name, rank, given, text))

    def other(self, p: Param, argument: Argument | None) -> None:
        """Bind a number, or say what is wrong with, or not known of, an argument."""
        number = _number(argument)
        if number is not None and not p.is_array:
            self.mapping[_parameter(p)] = number
        elif number is not None:
            text = f"{p.name} is an array in the kernel, and a number is given"
            self.problems.append(Problem("not-array", p.name, None, 0, text))
        elif p.name in self.numbers and isinstance(argument, HostArray):
            text = f"{p.name}, which the kernel gives to a function that is not known, is an array"
            self.problems.append(Problem("array", p.name, 0, None, text))
        elif not p.is_array and (isinstance(argument, HostArray) or _float(p, argument)):
            return  # an array that the kernel does not index, or a float: no part of any term
        else:
            self.missing.append(p.name)
            what = f": {argument.text}" if isinstance(argument, Other) and argument.text else ""
            self.notes.append(f"the argument for {p.name} is not understood{what}")

    def tuples(self, kernel: Kernel, site: LaunchSite) -> None:
        """Tuples of another length than those that the kernel was lowered for."""
        needed: dict[str, int] = {}
        for p in kernel.params:
            base, _, index = p.name.rpartition("[")
            if base and index[:-1].isdecimal():  # `p['name']` is an item of a mapping
                needed[base] = max(needed.get(base, 0), int(index[:-1]) + 1)
        for base, count in needed.items():
            given = site.arguments.get(base)
            items = given.items if isinstance(given, Other) else None
            exact = ("items", base) in kernel.options
            if items is not None and (items < count or (exact and items != count)):
                text = f"{base} has {count} items in the kernel, and {items} are given"
                self.problems.append(Problem("items", base, count, items, text))

    def dynamic(self, arrays: Mapping[str, Array], site: LaunchSite) -> None:
        """Bind the sizes of dynamic shared arrays: as many elements as the launch gives bytes for."""
        for a in arrays.values():
            width = dynamic_width(a)
            if width and site.shared_bytes is not None:
                self.mapping[_symbol(a.extents[0])] = floordiv(site.shared_bytes, const(width))
            elif width:
                self.missing.append(a.name)
                self.notes.append(f"the size of the dynamic shared memory {a.name} is not known")

    def launch(self, site: LaunchSite) -> list[Bool]:
        """Bind block and grid; the answer is what a device that accepts the launch guarantees of them."""
        facts: list[Bool] = []
        sizes = (
            ("block", site.block, s.block_size, s.MAX_BLOCK),
            ("grid", site.grid, s.grid_size, s.MAX_GRID),
        )
        for name, given, symbol, limits in sizes:
            if given is None:
                self.missing.append(name)
                continue
            for axis in range(3):
                value = given[axis] if axis < len(given) else ONE
                self.mapping[_symbol(symbol(axis))] = value
                facts += [ge(value, ONE), le(value, limits[axis])]
        return [*facts, *_threads(site.block)]


def dynamic_width(a: Array) -> int:
    """The bytes of an element of a dynamic shared array; 0 for any other array and unknown elements."""
    if a.space != "shared" or len(a.extents) != 1 or a.extents[0] != s.extent(a.name, 0, 1):
        return 0
    return itemsize(a.element) or 0


def _threads(block: tuple[Int, ...] | None) -> list[Bool]:
    if block is None:
        return []
    threads = ONE
    for t in block:
        threads = mul(threads, t)
    return [le(threads, s.MAX_THREADS)]


def _float(p: Param, argument: Argument | None) -> bool:
    """Whether the parameter or what is given for it is a float."""
    given = argument.type if isinstance(argument, Scalar) else None
    return isinstance(given, FloatType) or isinstance(p.type, FloatType)


def _number(argument: Argument | None) -> Int | None:
    """The integer that an argument is when the kernel takes a scalar for it."""
    if isinstance(argument, Scalar):
        return argument.term
    return argument.scalar if isinstance(argument, HostArray) else None


def _parameter(p: Param) -> Sym:
    """The kernel's symbol for a scalar; a boolean one stands for `number != 0`."""
    if not isinstance(p.type, BoolType):
        return _symbol(s.scalar(p))
    flag = bool_sym(p.name)
    assert isinstance(flag, Literal) and isinstance(flag.atom, Sym)
    return flag.atom


def _symbol(t: Int) -> Sym:
    atom = t.atom
    assert isinstance(atom, Sym)
    return atom


def _rank(p: Param, arrays: Mapping[str, Array]) -> int | None:
    if isinstance(p.type, ArrayType) and p.type.ndim is not None:
        return p.type.ndim
    return len(arrays[p.name].extents) or None if p.name in arrays else None


def _site_terms(site: LaunchSite) -> Iterable[Int]:
    yield from site.grid or ()
    yield from site.block or ()
    for a in site.arguments.values():
        if isinstance(a, Scalar) and a.term is not None:
            yield a.term
        elif isinstance(a, HostArray):
            yield from a.shape or ()


def _unique(facts: Iterable[Bool]) -> tuple[Bool, ...]:
    return tuple(dict.fromkeys(f for f in facts if f != TRUE))
