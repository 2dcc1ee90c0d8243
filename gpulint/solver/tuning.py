"""Obligation contract, for autotuned kernels: running again on the same arguments gives the same result.

An autotuner runs the kernel once for each configuration before the call that counts. A kernel that
reads what it also writes, or accumulates with atomics, then starts from what the runs before left,
unless the tuner restores or zeroes those arguments or a hook does. Extremes and bits accumulate the
same however often they run, and what a program reads of what it wrote itself before is none of a run before.
"""

from __future__ import annotations

from gpulint.dataflow.access import Access
from gpulint.solver import disjoint, splitting
from gpulint.solver.pairs import Pair
from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, Obligation, Verdict
from gpulint.term import Bool, Scope, conjuncts, symbols

IDEMPOTENT = ("min", "max", "and", "or")  # once more with the same operand changes nothing
SEVERAL, KEPT, HOOKED = "autotune-several", "autotune-kept", "autotune-hook"


def decide(s: Setting) -> list[Verdict]:
    """One verdict for each argument that a run changes and the next would read."""
    options = s.kernel.options
    if not any(k == SEVERAL for k, _ in options):
        return []
    kept = {v for k, v in options if k == KEPT}
    hooked = any(k == HOOKED for k, _ in options)
    out = []
    for name, array in sorted(s.accesses.arrays.items()):
        own = [a for a in s.accesses.accesses if a.array.name == name]
        written = next((a for a in own if a.mode == "write"), None)
        read = any(a.mode == "read" and not _scratch(s, a, own) for a in own)
        changing = next((a for a in own if a.mode == "atomic" and (read or a.op not in IDEMPOTENT)), None)
        bad = changing or (written if read else None)
        if not array.is_param or bad is None:
            continue
        o = Obligation("contract", "autotune", bad.span, access=bad)
        if name in kept:
            out.append(Verdict(o, PROVED, rung="restored"))
        elif hooked:
            out.append(Verdict(o, UNDECIDED, reason=f"a hook may restore {name} between tuning runs"))
        else:
            how = "accumulates into" if changing else "reads and writes"
            reason = f"tuning runs the kernel several times, and it {how} {name}, which nothing restores"
            out.append(Verdict(o, REFUTED, reason=reason, rung="options"))
    return out


def _scratch(s: Setting, read: Access, own: list[Access]) -> bool:
    """Whether a read comes after a store of the same program to its part of the array, which is no other's.

    The store happens whenever the read does, and the read never meets what another program stores: whatever
    lane or counter the two name, the part is filled and read within one run. A store that fills less of its
    part than is read is not told apart: that a run before may be seen then is not reported.
    """
    stores = [w for w in own if w.mode == "write"]
    before = any(w.index < read.index and _always(w, read) for w in stores)
    return before and all(_apart(s, w, read) for w in stores)


def _always(w: Access, read: Access) -> bool:
    """Whether a store happens where a read does, which lanes and counters take part left aside."""
    return all(c in conjuncts(read.guard) for c in conjuncts(w.guard) if not _inner(c))


def _inner(c: Bool) -> bool:
    return any(x.scope is Scope.LOOP or x.name.startswith("lane") for x in symbols(c))


def _apart(s: Setting, w: Access, read: Access) -> bool:
    """Whether different programs never meet in a store and a read."""
    p = Pair(w, read, "blocks")
    meet = disjoint.collision(s, p, *disjoint.views(s, p))
    return s.prover.unsat(*meet, *splitting.derived(s.prover, meet))
