"""Symbolic integers and conditions: normal form, intervals, substitution, printing as Python.

Everything here is a mathematical integer; widths are an obligation of their own (no-wrap).
No other room is known here.
"""

from gpulint.term.build import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    absolute,
    add,
    and_,
    bool_app,
    bool_sym,
    cdiv,
    const,
    eq,
    floordiv,
    fn,
    ge,
    gt,
    implies,
    le,
    load,
    lt,
    maximum,
    minimum,
    mod,
    mul,
    ne,
    neg,
    not_,
    or_,
    power,
    select,
    sub,
    sym,
    truncdiv,
    truncmod,
)
from gpulint.term.evaluate import Unbound, evaluate, holds
from gpulint.term.node import App, Atom, Bool, Cmp, Int, Junction, Literal, Scope, Sym
from gpulint.term.show import show
from gpulint.term.walk import apps, conjuncts, rename, subst, symbols

__all__ = [
    "FALSE", "ONE", "TRUE", "ZERO",
    "App", "Atom", "Bool", "Cmp", "Int", "Junction", "Literal", "Scope", "Sym", "Unbound",
    "absolute", "add", "and_", "apps", "bool_app", "bool_sym", "cdiv", "conjuncts", "const", "eq",
    "evaluate", "floordiv", "fn", "ge", "gt", "holds", "implies", "le", "load", "lt", "maximum",
    "minimum", "mod", "mul", "ne", "neg", "not_", "or_", "power", "rename", "select", "show", "sub",
    "subst", "sym", "symbols", "truncdiv", "truncmod",
]  # fmt: skip
