"""The launch space as the prover sees it: facts, and global thread indices in place of products.

`blockIdx.x * block.x + threadIdx.x` is one number: (blockIdx.x, threadIdx.x) and the global index
`gid.x` in [0, grid.x * block.x) correspond one to one, since threadIdx.x < block.x. Where the terms
of an access hold blockIdx and threadIdx of an axis only in that combination, they are rewritten over
`gid.x`, which makes them linear; distinct points then are distinct global indices. The rewriting
substitutes `threadIdx.x = gid.x - block.x * blockIdx.x` and is kept only if blockIdx.x vanishes from
every term of the access, so that nothing is lost. `grid.x * block.x` becomes one symbol likewise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from collections.abc import Set as Set
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from gpulint.dataflow.access import Access, AccessSet, IntOp
from gpulint.ir import symbols as names
from gpulint.ir.nodes import Kernel
from gpulint.ir.types import ArrayType
from gpulint.solver.options import INT32_SIZES, NON_EMPTY, Options
from gpulint.term import (
    FALSE,
    Atom,
    Bool,
    Cmp,
    Int,
    Scope,
    Sym,
    add,
    conjuncts,
    eq,
    ge,
    le,
    lt,
    mul,
    rename,
    sub,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import ONE, of_atom
from gpulint.term.node import intern
from gpulint.term.products import replace_product

T = TypeVar("T", Int, Bool)
INT32_MAX = 2**31 - 1
MANY = 2**31 - 2**20  # elements of an array under int32-sizes
WIDE = 2**47  # magnitude of a scalar when int32-sizes is lifted: more than any memory holds
AXES = (0, 1, 2)
WARP = 32  # threads of a warp


def total(axis: int) -> Int:
    """Threads of the launch along an axis: `grid.x * block.x` as one symbol."""
    a = names.AXES[axis]
    top = names.MAX_GRID[axis] * names.MAX_BLOCK[axis]
    return sym(f"grid.{a} * block.{a}", Scope.LAUNCH, 1, top)


def gid(axis: int) -> Int:
    """The global index of a thread along an axis, `cuda.grid(n)[axis]`."""
    top = names.MAX_GRID[axis] * names.MAX_BLOCK[axis] - 1
    return sym(f"gid.{names.AXES[axis]}", Scope.POINT, 0, top)


def atom_of(t: Int) -> Sym:
    """The symbol of a symbol term."""
    return cast(Sym, t.atom)


def _totals(t: T) -> T:
    """Rewrite `grid.a * block.a` wherever both occur in one monomial."""
    for axis in AXES:
        g, b = atom_of(names.grid_size(axis)), atom_of(names.block_size(axis))
        if {g, b} <= symbols(t):
            t = replace_product(t, g, b, atom_of(total(axis)))
    return t


def launch_products(facts: Sequence[Bool]) -> list[Bool]:
    """The facts over `grid.a * block.a` as one symbol, and what that symbol is where one factor is a number.

    Exact: the symbol stands for the product, so a launch that meets the facts meets these, and the other way
    round.
    """
    out = [_totals(f) for f in facts]
    equations = [c.poly for f in facts for c in conjuncts(f) if isinstance(c, Cmp) and c.op == "eq"]
    for axis in AXES:
        sizes = names.grid_size(axis), names.block_size(axis)
        for size, other in (sizes, sizes[::-1]):
            values = {v for p in equations for v in (sub(size, p).value, add(size, p).value)}
            out += [eq(total(axis), mul(other, v)) for v in values if v is not None]
    return list(dict.fromkeys(out))


def unfold(t: T) -> T:
    """`grid.x * block.x` as the product again: for clauses that a user reads or a host evaluates."""
    if symbols(t).isdisjoint(atom_of(total(a)) for a in AXES):
        return t
    products = {a: mul(names.grid_size(a), names.block_size(a)) for a in AXES}
    return subst(t, {atom_of(total(a)): products[a] for a in AXES})


@dataclass(frozen=True)
class Seen:
    """An access (or operation) over global indices along `axes`, block and thread elsewhere."""

    source: Access | IntOp
    domain: Bool
    subscripts: tuple[Int, ...]
    checks: tuple[tuple[Int, Int], ...]
    axes: frozenset[int]

    def mapped(self, bool_: Callable[[Bool], Bool], int_: Callable[[Int], Int]) -> Seen:
        """The same with every condition and every integer term rewritten."""
        return Seen(
            self.source, bool_(self.domain), tuple(map(int_, self.subscripts)),
            tuple((int_(x), int_(y)) for x, y in self.checks), self.axes,
        )  # fmt: skip

    def symbols(self) -> set[Sym]:
        return symbols(self.domain, *self.subscripts, *(t for c in self.checks for t in c))


def _along(axis: int, s: Seen) -> Seen:
    """The access over the global index of an axis, unless it holds the parts of it apart."""
    t, b = atom_of(names.thread(axis)), atom_of(names.block(axis))
    used = s.symbols()
    axes = s.axes | {axis}
    if t not in used and b not in used:
        return replace(s, axes=axes)
    back: dict[Atom, Int | Bool] = {t: sub(gid(axis), mul(names.block_size(axis), of_atom(b)))}
    out = s.mapped(lambda c: subst(c, back), lambda i: subst(i, back))
    return s if b in out.symbols() else replace(out, axes=axes)


def see(a: Access | IntOp, within: frozenset[int] = frozenset(AXES), domain: Bool | None = None) -> Seen:
    """`a` over global indices along as many of the axes `within` as its terms allow.

    `domain` stands in for the access's own when only a part of it is of interest.
    """
    subscripts = a.subscripts if isinstance(a, Access) else (a.term,)
    checks = a.checks if isinstance(a, Access) else ()
    where = a.domain if domain is None else domain
    s = Seen(a, where, subscripts, checks, frozenset()).mapped(_totals, _totals)
    for axis in sorted(within):
        s = _along(axis, s)
    return s


def over(terms: Iterable[Int], axes: Iterable[int]) -> tuple[Int, ...] | None:
    """The terms over the global indices of the axes; None when they hold the parts of one apart."""
    out = tuple(map(_totals, terms))
    for axis in axes:
        t, b = atom_of(names.thread(axis)), atom_of(names.block(axis))
        back = sub(gid(axis), mul(names.block_size(axis), of_atom(b)))
        out = tuple(subst(x, {t: back}) if {t, b} & symbols(x) else x for x in out)
        if b in symbols(*out):
            return None
    return out


def below(c: Int, size: Int) -> Bool:
    """`c < size`: a coordinate within its launch size."""
    return lt(c, size)


def point_facts(tiles: bool = False) -> tuple[Bool, ...]:
    """What holds of the coordinates of any point of any launch; tile programs have no threads."""
    if tiles:
        return tuple(lt(names.block(axis), names.grid_size(axis)) for axis in AXES)
    out: list[Bool] = []
    for axis in AXES:
        t, b = names.thread(axis), names.block(axis)
        size, grid, all_ = names.block_size(axis), names.grid_size(axis), total(axis)
        out += [
            lt(t, size), lt(b, grid), lt(gid(axis), all_),
            le(add(mul(b, size), size), all_), le(size, all_), le(grid, all_),
        ]  # fmt: skip
    return tuple(out)


def param_extents(kernel: Kernel, accesses: AccessSet) -> list[tuple[Int, ...]]:
    """The extents of each array parameter, of those too that the kernel only asks for their size."""
    out = [a.extents for a in accesses.arrays.values() if a.is_param]
    seen = {a.name for a in accesses.arrays.values() if a.extents}
    for p in kernel.params:
        if p.name in seen or not isinstance(p.type, ArrayType):
            continue
        if p.type.ndim is None:
            out.append((names.size(p.name, None),))
        else:
            out.append(tuple(names.extent(p.name, axis, p.type.ndim) for axis in range(p.type.ndim)))
    return out


def launch_facts(kernel: Kernel, accesses: AccessSet, options: Options) -> tuple[Bool, ...]:
    """What the standing assumptions say of sizes and parameters."""
    small = INT32_SIZES in options.assume
    out: list[Bool] = []
    for extents in param_extents(kernel, accesses):
        for extent in extents:
            if NON_EMPTY in options.assume:
                out.append(ge(extent, 1))
            if small:
                out.append(le(extent, MANY))
        product = ONE
        for extent in extents:
            product = mul(product, extent)
        out.append(le(product, MANY if small else names.MAX_ELEMENTS))
    tiles = kernel.dialect in ("triton", "cutile")
    reach = (MANY if tiles else INT32_MAX) if small else WIDE
    for p in kernel.params:
        if not p.is_array:
            out += [le(names.scalar(p), reach), ge(names.scalar(p), -reach)]
    if small:
        out += [le(total(axis), INT32_MAX) for axis in AXES]
    return tuple(out)


def memory_facts(kernel: Kernel, accesses: AccessSet, term: Callable[[Int], Int]) -> list[Bool]:
    """No array has more elements than a device can address, whatever terms a site gives its extents."""
    out = []
    for extents in param_extents(kernel, accesses):
        product = ONE
        for extent in extents:
            product = mul(product, extent)
        out.append(le(term(product), names.MAX_ELEMENTS))
    return [f for f in out if f != FALSE]


def host_facts(terms: Iterable[Bool], options: Options) -> list[Bool]:
    """What the standing assumptions say of the extents that a launch site's terms name."""
    extents = [s for s in sorted(symbols(*terms), key=lambda s: s.order) if names.is_extent(s.name)]
    out = [ge(of_atom(s), 1) for s in extents] if NON_EMPTY in options.assume else []
    if INT32_SIZES in options.assume:
        out += [le(of_atom(s), MANY) for s in extents]
    return out


def twin(t: T, side: int, shared: Set[Sym] = frozenset()) -> T:
    """The term for one of two points: symbols that are neither the launch's nor shared are marked."""
    return rename(t, lambda s: mark(s, side, shared))


def mark(s: Sym, side: int, shared: Set[Sym] = frozenset()) -> Sym | None:
    if s.scope is Scope.LAUNCH or s in shared:
        return None
    return intern(Sym, (f"{s.name}#{side}", s.scope, s.lo, s.hi, s.boolean))


def coordinates(axes: Iterable[int]) -> list[Int]:
    """The symbols that tell points apart, given the axes that global indices stand for."""
    out: list[Int] = []
    for axis in AXES:
        out += [gid(axis)] if axis in axes else [names.block(axis), names.thread(axis)]
    return out
