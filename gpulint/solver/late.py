"""Advice on products that are widened too late, where arrays beyond `int32-sizes` are meant.

Under `int32-sizes` an offset fits 32 bits, and a kernel is verified for arrays up to that size. Code that
casts an offset to 64 bits is written for larger ones; where the product before the cast leaves 32 bits for
some launch from a site in view, it is told with that launch, and the verdict on the kernel stays.
"""

from __future__ import annotations

from dataclasses import replace

from gpulint.solver import questions
from gpulint.solver.options import INT32_SIZES
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound
from gpulint.solver.verdict import REFUTED, Obligation, Verdict

MAX_ASKED = 4


def check(a: SiteRound) -> None:
    """Add a verdict for each product that is widened too late at the site."""
    s = a.setting
    if a.reason or s.site is None or not s.site.exact or INT32_SIZES not in s.options.assume:
        return
    found = [op for op in s.accesses.ops if op.late]
    if not found:
        return
    lifted = replace(s.options, assume=s.options.assume - {INT32_SIZES})
    large = Setting(s.kernel, s.accesses, lifted, s.premises, s.site, s.binding, s.budget)
    for op in found[:MAX_ASKED]:
        o = Obligation("no-wrap", "late", op.span, op=op)
        w = questions.refute(large, o)
        if w is not None:
            a.extra.append(Verdict(o, REFUTED, witness=w, site=s.site, rung="search"))
