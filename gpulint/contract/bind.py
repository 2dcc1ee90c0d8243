"""A launch site seen from the kernel: kernel symbols as terms over the host's symbols.

Kernel and host are two name spaces (`n` in both need not be the same number), so a kernel term is
carried over by one simultaneous substitution. Sound in this direction: a launch symbol of the
kernel that the site says nothing of becomes a free unknown with a name of its own, so whatever is
proved after `Binding.apply` holds for every value that it may have.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gpulint.contract.hostarray import Links, array_terms, link_ranks
from gpulint.dataflow.access import Array
from gpulint.frontend.host.ranks import known_ranks
from gpulint.frontend.host.site import HostArray, LaunchSite, Other, Scalar
from gpulint.ir import symbols as s
from gpulint.ir.nodes import Kernel, Param
from gpulint.ir.types import ArrayType, FloatType
from gpulint.term import TRUE, ZERO, Bool, Int, Scope, Sym, ge, le, subst, symbols
from gpulint.term.build import ONE, of_atom, sym
from gpulint.term.walk import T, Term


@dataclass(frozen=True)
class Problem:
    """An argument that cannot be what the kernel takes.

    `kind`: rank (the array has another number of axes than the kernel indexes), not-array (no array
    is given where the kernel needs one).
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
    `missing` are parameters without an understood argument.
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

    def apply(self, term: T) -> T:
        """The kernel term over host symbols; symbols without a binding are renamed apart."""
        free = {v: of_atom(self.free(v)) for v in self.unbound(term)}
        both: dict[Sym, Int] = {**self.mapping, **free}
        return subst(term, both)

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
    raw: dict[Sym, Int] = {}
    notes = list(site.notes)
    problems: list[Problem] = []
    missing: list[str] = []
    links = Links(ranks=known_ranks(site.facts))
    nonnegative: list[Int] = []
    for p in kernel.params:
        argument = site.arguments.get(p.name)
        if isinstance(argument, HostArray) and p.is_array:
            rank = _rank(p, arrays)
            problem = _rank_problem(p.name, rank, argument)
            if problem is not None:
                problems.append(problem)
                continue
            if argument.shape is None:
                rank = links.ranks.get(argument.name) if rank is None else rank
                conflict = link_ranks(links, argument.name, rank)
                if conflict:
                    given = links.ranks[argument.name]
                    problems.append(Problem("rank", p.name, rank, given, f"{p.name}: {conflict}"))
                    continue
            terms, extents = array_terms(p, rank, argument)
            raw.update(terms)
            nonnegative.extend(extents)
        elif not p.is_array and (number := _number(argument)) is not None:
            raw[_symbol(s.param(p.name))] = number
        else:
            _unbound(p, argument, notes, problems, missing)
    device = _bind_launch(site, raw, missing)
    mapping = {k: subst(v, links.mapping) for k, v in raw.items()}
    facts = _unique(subst(f, links.mapping) for f in (*site.facts, *(ge(t, ZERO) for t in nonnegative)))
    taken = frozenset(v.name for v in symbols(*facts, *mapping.values(), *_site_terms(site)))
    return Binding(
        mapping, facts, _unique(subst(f, links.mapping) for f in device), site.exact and not missing,
        tuple(notes), tuple(problems), tuple(missing), links.mapping, kernel.name, taken,
    )  # fmt: skip


def _number(argument: object) -> Int | None:
    """The integer that an argument is when the kernel takes a scalar for it."""
    if isinstance(argument, Scalar):
        return argument.term
    return argument.scalar if isinstance(argument, HostArray) else None


def _symbol(t: Int) -> Sym:
    atom = t.atom
    assert isinstance(atom, Sym)
    return atom


def _rank(p: Param, arrays: Mapping[str, Array]) -> int | None:
    if isinstance(p.type, ArrayType) and p.type.ndim is not None:
        return p.type.ndim
    return len(arrays[p.name].extents) or None if p.name in arrays else None


def _rank_problem(name: str, rank: int | None, a: HostArray) -> Problem | None:
    if rank is None or a.shape is None or len(a.shape) == rank:
        return None
    given = a.name or "the argument"
    text = f"{name} is indexed with {rank} {_axes(rank)} in the kernel, and {given} has {len(a.shape)}"
    return Problem("rank", name, rank, len(a.shape), text)


def _axes(n: int) -> str:
    return "axis" if n == 1 else "axes"


def _unbound(
    p: Param, argument: object, notes: list[str], problems: list[Problem], missing: list[str]
) -> None:
    """Say what is wrong with, or not known of, an argument that gave no term."""
    if p.is_array and isinstance(argument, Scalar) and argument.term is not None:
        text = f"{p.name} is an array in the kernel, and a number is given"
        problems.append(Problem("not-array", p.name, None, 0, text))
    elif isinstance(argument, Scalar) and isinstance(argument.type, FloatType) and not p.is_array:
        return  # a float is no part of any term
    elif isinstance(argument, HostArray):
        return  # an array for a parameter that the kernel does not index
    else:
        missing.append(p.name)
        what = f": {argument.text}" if isinstance(argument, Other) and argument.text else ""
        notes.append(f"the argument for {p.name} is not understood{what}")


def _bind_launch(site: LaunchSite, raw: dict[Sym, Int], missing: list[str]) -> list[Bool]:
    """Bind block and grid; the answer is what a device that accepts the launch guarantees of them."""
    facts: list[Bool] = []
    for given, symbol, limits in (
        (site.block, s.block_size, s.MAX_BLOCK),
        (site.grid, s.grid_size, s.MAX_GRID),
    ):
        if given is None:
            missing.append("block" if symbol is s.block_size else "grid")
            continue
        for axis in range(3):
            value = given[axis] if axis < len(given) else ONE
            raw[_symbol(symbol(axis))] = value
            facts += [ge(value, ONE), le(value, limits[axis])]
    if site.block is not None:
        threads = ONE
        for t in site.block:
            threads = threads * t
        facts.append(le(threads, s.MAX_THREADS))
    return [f for f in facts if f != TRUE]


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
