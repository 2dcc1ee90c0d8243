"""Terms printed as Python that a host can run.

The text means the term, given `trunc_div` and `trunc_mod` (C's division) and `product`; a term of
more than MAX_WEIGHT nodes is printed with `...` in place of its inner parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Union

from gpulint.term.node import App, Atom, Bool, Cmp, Int, Junction, Literal, Mono, Sym

MAX_WEIGHT = 2000
INFIX = {"floordiv": "//", "mod": "%", "pow": "**"}
NAMES = {"truncdiv": "trunc_div", "truncmod": "trunc_mod"}
Summand = tuple[Mono, int]


def show(term: Union[Int, Bool, Atom]) -> str:
    """The term as a Python expression over the names of its symbols."""
    if isinstance(term, Int):
        return _sum(term.terms)
    if isinstance(term, Cmp):
        return _compare(term)
    if isinstance(term, Junction):
        return _junction(term)
    if isinstance(term, Literal):
        if term.atom is None:
            return "False" if term.negated else "True"
        return ("not " if term.negated else "") + _atom(term.atom)
    assert isinstance(term, (Sym, App))
    return _atom(term)


def _junction(j: Junction) -> str:
    if j.weight > MAX_WEIGHT:
        return f"(... {j.op} ...)"
    parts = (f"({show(a)})" if isinstance(a, Junction) else show(a) for a in j.args)
    return f" {j.op} ".join(parts)


def _compare(c: Cmp) -> str:
    """Positive terms on the left, negative ones on the right; `+ 1` folds into a strict relation."""
    left = [(m, k) for m, k in c.poly.terms if k > 0 and m]
    right = [(m, -k) for m, k in c.poly.terms if k < 0 and m]
    k = c.poly.constant
    if c.op == "le":
        if not left:
            return f"{_side(right)} >= {k}"
        if k == 1 and right:
            return f"{_side(left)} < {_side(right)}"
    sign = {"le": "<=", "eq": "==", "ne": "!="}[c.op]
    if not left:
        left, right, k = right, left, -k
    if k > 0 and right:
        left.append(((), k))
    elif k:
        right.append(((), -k))
    return f"{_side(left)} {sign} {_side(right)}"


def _side(terms: Sequence[Summand]) -> str:
    """A sum beside a comparison; a lone conditional expression needs parentheses there."""
    text = _sum(terms)
    if len(terms) == 1 and terms[0][1] == 1 and _is(terms[0][0], "select"):
        return f"({text})"
    return text


def _sum(terms: Sequence[Summand]) -> str:
    """Positive terms first, then the constant if nothing else is positive, then the negative ones."""
    if not terms:
        return "0"
    if len(terms) == 1 and terms[0][1] == 1 and len(terms[0][0]) == 1:
        return _atom(terms[0][0][0])
    positive = [t for t in terms if t[0] and t[1] > 0]
    negative = [t for t in terms if t[0] and t[1] < 0]
    constant = [t for t in terms if not t[0]]
    leads = not positive and any(k > 0 for _, k in constant)
    ordered = [*constant, *negative] if leads else [*positive, *negative, *constant]
    out = ""
    for mono, coeff in ordered:
        body = _product(mono, abs(coeff))
        if out:
            out += f" {'+' if coeff > 0 else '-'} {body}"
        else:
            out = body if coeff > 0 else f"-{body}"
    return out


def _product(mono: Mono, coeff: int) -> str:
    names = [f"({_atom(a)})" if _loose(a) else _atom(a) for a in mono]
    if coeff != 1 or not names:
        names.insert(0, str(coeff))
    return " * ".join(names)


def _is(mono: Mono, op: str) -> bool:
    return len(mono) == 1 and isinstance(mono[0], App) and mono[0].op == op


def _loose(a: Atom) -> bool:
    """Whether the atom's text falls apart beside another operator."""
    return isinstance(a, App) and (a.op in INFIX or a.op == "select")


def _operand(t: Int) -> str:
    """The text of an operand of `//`, `%` or `**`."""
    text = _sum(t.terms)
    top = t.atom
    closed = (top is not None and not _loose(top)) or (t.value is not None and t.value >= 0)
    return text if closed else f"({text})"


def _atom(a: Atom) -> str:
    if isinstance(a, Sym):
        return a.name
    if a.weight > MAX_WEIGHT:
        return f"{a.data or a.op}(...)"
    if a.op in INFIX:
        return f"{_operand(a.args[0])} {INFIX[a.op]} {_operand(a.args[1])}"
    if a.op == "select":
        then, other = (_branch(t) for t in a.args[1:])
        return f"{then} if {show(a.args[0])} else {other}"
    inner = ", ".join(show(x) for x in a.args)
    if a.op == "load":
        return f"{a.data}[{inner}]"
    return f"{a.data if a.op == 'fn' else NAMES.get(a.op, a.op)}({inner})"


def _branch(t: Int) -> str:
    top = t.atom
    return f"({show(t)})" if isinstance(top, App) and top.op == "select" else show(t)
