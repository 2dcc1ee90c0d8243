"""Applications, and what bounds them: a term too deep or too large becomes opaque.

Whatever code is analysed, no term nests deeper or grows larger than the limits here, so every
traversal of terms may recurse.
"""

from __future__ import annotations

from gpulint.term.node import App, Int, Junction, Literal, Sym, digest, intern

MAX_DEPTH = 40  # nested applications and junctions
MAX_WEIGHT = 4000  # nodes of an application or junction, shared parts counted each time


def application(
    op: str, data: str, args: tuple[object, ...], lo: int | None = None, hi: int | None = None
) -> App:
    """The application with these arguments as they are, or the unknown in its place."""
    app = intern(App, (op, data, args, lo, hi))
    return cut(app, lo, hi) if too_deep(app) else app


def too_deep(term: App | Junction) -> bool:
    """Whether the term exceeds the limits."""
    return term.depth > MAX_DEPTH or term.weight > MAX_WEIGHT


def cut(term: App | Junction, lo: int | None, hi: int | None) -> App:
    """An unknown in place of a term that is nested too deeply or too large: equal for equal terms.

    It stays a function of the term's symbols, so that renaming or substituting those still tells
    the points of a launch apart. Sound: any value within the bounds is allowed for.
    """
    inner = sorted(_symbols(term), key=lambda s: s.order)
    args = tuple(intern(Int, (((_number(s),), 1),)) for s in inner)
    return intern(App, ("fn", f"deep#{digest(term.order)}", args, lo, hi))


def _number(s: Sym) -> Sym | App:
    """The symbol as an integer: a condition is one or zero."""
    if not s.boolean:
        return s
    one, zero = intern(Int, (((), 1),)), intern(Int, ())
    return intern(App, ("select", "", (intern(Literal, (s, False)), one, zero), 0, 1))


def _symbols(term: App | Junction) -> set[Sym]:
    from gpulint.term.walk import symbols

    return symbols(intern(Literal, (term, False)) if isinstance(term, App) else term)
