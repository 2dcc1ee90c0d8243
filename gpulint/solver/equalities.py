"""Facts that are equations, solved: one name for what the host says is equal.

`a.shape[0] == b.shape[0]` or `s.shape[0] == cdiv(m, 128)` leave two names for one number, and elimination
tries every way between them. Here each equation gives one launch symbol as a term over others, and that
term is put in its place. Exact: the symbol has that value wherever the facts hold; the symbol's own
bounds stay as facts about the term.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gpulint.term import (
    TRUE,
    ZERO,
    Atom,
    Bool,
    Cmp,
    Int,
    Scope,
    Sym,
    add,
    apps,
    eq,
    floordiv,
    ge,
    le,
    mod,
    mul,
    neg,
    subst,
    sym,
    symbols,
)
from gpulint.term.build import of_atom

MAX_TERMS = 4  # monomials of what replaces a symbol
Solved = dict[Atom, Int]


def solve(facts: Sequence[Bool]) -> Solved:
    """A term over other symbols for each symbol that some equation gives; acyclic."""
    out: Solved = {}
    equal = [f for f in facts if isinstance(f, Cmp) and f.op == "eq"]
    again = [f for f in equal if apps(f, op="mod")]  # what others say of a quotient may make it a symbol
    for f in (*equal, *again):
        g = subst(f, dict(out))
        found = _solution(g.poly) if isinstance(g, Cmp) and g.op == "eq" else None
        one = dict([found]) if found is not None else {}
        if isinstance(g, Cmp) and not one:
            one = _multiple(g, [subst(x, dict(out)) for x in facts])
        if one:
            out = {k: subst(v, dict(one)) for k, v in out.items()} | one
    return out


def _multiple(f: Cmp, facts: Sequence[Bool]) -> Solved:
    """A size as a product, where the equation says that a number divides it; with its quotient and rest."""
    rests = [a for a in apps(f) if a.op == "mod" and f == eq(of_atom(a), 0)]
    halves = [a for a in apps(f) if a.op == "floordiv" and f == eq(a.args[0], mul(of_atom(a), a.args[1]))]
    for a in (*rests, *halves):
        n, b = a.args
        top, low = n.atom, b.atom
        plain = isinstance(top, Sym) and top.scope is Scope.LAUNCH and not top.boolean and b.value != 1
        if not plain or not isinstance(top, Sym) or top in symbols(b) or not _least(b, 1, facts):
            continue
        if b.value is None and not (isinstance(low, Sym) and low.scope is Scope.LAUNCH):
            continue
        least = 1 if _least(n, 1, facts) else 0 if _least(n, 0, facts) else None
        q = sym(f"{n} // {b}", Scope.LAUNCH, least)
        out: Solved = {top: mul(b, q)}
        out.update(dict.fromkeys(apps(floordiv(n, b), op="floordiv"), q))
        out.update(dict.fromkeys(apps(floordiv(add(n, b, -1), b), op="floordiv"), q))
        out.update(dict.fromkeys(apps(mod(n, b), op="mod"), ZERO))
        return out
    return {}


def _least(t: Int, floor: int, facts: Sequence[Bool]) -> bool:
    """Whether a term is known to be at least a number, without any search."""
    return (t.lo is not None and t.lo >= floor) or ge(t, floor) in facts


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
        if not isinstance(a, Sym):
            continue
        out += [ge(t, a.lo)] if a.lo is not None else []
        out += [le(t, a.hi)] if a.hi is not None else []
    return [f for f in dict.fromkeys(out) if f != TRUE]
