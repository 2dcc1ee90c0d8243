"""Obligation contract, for Triton: what a loop buffers for `tl.dot` fits a block's shared memory.

A loop over a range whose loads feed `tl.dot` is pipelined: with `num_stages` of two or more the compiler
keeps the loaded tiles in shared memory, in `num_stages - 1` buffers or one more. The sum of those tiles
times `num_stages - 1` is less than the kernel takes in all, so that a launch over the limit of every device
fails for certain. Nothing is claimed where the compiler may do otherwise: a loop with loops inside or with
stages of its own, a load that does not follow the counter, rows that asynchronous copies cannot take (one
lane steps by one, everything else by sixteen), an autotuner, which passes over what does not fit.

Source: Triton's documentation of `num_stages` (`triton.Config`, `tl.range`); figures of `triton.compile` for
sm_80 (`num_stages - 1` buffers) and sm_90 (`num_stages`).
"""

from __future__ import annotations

from collections.abc import Iterator

from gpulint.contract.limits import DEVICES
from gpulint.dataflow.access import Access
from gpulint.frontend.host.dtypes import ITEM_SIZES
from gpulint.frontend.host.site import HostArray
from gpulint.ir import nodes as n
from gpulint.ir import symbols as names
from gpulint.ir.tiles import certain
from gpulint.ir.walk import walk
from gpulint.solver.launches import host_prover, launch_witness
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound
from gpulint.solver.verdict import REFUTED, Obligation, Verdict
from gpulint.term import FALSE, Bool, and_, eq, mod, symbols

LIMIT = max(d.opt_in_shared for d in DEVICES.values())
ALIGNED = 16  # bytes of the widest copy, and what an argument is specialised to be a multiple of
DOT = ("dot", "dot_scaled")


def check(a: SiteRound) -> None:
    """Add a verdict for a loop whose buffers alone are more than any device gives a block."""
    s = a.setting
    if a.reason or s.site is None or s.site.config or s.kernel.dialect != "triton":
        return
    stages = s.site.options.get("num_stages")
    count = (stages.value if stages is not None else None) or 0
    if count < 2:
        return
    for loop in certain(s.kernel):
        if isinstance(loop, n.For) and loop.pipelined:
            loads = [x for x in _buffered(s, loop) if _copied(s, x)]
            total = (count - 1) * sum(_bytes(s, x) for x in loads)
            if total > LIMIT:
                _report(a, loads[0], total, count - 1)
                return


def _report(a: SiteRound, load: Access, total: int, buffers: int) -> None:
    s = a.setting
    assert s.site is not None
    bad = _aligned(s)
    w = launch_witness(s, host_prover(s), bad) if bad != FALSE else None
    if w is not None:
        o = Obligation("contract", "shared-memory", s.site.option_spans.get("num_stages", s.site.span))
        reason = (
            f"the operands of `tl.dot` loaded from line {load.span.row} on take at least {total} bytes of"
            f" shared memory in {buffers} buffers, and no device gives a block more than {LIMIT}"
        )
        a.extra.append(Verdict(o, REFUTED, reason=reason, witness=w, site=s.site, rung="constant"))


def _aligned(s: Setting) -> Bool:
    """The condition that every number the kernel is given is one, or a multiple of sixteen."""
    given = [s.term(names.scalar(p)) for p in s.kernel.params if not p.is_array and not p.constexpr]
    return and_(*(eq(mod(t, ALIGNED), 0) for t in given if t.value != 1))


def _buffered(s: Setting, loop: n.For) -> Iterator[Access]:
    """The loads at the loop's own level that feed a dot product there, each once."""
    if any(isinstance(x, (n.For, n.While, n.Barrier, n.Unsupported, n.Block)) for x in loop.body):
        return
    source: dict[str, n.Load] = {}
    used: dict[int, n.Load] = {}
    for x in loop.body:
        if isinstance(x, n.Load):
            source[x.target] = x
        elif isinstance(x, n.Assign):
            load = _origin(x.value, source)
            if load is not None:
                source[x.target] = load
            for dot in walk(x):
                if isinstance(dot, n.Opaque) and dot.name in DOT:
                    fed = (_origin(e, source) for e in dot.operands[:2])
                    used.update({id(y): y for y in fed if y is not None})
    yield from (a for a in s.accesses.accesses if id(a.stmt) in used)


def _origin(e: n.Expr, source: dict[str, n.Load]) -> n.Load | None:
    """The load whose tile an expression is, as it is or turned."""
    while isinstance(e, n.Relane):
        e = e.operand
    return source.get(e.name) if isinstance(e, n.Var) else None


def _copied(s: Setting, a: Access) -> bool:
    """Whether the load's rows follow the loop and lie as an asynchronous copy takes them."""
    arg = s.site.arguments.get(a.array.name) if s.site is not None else None
    if len(a.subscripts) != 1 or not isinstance(arg, HostArray) or not arg.whole or not a.loops:
        return False
    moving = symbols(a.subscripts[0])
    terms = dict(s.term(a.subscripts[0]).terms)
    rows = [lane for lane, _ in a.lanes if terms.get((lane,)) == 1]
    return len(rows) == 1 and a.loops[-1].counter in moving


def _bytes(s: Setting, a: Access) -> int:
    """Bytes of the load's tile; an element of unknown type counts as one byte."""
    total = 1
    for _, size in a.lanes:
        total *= s.term(size).value or 0
    arg = s.site.arguments.get(a.array.name) if s.site is not None else None
    return total * ITEM_SIZES.get(arg.dtype if isinstance(arg, HostArray) else "", 1)
