"""Guarded accesses of the kernel must still be guarded in the PTX that was made of it.

The proof took each access to happen only where its condition holds (`dataflow.access.Access.guard`). Of each
part of that condition, the parameters, extents and coordinates that it is made of are looked for in what
decides that the access runs in the PTX (`flow.Flow.asked`): where one is missing, the access was moved above
its guard, or the guard was lost. Nothing is asked of which branch it was, nor of how often code was copied,
so that rotated, unrolled and merged control flow passes.

In which direction it is sound: what it refuses lacks some input of a guard, and cannot have evaluated it.
What it passes may still be wrong: a branch turned round, a bound changed, a guard that hangs on the same
inputs as another one that is still there. A part of a guard may be gone where the contract and the parts
that are still there imply it. A load that may be made anywhere (of a fixed place in shared memory, or of an
address that was accessed on every way there) is not asked for its guard, and an access whose place in the
source was lost, two having been made one, only for what all that it may be have in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from gpulint.compile.error import CompileError
from gpulint.compile.flow import ANY, MEMORY, Flow, Step, entries
from gpulint.compile.function import REGISTERS, Parameter
from gpulint.compile.geometry import Geometry
from gpulint.dataflow.access import Access, AccessSet
from gpulint.ir import nodes as n
from gpulint.ir.symbols import AXES
from gpulint.term import ZERO, App, Bool, Cmp, Int, Sym, and_, apps, conjuncts, subst
from gpulint.term.walk import atoms

Implied = Callable[[Bool, Bool], bool]
_MODES = {"ld": "read", "ldu": "read", "st": "write", "atom": "atomic", "red": "atomic"}


@dataclass(frozen=True)
class Guards:
    """What the guards of a kernel's accesses are made of.

    `parameters` are those of the entries, in their order. `implied(a, b)`: whether b is proved where a holds.
    """

    kernel: n.Kernel
    accesses: AccessSet
    parameters: Sequence[Parameter]
    geometry: Geometry
    implied: Implied

    def check(self, text: str) -> None:
        """Raise CompileError where an access of an entry has lost an input of its guard."""
        for flow in entries(text):
            for step in flow.steps:
                if step.kind in _MODES and flow.reached >> step.block & 1:
                    self._demand(flow, step)

    def _demand(self, flow: Flow, step: Step) -> None:
        problem = self.problem(flow, step)
        if problem:
            raise CompileError(f"the PTX that was made is not as proved: {problem}", self.kernel.header)

    def problem(self, flow: Flow, step: Step) -> str:
        """Why an access is not guarded as it was proved; empty where it is or nothing is asked of it."""
        meant = self.meant(flow, step)
        asked = _common(meant)
        if not asked:
            return ""
        sure, either = flow.asked(step.block, step.predicate)
        if ANY in sure | either:
            return ""
        there = [c for c in asked if self.inputs(c) <= (sure | either if _disjoint(c) else sure)]
        lost = [c for c in asked if c not in there]
        if not lost or _anywhere(flow, step):
            return ""
        gone = next((c for c in lost if not self.implied(and_(*there), c)), None)
        if gone is None:
            return ""
        row = meant[0].span.row
        return f"the {meant[0].mode} of {meant[0].array.name} in line {row} is no more guarded by `{gone}`"

    # --- which accesses an instruction stands for

    def meant(self, flow: Flow, step: Step) -> list[Access]:
        """The accesses of the kernel that an instruction may be: by memory, then by place or else by mode."""
        found = [a for a in self.accesses.accesses if self._reaches(flow, step, a)]
        here = [a for a in found if (a.span.row, a.span.column + 1) == step.place and self._own_file(a)]
        return here or [a for a in found if a.mode == _MODES[step.kind]]

    def _own_file(self, a: Access) -> bool:
        return a.span.filename == self.kernel.span.filename

    def _reaches(self, flow: Flow, step: Step, a: Access) -> bool:
        spaces = [s for s in step.op.split(".") if s in ("global", "shared", "local", "const", "param")]
        if not spaces:
            return a.array.space in ("global", "shared")
        if a.array.space != spaces[0] or spaces[0] not in ("global", "shared"):
            return False
        bases = self._bases(flow, step.address)
        return not a.array.is_param or not bases or a.array.name in bases

    def _bases(self, flow: Flow, address: str) -> set[str]:
        """The pointers that an address is made from."""
        given = flow.leaves([address.partition("+")[0].strip()], chosen=False) if address[:1] == "%" else ()
        named = [self.parameters[int(x)] for x in given if x.isdigit() and int(x) < len(self.parameters)]
        return {p.name for p in named if p.kind in ("pointer", "counter")}

    # --- what conditions are made of

    def inputs(self, c: Bool) -> frozenset[str]:
        """The leaves of the PTX that code for the condition must look at."""
        out: set[str] = set()
        for atom in _outside_loads(c):
            if isinstance(atom, Sym):
                out |= self.known.get(atom.name, frozenset())
            elif atom.data in self.unwritten:
                out.add(MEMORY)
        return frozenset(out)

    @cached_property
    def unwritten(self) -> frozenset[str]:
        """Parameters whose elements no store can make known."""
        return frozenset(a.name for a in self.accesses.arrays.values() if a.is_param and not a.written)

    @cached_property
    def known(self) -> dict[str, frozenset[str]]:
        """The leaves of symbols: scalars, extents, and coordinates that may be more than zero."""
        out: dict[str, frozenset[str]] = {}
        for k, p in enumerate(self.parameters):
            if p.kind == "scalar":
                out[p.name] = frozenset((str(k),))
            elif p.kind == "extent":
                out[f"{p.name}.shape[{p.axis}]"] = frozenset((str(k),))
                whole = f"{p.name}.size"
                out[whole] = out.get(whole, frozenset()) | {str(k)}
        for kind, size in (("thread", "block"), ("block", "grid")):
            for axis, letter in enumerate(AXES):
                if self.geometry.size(size, axis) != 1:
                    out[f"{kind}Idx.{letter}"] = frozenset((f"{REGISTERS[kind]}.{letter}",))
        return out


def _common(meant: Sequence[Access]) -> list[Bool]:
    """The parts of the guard that all of the accesses have."""
    if not meant:
        return []
    first, *rest = map(_parts, meant)
    return [c for c in first if all(c in other for other in rest)]


def _parts(a: Access) -> tuple[Bool, ...]:
    """The parts of where an access happens in the first trip of its loops, that code has to ask for.

    What a later trip asks is more, of the same inputs and others; what holds because a loop before has ended
    is not asked again.
    """
    first = {loop.counter: ZERO for loop in a.loops}
    given = set(conjuncts(a.given))
    asked = and_(*(c for c in conjuncts(a.domain) if c not in given))
    return conjuncts(subst(asked, first)) if first else conjuncts(asked)


def _outside_loads(c: Bool) -> Iterable[Sym | App]:
    """The symbols and loads of a condition; not what the address of a load is made of."""
    inside: set[object] = set()
    for atom in atoms(c):
        if isinstance(atom, App) and atom.op == "load":
            inside.update(atoms(*(x for x in atom.args if isinstance(x, Int))))
    return [atom for atom in atoms(c) if atom not in inside]


def _disjoint(c: Bool) -> bool:
    """Whether code may ask for it as a disjunction: it is one, or chooses between values."""
    return not isinstance(c, Cmp) or bool(apps(c))


def _anywhere(flow: Flow, step: Step) -> bool:
    """Whether a load may be made whatever its guard: its place is fixed, or was accessed on the way there."""
    if _MODES[step.kind] != "read":
        return False
    base = step.address.partition("+")[0].strip()
    if not base.startswith("%"):
        return ".shared" in step.op
    made = flow.made.get(base, [])
    if len(made) != 1:
        return False
    if ".shared" in step.op and made[0].kind == "mov" and not made[0].operands:
        return True
    at = flow.steps.index(step)
    for k, other in enumerate(flow.steps):
        earlier = k < at if other.block == step.block else flow.dominators[step.block] >> other.block & 1
        if earlier and other.kind in _MODES and other.address == step.address and not other.predicate:
            return True
    return False
