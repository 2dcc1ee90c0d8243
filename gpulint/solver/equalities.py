"""Facts that are equations, solved: one name for what the host says is equal.

`a.shape[0] == b.shape[0]` or `s.shape[0] == cdiv(m, 128)` leave two names for one number, and elimination
tries every way between them. Here each equation gives one launch symbol as a term over others, and that
term is put in its place. Exact: the symbol has that value wherever the facts hold; the symbol's own
bounds stay as facts about the term.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpulint.term import TRUE, Atom, Bool, Cmp, Int, Scope, Sym, add, apps, ge, le, mul, neg, subst, symbols
from gpulint.term.build import of_atom

MAX_TERMS = 4  # monomials of what replaces a symbol
Solved = dict[Atom, Int]


def solve(facts: Sequence[Bool]) -> Solved:
    """A term over other symbols for each symbol that some equation gives; acyclic."""
    out: Solved = {}
    for f in facts:
        if not isinstance(f, Cmp) or f.op != "eq":
            continue
        g = subst(f, dict(out))
        found = _solution(g.poly) if isinstance(g, Cmp) and g.op == "eq" else None
        if found is not None:
            one = dict([found])
            out = {k: subst(v, dict(one)) for k, v in out.items()} | one
    return out


def _solution(p: Int) -> tuple[Atom, Int] | None:
    """A symbol that the equation `p == 0` gives, and its value; the last in order of those there are."""
    if len(p.terms) > MAX_TERMS + 1 or any(True for _ in apps(p, op="load")):
        return None
    if any(x.scope is not Scope.LAUNCH for x in symbols(p)):
        return None
    options = []
    for m, c in p.terms:
        if len(m) == 1 and abs(c) == 1 and isinstance(m[0], Sym):
            rest = add(p, mul(of_atom(m[0]), -c))
            if m[0] not in symbols(rest):
                options.append((m[0], neg(rest) if c > 0 else rest))
    return max(options, key=lambda o: o[0].order) if options else None


def rewritten(facts: Iterable[Bool], solved: Solved) -> list[Bool]:
    """The facts over the terms, with the bounds that the replaced symbols had."""
    out = [subst(f, dict(solved)) for f in facts]
    for a, t in solved.items():
        out += [ge(t, a.lo)] if a.lo is not None else []
        out += [le(t, a.hi)] if a.hi is not None else []
    return [f for f in dict.fromkeys(out) if f != TRUE]
