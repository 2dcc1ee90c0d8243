"""Obligation covered, for inputs of tile kernels: a row that is longer than a capped block is read whole.

Where the host caps a block's length (`min(next_power_of_2(n), 4096)`) and a load takes one block of a row,
what is left of a longer row is never looked at: a sum or a maximum of it is that of its beginning. Nothing
is out of range, and every output is written. It is refuted by two runs: with a row as long as the cap the
kernel reads every element of the input, with a longer one it does not.
"""

from __future__ import annotations

from dataclasses import replace

from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray
from gpulint.interp.machine import run
from gpulint.solver import space
from gpulint.solver.outputs import LARGE, pure, small_launch, witness
from gpulint.solver.rounds import MAX_ELEMENTS
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound
from gpulint.solver.verdict import REFUTED, Obligation, Verdict, Witness
from gpulint.term import Bool, Int, apps, eq, gt

STEPS = 600_000  # operations of one run


def check(a: SiteRound) -> None:
    """Add a verdict for the first load of each input that a capped block cuts short.

    None where the launch breaks something else, such as an output of which the same is true.
    """
    s = a.setting
    if a.reason or s.site is None or not s.site.exact or not s.tiles:
        return
    if any(v.kind == REFUTED for v in (*a.answers.values(), *a.extra)):
        return
    done: set[str] = set()
    for x in s.accesses.accesses:
        arg = s.site.arguments.get(x.array.name)
        given = isinstance(arg, HostArray) and arg.whole and bool(arg.contiguous)
        if x.mode != "read" or not given or x.array.written or x.array.name in done:
            continue
        for whole, cap in _caps(s, x):
            w = _cut(s, x, whole, cap)
            if w is not None:
                done.add(x.array.name)
                o = Obligation("covered", "input", x.span, access=x)
                reason = f"the block is no longer than {cap}"
                a.extra.append(Verdict(o, REFUTED, reason=reason, witness=w, site=s.site, rung="search"))


def _caps(s: Setting, x: Access) -> list[tuple[Int, Int]]:
    """The lengths of the load's axes that the host caps: what they would be, and the cap."""
    out: list[tuple[Int, Int]] = []
    for _, size in x.lanes if pure(space.see(x)) else ():
        length = s.term(size)
        capped = apps(length, op="min") if length.value is None else ()
        out += [
            (other, cap)
            for m in capped if len(m.args) == 2
            for other, cap in (m.args, m.args[::-1]) if cap.value is not None and other.value is None
        ]  # fmt: skip
    return out


def _cut(s: Setting, x: Access, whole: Int, cap: Int) -> Witness | None:
    """An element that a longer row leaves unread, where none is left at the cap."""
    at_cap = _unread(s, x, eq(whole, cap))
    if at_cap is None or at_cap[1] is not None:
        return None
    longer = _unread(s, x, gt(whole, cap))
    return longer[0] if longer is not None and longer[1] is not None else None


def _unread(s: Setting, x: Access, condition: Bool) -> tuple[Witness, int | None] | None:
    """A run under a condition: its witness, and the first element that it leaves unread."""
    found = small_launch(s, [condition], LARGE)
    if found is None:
        return None
    reader, launch = found
    name = x.array.name
    shape = launch.arrays[name].shape
    if len(shape) != 1 or not 0 < shape[0] <= MAX_ELEMENTS:
        return None
    outcome = run(s.kernel, replace(launch, max_steps=STEPS))
    if not outcome.complete:
        return None
    seen = outcome.read.get(name, set())
    left = next((i for i in range(shape[0]) if (i,) not in seen), None)
    return witness(reader, launch, name, (left or 0,)), left
