"""Obligation contract, for tile kernels: a flat index is divided by the row length of its own tensor.

A kernel that bounds an index by the number of elements of one tensor and divides it by the row length of
another finds the row and column of neither, as soon as the two lengths differ. Every place may still be in
range, so that no other obligation sees it. It is refuted where the host code itself checks that the first
tensor's rows are no longer than the other's, so that they may be shorter, by such a launch with an element in
another row than the quotient says, which runs without any other fault.
"""

from __future__ import annotations

from gpulint.dataflow.access import Access
from gpulint.interp.machine import run
from gpulint.ir import nodes as n
from gpulint.ir import symbols as names
from gpulint.ir.span import Span
from gpulint.ir.walk import walk
from gpulint.solver.blame import owner
from gpulint.solver.outputs import small_launch, witness
from gpulint.solver.setting import Setting
from gpulint.solver.sites import SiteRound
from gpulint.solver.verdict import REFUTED, Obligation, Verdict, Witness
from gpulint.term import Bool, Cmp, Int, Sym, add, apps, conjuncts, ge, le, lt, neg, symbols
from gpulint.term.build import of_atom

DIVISIONS = ("truncdiv", "floordiv", "truncmod", "mod")


def check(a: SiteRound) -> None:
    """Add a verdict for the first index that is divided by the row length of another tensor.

    None where the launch breaks something else.
    """
    s = a.setting
    if a.reason or s.site is None or not s.site.exact or not s.tiles:
        return
    if any(v.kind == REFUTED for v in (*a.answers.values(), *a.extra)):
        return
    for x in s.accesses.accesses:
        v = _first(s, x)
        if v is not None:
            a.extra.append(v)
            return


def _first(s: Setting, x: Access) -> Verdict | None:
    seen = s.see(x)
    for q in apps(seen.domain, *seen.subscripts, op="floordiv"):
        index, by = q.args
        width = by.atom
        if not isinstance(width, Sym) or not names.is_extent(width.name):
            continue
        for own in _widths(s, seen.domain, index, width):
            w = _apart(s, x, index, own, width)
            span = _divided(s, by)
            if w is not None and span is not None:
                o = Obligation("contract", "row-width", span, access=x)
                short, long = own.name, width.name
                reason = f"rows of {owner(short)} are {short} long, and {short} may be less than {long}"
                return Verdict(o, REFUTED, reason=reason, witness=w, site=s.site, rung="search")
    return None


def _widths(s: Setting, domain: Bool, index: Int, width: Sym) -> list[Sym]:
    """The row lengths of tensors over all whose elements the index runs, which are checked to be no more."""
    out: list[Sym] = []
    for c in conjuncts(domain):
        if not isinstance(c, Cmp) or c.op != "le" or len(symbols(c) - symbols(index)) < 2:
            continue
        count = add(index, 1, neg(c.poly))
        extents = set(count.terms[0][0]) if len(count.terms) == 1 and count.terms[0][1] == 1 else set()
        if c != lt(index, count) or len({owner(str(x)) for x in extents}) != 1 or width in extents:
            continue
        out += [x for x in extents if isinstance(x, Sym) and le(of_atom(x), of_atom(width)) in s.prover.facts]
    return out


def _apart(s: Setting, x: Access, index: Int, own: Sym, width: Sym) -> Witness | None:
    """A launch that runs without fault and has an element past the first row, where the two widths differ."""
    known = [c for c in conjuncts(s.see(x).domain) if not apps(c, op="load")]
    shorter = lt(of_atom(own), of_atom(width))
    found = small_launch(s, [*known, shorter, ge(index, of_atom(own))])
    if found is None or run(s.kernel, found[1]).violations:
        return None
    reader, launch = found
    return witness(reader, launch, x.array.name, (reader.number(index, 0),))


def _divided(s: Setting, by: Int) -> Span | None:
    """Where the kernel first divides by a parameter that the host gives this length."""
    given = {p.name for p in s.kernel.params if not p.is_array and s.term(names.scalar(p)) == by}
    for x in walk(s.kernel):
        if (
            isinstance(x, n.Binary)
            and x.op in DIVISIONS
            and isinstance(x.right, n.Var)
            and x.right.name in given
        ):
            return x.span
    return None
