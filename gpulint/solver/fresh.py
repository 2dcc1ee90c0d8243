"""Obligation initialised at one launch site: no output that the host left without a value is read first.

Asked of array arguments that the host allocated without a value, for every atomic on them and every
element that the kernel adds to. (Other reads may be of data that something not in view put there.)
The kernel's own earlier write at the same point settles it; otherwise a launch is run with those
elements unset, and an access that meets one refutes it.
"""

from __future__ import annotations

from collections.abc import Sequence

from gpulint.dataflow.access import Access
from gpulint.frontend.host.site import HostArray, LaunchSite
from gpulint.solver import contents, initialised, search
from gpulint.solver.outputs import written_elsewhere
from gpulint.solver.search import Ask
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, Obligation, Verdict


def check(a: SiteRound, sites: Sequence[LaunchSite]) -> None:
    """Add the verdicts on reads of unset arguments."""
    s = a.setting
    if a.reason or s.site is None:
        return
    for name, arg in s.site.arguments.items():
        if not isinstance(arg, HostArray) or arg.initialised is not False:
            continue
        if written_elsewhere(arg, s.site, sites):
            continue
        a.extra += _first_bad(s, _accumulated(s, name))


def _accumulated(s: Setting, name: str) -> list[Access]:
    """Atomics on an array, and the reads of elements that the kernel adds to."""
    own = [x for x in s.accesses.accesses if x.array.name == name]
    sums = [x for x in own if x.mode == "write" and contents.accumulates(s.kernel, x)]
    places = {x.subscripts for x in sums}
    return [x for x in own if x.mode == "atomic" or (x.mode == "read" and x.subscripts in places)]


def _first_bad(s: Setting, reads: list[Access]) -> list[Verdict]:
    """Verdicts on the reads, up to the first that is refuted."""
    out = []
    for read in reads:
        v = _read(s, read)
        out.append(v)
        if v.kind == REFUTED:
            break
    return out


def _read(s: Setting, read: Access) -> Verdict:
    o = Obligation("initialised", "argument", read.span, access=read)
    v = initialised.again(s, o)
    if v.kind == PROVED:
        return v
    assert s.site is not None
    if s.site.exact:
        seen = s.see(read)
        w = search.find(s, Ask(o, (seen.domain,), (seen,), "uninitialised", read.array.name))
        if w is not None:
            return Verdict(o, REFUTED, witness=w, site=s.site, rung="search")
    return Verdict(o, UNDECIDED, reason=v.reason, site=s.site)
