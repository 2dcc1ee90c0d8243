"""The nodes: hash-consed, immutable integer polynomials over atoms, and conditions over them.

An `Int` is a polynomial with integer coefficients; its monomials are products of atoms. An atom is
a symbol or an application (`floordiv`, `mod`, `min`, `max`, `select`, `load`, ...). A `Bool` is a
literal, a comparison of a polynomial with zero, or a conjunction or disjunction. Build them with
the functions of `gpulint.term.build`, which normalise; never by calling the classes.

Equal terms are the same object within one interning epoch (`clear` starts a new one); equality
falls back on structure, so that terms of different epochs still compare.
"""

from __future__ import annotations

import enum
import hashlib
from typing import Any, TypeVar, Union, cast
from zlib import crc32


class Scope(enum.Enum):
    """How far the value of a symbol is shared between the points of one launch."""

    LAUNCH = "launch"  # one value for the whole launch: parameters, extents, block and grid sizes
    BLOCK = "block"  # one value a block: block indices
    POINT = "point"  # one value a point: thread indices, lanes, opaque values of a point
    LOOP = "loop"  # a loop counter of a point


MAX_ORDER = 160  # characters of a sort key before its tail becomes a digest
MAX_WEIGHT = 1 << 40


def bounded_order(text: str) -> str:
    """A sort key of bounded length, the same in every process and different for different texts."""
    if len(text) <= MAX_ORDER:
        return text
    return f"{text[: MAX_ORDER - 40]}#{digest(text)}"


def digest(text: str) -> str:
    """A fingerprint of a text: the same in every process."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).hexdigest()


class _Node:
    """Shared by every node: a structural key, a cached hash, a sort key and its size.

    `depth` counts nested applications and junctions; `weight` is the number of nodes of the term
    written out as a tree (shared parts counted each time), saturating.
    """

    __slots__ = ("_hash", "_holds", "depth", "key", "order", "weight")
    _hash: int
    _holds: tuple[frozenset[Sym], frozenset[str]] | None  # see `holds`
    key: tuple[Any, ...]
    order: str
    depth: int
    weight: int

    def _measure(self, parts: list[Any], own_depth: int) -> None:
        self.depth = own_depth + max((p.depth for p in parts), default=0)
        self.weight = min(MAX_WEIGHT, 1 + sum(p.weight for p in parts))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, _Node) or self._hash != other._hash:
            return False
        return self.key == other.key

    def __repr__(self) -> str:
        from gpulint.term.show import show

        return show(self)  # type: ignore[arg-type]

    def __reduce__(self) -> tuple[Any, ...]:
        return (_rebuild, (type(self), self.key))


N = TypeVar("N", bound=_Node)
_table: dict[tuple[Any, ...], _Node] = {}
_permanent: list[_Node] = []


def clear() -> None:
    """Forget the interned nodes, so that a long run over many files keeps bounded memory.

    The constants of `build` (TRUE, FALSE, ZERO, ONE) stay the same objects.
    """
    _table.clear()
    _table.update((n.key, n) for n in _permanent)


def keep(node: N) -> N:
    """Let `node` outlive `clear`."""
    _permanent.append(node)
    return node


def intern(cls: type[N], key: tuple[Any, ...]) -> N:
    """Return the one node of class `cls` with this key, made if it is new."""
    full = (cls, *key)
    found = _table.get(full)
    if found is None:
        found = cls.__new__(cls)
        found.key = full
        found._init(*key)  # type: ignore[attr-defined]
        # not `hash`, which differs from process to process: sets of nodes are walked, and what is
        # asked of Z3, and in which order, must not vary
        found._hash = crc32(found.order.encode(errors="surrogatepass"))
        _table[full] = found
        found._holds = None
    return cast(N, found)


def _rebuild(cls: type[N], key: tuple[Any, ...]) -> N:
    return intern(cls, key[1:])


class Sym(_Node):
    """A named unknown. `name` is what a user reads; `lo` and `hi` are inclusive static bounds."""

    __slots__ = ("boolean", "hi", "lo", "name", "scope")
    name: str
    scope: Scope
    lo: int | None
    hi: int | None
    boolean: bool

    def _init(self, name: str, scope: Scope, lo: int | None, hi: int | None, boolean: bool) -> None:
        self.name, self.scope, self.lo, self.hi, self.boolean = name, scope, lo, hi, boolean
        self.order = f"{name}|{scope.value}|{lo}|{hi}|{boolean:d}"
        self._measure([], 0)


class App(_Node):
    """An application that the polynomial normal form does not look into.

    `op` is one of floordiv, mod, truncdiv, truncmod, min, max, select, load, fn, pow; `data` is
    the array of a load, the name of a fn (`product` is the product of its two arguments, kept closed
    because it is too large to multiply out). A select's first argument is a Bool, all others are Int.
    floordiv, mod, truncdiv and truncmod have a divisor that is assumed not to be zero.
    """

    __slots__ = ("args", "data", "hi", "lo", "op")
    op: str
    data: str
    args: tuple[Any, ...]
    lo: int | None
    hi: int | None

    def _init(self, op: str, data: str, args: tuple[Any, ...], lo: int | None, hi: int | None) -> None:
        self.op, self.data, self.args, self.lo, self.hi = op, data, args, lo, hi
        self.order = bounded_order(f"{op}:{data}({','.join(a.order for a in args)})|{lo}|{hi}")
        self._measure(list(args), 1)


Atom = Union[Sym, App]
Mono = tuple[Atom, ...]


class Int(_Node):
    """A polynomial: `terms` are (monomial, coefficient) pairs, constant first; `lo`, `hi` static bounds."""

    __slots__ = ("hi", "lo", "terms")
    terms: tuple[tuple[Mono, int], ...]
    lo: int | None
    hi: int | None

    def _init(self, *terms: tuple[Mono, int]) -> None:
        from gpulint.term.interval import of_terms

        self.terms = terms
        self.order = bounded_order("+".join(f"{c:x}*{'*'.join(a.order for a in m)}" for m, c in terms))
        self._measure([a for m, _ in terms for a in m], 0)
        self.lo, self.hi = of_terms(terms)

    @property
    def value(self) -> int | None:
        """The number this is, or None when it is not constant."""
        if not self.terms:
            return 0
        if len(self.terms) == 1 and not self.terms[0][0]:
            return self.terms[0][1]
        return None

    @property
    def constant(self) -> int:
        """The constant part of the polynomial."""
        return self.terms[0][1] if self.terms and not self.terms[0][0] else 0

    @property
    def atom(self) -> Atom | None:
        """The single atom this is, with coefficient one, or None."""
        if len(self.terms) == 1:
            (mono, coeff) = self.terms[0]
            if coeff == 1 and len(mono) == 1:
                return mono[0]
        return None

    @property
    def linear(self) -> bool:
        """Whether every monomial has at most one atom."""
        return all(len(m) <= 1 for m, _ in self.terms)

    def __add__(self, other: Int | int) -> Int:
        from gpulint.term.build import add, as_int

        return add(self, as_int(other))

    def __radd__(self, other: int) -> Int:
        return self + other

    def __sub__(self, other: Int | int) -> Int:
        from gpulint.term.build import as_int, sub

        return sub(self, as_int(other))

    def __rsub__(self, other: int) -> Int:
        from gpulint.term.build import as_int, sub

        return sub(as_int(other), self)

    def __mul__(self, other: Int | int) -> Int:
        from gpulint.term.build import as_int, mul

        return mul(self, as_int(other))

    def __rmul__(self, other: int) -> Int:
        return self * other

    def __neg__(self) -> Int:
        from gpulint.term.build import neg

        return neg(self)


class Bool(_Node):
    """A condition: `Literal`, `Cmp` or `Junction`."""

    __slots__ = ()


class Literal(Bool):
    """A boolean symbol or application, possibly negated; with no atom, true (or, negated, false)."""

    __slots__ = ("atom", "negated")
    atom: Atom | None
    negated: bool

    def _init(self, atom: Atom | None, negated: bool) -> None:
        self.atom, self.negated = atom, negated
        self.order = bounded_order(("!" if negated else "") + (atom.order if atom else "true"))
        self._measure([atom] if atom else [], 0)


class Cmp(Bool):
    """A polynomial compared with zero; `op` is le, eq or ne."""

    __slots__ = ("op", "poly")
    op: str
    poly: Int

    def _init(self, op: str, poly: Int) -> None:
        self.op, self.poly = op, poly
        self.order = bounded_order(f"{op}({poly.order})")
        self._measure([poly], 0)


class Junction(Bool):
    """A conjunction (`op` and) or disjunction (`op` or) of two or more conditions.

    `negation` is its negation once `build.not_` has made it.
    """

    __slots__ = ("args", "negation", "op")
    op: str
    args: tuple[Bool, ...]
    negation: Bool | None

    def _init(self, op: str, args: tuple[Bool, ...]) -> None:
        self.op, self.args, self.negation = op, args, None
        self.order = bounded_order(f"{op}({','.join(a.order for a in args)})")
        self._measure(list(args), 1)


def holds(t: _Node) -> tuple[frozenset[Sym], frozenset[str]]:
    """The symbols and the operators of applications that occur anywhere in a term; found once a node."""
    stack = [t]
    while stack:
        top = stack[-1]
        if top._holds is None:
            parts = _parts(top)
            missing = [p for p in parts if p._holds is None]
            if missing:
                stack += missing
                continue
            top._holds = _joined(top, [p._holds for p in parts if p._holds is not None])
        stack.pop()
    assert t._holds is not None
    return t._holds


def _parts(t: _Node) -> list[_Node]:
    if isinstance(t, Int):
        return [a for m, _ in t.terms for a in m]
    if isinstance(t, Cmp):
        return [t.poly]
    if isinstance(t, (App, Junction)):
        return list(t.args)
    return [t.atom] if isinstance(t, Literal) and t.atom is not None else []


def _joined(
    t: _Node, parts: list[tuple[frozenset[Sym], frozenset[str]]]
) -> tuple[frozenset[Sym], frozenset[str]]:
    if isinstance(t, Sym):
        return frozenset((t,)), frozenset()
    own = frozenset((t.op,)) if isinstance(t, App) else frozenset[str]()
    if len(parts) == 1 and own <= parts[0][1]:
        return parts[0]
    return frozenset().union(*(s for s, _ in parts)), own.union(*(ops for _, ops in parts))
