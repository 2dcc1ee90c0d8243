"""The arguments of a call matched with the parameters of a function, as Python does it."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

V = TypeVar("V")


def matched(
    a: ast.arguments, positional: Sequence[V], keywords: Mapping[str, V],
    collect: Callable[[tuple[V, ...]], V], default: Callable[[ast.expr], V],
) -> dict[str, V] | None:  # fmt: skip
    """One value a parameter; None when the call does not fit.

    `collect` makes the value of `*args`, `default` that of a default's expression. Keywords that no
    parameter has are left out.
    """
    names = [p.arg for p in (*a.posonlyargs, *a.args)]
    if len(positional) > len(names) and a.vararg is None:
        return None
    out: dict[str, V] = dict(zip(names, positional, strict=False))
    if a.vararg is not None:
        out[a.vararg.arg] = collect(tuple(positional[len(names) :]))
    wanted = [*names, *(k.arg for k in a.kwonlyargs)]
    out.update({k: v for k, v in keywords.items() if k in wanted})
    defaults = dict(zip(names[len(names) - len(a.defaults) :], a.defaults, strict=False))
    defaults.update({p.arg: d for p, d in zip(a.kwonlyargs, a.kw_defaults, strict=False) if d is not None})
    for name, expression in defaults.items():
        if name not in out:
            out[name] = default(expression)
    return out if all(name in out for name in wanted) else None
