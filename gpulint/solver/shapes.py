"""Obligation contract, for tile kernels: `tl.arange` spans a power of two within Triton's limits.

Source: Triton's language reference, `triton.language.arange`: the number of elements must be a power
of two; `TRITON_MAX_TENSOR_NUMEL` bounds a tensor at 1,048,576 elements.
"""

from __future__ import annotations

from gpulint.solver.blame import owner
from gpulint.solver.launches import host_prover, launch_witness
from gpulint.solver.sites import SiteRound
from gpulint.solver.verdict import REFUTED, Obligation, Verdict
from gpulint.term import TRUE, App, Bool, Int, and_, le, ne, sub, symbols

MAX_ELEMENTS = 1 << 20
POWERS = 21


def check(a: SiteRound) -> None:
    """Add a verdict for each arange whose length can be no power of two, or too long, at the site."""
    s = a.setting
    if a.reason or s.site is None or not s.site.exact:
        return
    done: set[Int] = set()
    for start, end, span in s.accesses.aranges:
        written = sub(end, start)
        length = s.term(written)
        open_ = length.value is None and len(symbols(written)) < 2  # one parameter: the caller's power of two
        if length in done or open_:
            continue
        done.add(length)
        bad = _bad(length)
        if bad is None or any(owner(x.name) == x.name for x in symbols(length)):
            continue
        prover = host_prover(s)
        w = launch_witness(s, prover, bad)
        if w is not None:
            o = Obligation("contract", "arange", span)
            reason = f"tl.arange spans {length} elements"
            a.extra.append(Verdict(o, REFUTED, reason=reason, witness=w, site=s.site, rung="search"))


def _bad(length: Int) -> Bool | None:
    """The condition that a length is none that arange takes; None when it always is one."""
    n = length.value
    if n is not None:
        fine = 0 < n <= MAX_ELEMENTS and n & (n - 1) == 0
        return None if fine else TRUE
    top = length.atom
    if isinstance(top, App):
        return None if "power" in top.data else _not_a_power(length)
    return _not_a_power(length)


def _not_a_power(length: Int) -> Bool:
    """A small length that is no power of two, to have a plain witness."""
    return and_(le(3, length), le(length, 4096), *(ne(length, 1 << k) for k in range(POWERS)))
