"""What one round of proofs stands on: a kernel for any parameters, or at one launch site."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TypeVar, cast

from gpulint.contract.bind import Binding
from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access, AccessSet, IntOp
from gpulint.frontend.host.site import LaunchSite
from gpulint.ir import symbols as names
from gpulint.ir.nodes import Kernel
from gpulint.solver import space, tilefacts
from gpulint.solver.eliminate import SETTLE
from gpulint.solver.memo import Memo
from gpulint.solver.options import Options
from gpulint.solver.pairs import TILES, Order
from gpulint.solver.prover import ELEMENT, Budget, Prover
from gpulint.solver.signs import settled, unwrapped
from gpulint.solver.space import Seen
from gpulint.term import FALSE, TRUE, Bool, Int, Sym, and_, ge, lt, symbols

T = TypeVar("T", Int, Bool)


class Setting:
    """Facts, premises and the translation of kernel terms, for one round of proofs."""

    def __init__(
        self,
        kernel: Kernel,
        accesses: AccessSet,
        options: Options,
        premises: Iterable[Clause] = (),
        site: LaunchSite | None = None,
        binding: Binding | None = None,
        budget: Budget | None = None,
        memo: Memo | None = None,
        more: tuple[Bool, ...] = (),
        solid: frozenset[str] = frozenset(),
        settle: int = SETTLE,
    ) -> None:
        """`more` are facts over the site's own terms, beyond what its host code says; `solid` the parameters
        whose tensors are taken to have a place of its own for each element; `settle` elimination steps for a
        goal over launch symbols."""
        self.more, self.solid, self.settle = more, solid, settle
        self.kernel, self.accesses, self.options = kernel, accesses, options
        self.premises = tuple(premises)
        self.site, self.binding = site, binding
        self.budget, self.memo = budget or Budget(), memo or Memo()
        self.tiles = kernel.dialect in TILES
        self.alone: dict[tuple[int, int], bool] = {}  # pairs that only one thread of a block reaches
        self._variants: dict[tuple[object, ...], Setting] = {}
        self._seen: dict[tuple[int, frozenset[int]], Seen] = {}
        self._mapped: dict[tuple[int, frozenset[int]], Seen] = {}
        self._terms: dict[Int | Bool, Int | Bool] = {}

    @cached_property
    def prover(self) -> Prover:
        facts = [*space.point_facts(self.tiles)]
        facts += [*self.accesses.facts, *(c.condition for c in self.premises if not c.predicate)]
        facts += tilefacts.rounded(self.accesses) if self.tiles else []
        own = [*self.standing, *(self.term(f) for f in facts)]
        if self.binding is None:
            own = space.launch_products(own)
        else:
            own += [*self.binding.facts, *self.binding.device_facts, *self.more]
            own += space.memory_facts(self.kernel, self.accesses, self.term)
            own += space.host_facts(own, self.options)
            if self.tiles:
                grid = [self.term(names.grid_size(axis)) for axis in space.AXES]
                own += tilefacts.facts(self.kernel, self.term, grid)
        out = Prover(own, self.options.rlimit, self._ranges(), self.budget, self._ordered(), self.memo)
        out.settle = self.settle
        return out

    @cached_property
    def standing(self) -> tuple[Bool, ...]:
        """The standing assumptions, less those that the numbers of the launch contradict.

        A host that allocates more than they allow is no reason to prove anything.
        """
        given = map(self.term, space.launch_facts(self.kernel, self.accesses, self.options))
        return tuple(f for f in given if f != FALSE)

    @cached_property
    def tile_sizes(self) -> frozenset[Sym]:
        """The parameters that are sizes of tiles."""
        return frozenset(symbols(*(size for a in self.accesses.accesses for _, size in a.lanes)))

    @cached_property
    def order(self) -> Order:
        """How barriers order the accesses."""
        if self.memo.order is None:
            self.memo.order = Order(self.kernel, self.accesses)
        return self.memo.order

    def _ordered(self) -> frozenset[str]:
        said = {c.arrays[0] for c in self.premises if c.predicate == "sorted"}
        known = self.binding.elements if self.binding is not None else {}
        return frozenset(said | {name for name, e in known.items() if e.sorted})

    def _ranges(self) -> Mapping[str, Bool]:
        out: dict[str, Bool] = {}
        e = ELEMENT
        if self.binding is not None:
            for name, known in self.binding.elements.items():
                if known.bounds(e):
                    out[name] = and_(*known.bounds(e))
        for c in self.premises:
            if c.predicate == "within":
                lo, hi = (self.term(b) for b in c.bounds)
                out[c.arrays[0]] = and_(ge(e, lo), lt(e, hi), out.get(c.arrays[0], TRUE))
            elif c.predicate == "above":
                out[c.arrays[0]] = and_(ge(e, self.term(c.bounds[0])), out.get(c.arrays[0], TRUE))
        return out

    def injective(self, array: str) -> bool:
        known = self.binding.elements.get(array) if self.binding is not None else None
        if known is not None and known.injective:
            return True
        return any(c.predicate == "injective" and c.arrays == (array,) for c in self.premises)

    def term(self, t: T) -> T:
        """A kernel term in this setting: over host symbols when there is a launch site."""
        if self.binding is None:
            return t
        found = self._terms.get(t)
        if found is None:
            found = self._terms[t] = self.binding.apply(space.unfold(t))
        return cast(T, found)

    def with_premises(self, more: Iterable[Clause]) -> Setting:
        """This setting with more clauses taken as given."""
        added = tuple(c for c in more if c not in self.premises)
        if not added:
            return self
        both = (*self.premises, *added)
        return self._with(both, self.more)

    def with_facts(self, facts: Iterable[Bool], settle: int = 0) -> Setting:
        """This setting with more facts over the site's terms; `settle`: elimination steps, if others."""
        return self._with(self.premises, (*self.more, *facts), settle=settle)

    def with_solid(self, arrays: frozenset[str]) -> Setting:
        """This setting with more tensors taken to have a place of its own for each element."""
        return self._with(self.premises, self.more, self.solid | arrays)

    def _with(
        self,
        premises: tuple[Clause, ...],
        more: tuple[Bool, ...],
        solid: frozenset[str] | None = None,
        settle: int = 0,
    ) -> Setting:
        """A setting like this one, the same for the same content: what was asked of it is known."""
        key = (premises, more, solid, settle)
        if key not in self._variants:
            out = Setting(
                self.kernel, self.accesses, self.options, premises, self.site, self.binding, self.budget,
                self.memo, more, self.solid if solid is None else solid, settle or self.settle,
            )  # fmt: skip
            out._terms, out._mapped = self._terms, self._mapped
            self._variants[key] = out
        return self._variants[key]

    def see(self, a: Access | IntOp, within: frozenset[int] = frozenset(space.AXES)) -> Seen:
        key = (id(a), within)
        if key not in self._seen:
            self._seen[key] = unwrapped(settled(self._bound(a, within), self.prover), self.prover)
        return self._seen[key]

    def _bound(self, a: Access | IntOp, within: frozenset[int]) -> Seen:
        """The access in the terms of the launch site, before premises are looked at."""
        key = (id(a), within)
        if key not in self._mapped:
            s = self.memo.see(a, within)
            self._mapped[key] = s if self.binding is None else s.mapped(self.term, self.term)
        return self._mapped[key]
