"""What the proofs of a kernel allow its code to leave out or to assume.

Each licence names the proof that gives it; without a licence the general code is made. A licence is only ever
taken from an obligation that holds for every launch within the contract, which launches are held to.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gpulint.compile.module import Module
from gpulint.dataflow.access import Access, AccessSet
from gpulint.ir import nodes as n
from gpulint.ir.printer import expr as shown
from gpulint.ir.span import Span
from gpulint.ir.types import IntType, Type
from gpulint.ir.walk import statements
from gpulint.solver.options import INT32_SIZES, Options
from gpulint.solver.ranges import goals
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, UNDER, KernelResult
from gpulint.term import TRUE


@dataclass(frozen=True)
class Note:
    """One use of a proof: what the code does, and what allows it."""

    what: str
    because: str
    span: Span


@dataclass
class Proofs:
    """Licences by place. An empty one allows nothing.

    `nonnegative`: subscripts (id of the statement, axis) that are never negative where the access happens.
    `exact`: integer operations (place, type) that never leave their type, wherever they are evaluated.
    `distinct`: launches whose arrays overlap, one of them written, are refused. `alone`: no thread sees in
    the memory of a written array what another one wrote during the launch.
    """

    nonnegative: frozenset[tuple[int, int]] = frozenset()
    exact: frozenset[tuple[Span, Type]] = frozenset()
    small: bool = False
    unwritten: frozenset[str] = frozenset()
    distinct: bool = False
    alone: bool = False
    notes: list[Note] = field(default_factory=list)
    _node: dict[int, str] = field(default_factory=dict)

    def positive(self, s: n.Load | n.Store | n.Atomic, axis: int) -> bool:
        """Whether a subscript is never negative, so that it cannot count from the end."""
        allowed = (id(s), axis) in self.nonnegative
        if allowed and s.negative_wraps:
            index = f"{s.array}[.., {shown(s.subscripts[axis])}, ..]" if len(s.subscripts) > 1 else (
                f"{s.array}[{shown(s.subscripts[axis])}]")  # fmt: skip
            self.note(f"no wrap-around of {index}", "in-range: the subscript is not negative", s.span)
        return allowed

    def flags(self, e: n.Binary) -> str:
        """`nsw` for an operation that is proved to fit its type."""
        if not isinstance(e.type, IntType) or not e.type.signed or (e.span, e.type) not in self.exact:
            return ""
        self.note(f"{shown(e)} cannot overflow", "no-wrap", e.span)
        return "nsw"

    def note(self, what: str, because: str, span: Span) -> None:
        """Record a use of a proof, once a place."""
        made = Note(what, because, span)
        if made not in self.notes:
            self.notes.append(made)

    def invariant(self, module: Module) -> str:
        """The mark of loads from memory that nothing writes."""
        if id(module) not in self._node:
            self._node[id(module)] = module.node("!{}")
        return self._node[id(module)]


def licences(kernel: n.Kernel, accesses: AccessSet, result: KernelResult, options: Options) -> Proofs:
    """What the verdicts on a verified kernel allow."""
    clauses = tuple(dict.fromkeys((*result.declared, *result.inferred)))
    setting = Setting(kernel, accesses, options, clauses)
    written = {a.name for a in accesses.arrays.values() if a.written}
    return Proofs(
        nonnegative=_nonnegative(setting, accesses),
        exact=_exact(result),
        small=INT32_SIZES in options.assume,
        unwritten=frozenset(a.name for a in accesses.arrays.values() if a.is_param) - written,
        distinct=True,
        alone=not any(isinstance(s, (n.Barrier, n.Atomic)) for s in statements(kernel.body)),
    )


def _nonnegative(setting: Setting, accesses: AccessSet) -> frozenset[tuple[int, int]]:
    """A statement may access several arrays under one name: then all of its accesses must agree."""
    found: dict[tuple[int, int], bool] = {}
    for a in accesses.accesses:
        if not isinstance(a.stmt, (n.Load, n.Store, n.Atomic)):
            continue
        for axis, holds in enumerate(_axes(setting, a, len(a.stmt.subscripts))):
            key = (id(a.stmt), axis)
            found[key] = found.get(key, True) and holds
    return frozenset(key for key, holds in found.items() if holds)


def _axes(setting: Setting, a: Access, count: int) -> list[bool]:
    """For each subscript of the statement itself (views come first), whether it is never negative."""
    seen = setting.see(a)
    first = len(seen.checks) - count
    if first < 0:
        return [False] * count
    out = []
    for axis in range(first, len(seen.checks)):
        _, positive, _ = goals(a, axis, seen.checks)
        out.append(positive == TRUE or bool(setting.prover.prove(seen.domain, positive)))
    return out


def _exact(result: KernelResult) -> frozenset[tuple[Span, Type]]:
    """Operations proved to fit wherever they are evaluated, not only where an access uses them.

    An address need fit only where its guard is true, and the same operation may be evaluated elsewhere,
    where a flag of no overflow would not be true: so only those count whose obligation has no guard.
    """
    held: dict[tuple[Span, Type], bool] = {}
    for v in result.verdicts:
        op = v.obligation.op
        if op is None or v.obligation.property != "no-wrap":
            continue
        key = (op.span, op.type)
        good = v.kind in (PROVED, UNDER) and op.guard == TRUE and not op.loops
        held[key] = held.get(key, True) and good
    return frozenset(key for key, good in held.items() if good)
