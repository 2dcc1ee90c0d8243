"""Obligation contract, for autotuned kernels: running again on the same arguments gives the same result.

An autotuner runs the kernel once for each configuration before the call that counts. A kernel that
reads what it also writes, or accumulates with atomics, then starts from what the runs before left,
unless the tuner restores or zeroes those arguments or a hook does. Extremes and bits accumulate the
same however often they run.
"""

from __future__ import annotations

from gpulint.solver.setting import Setting
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, Obligation, Verdict

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
        read = any(a.mode == "read" for a in own)
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
