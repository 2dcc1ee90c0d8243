"""Terms to SMT-LIB: quotients and remainders made explicit, products of symbols uninterpreted.

Products become `mul(a, b)` with the instances of the lemmas that the products at hand suggest:

- sign: `a >= 0` and `b >= 0` give `mul(a, b) >= 0`;
- step: `a < b` and `w >= 0` give `mul(a, w) + w <= mul(b, w)`; with `w >= 1` this is injectivity and
  monotonicity, with a bounded second digit it is the radix lemma;
- unit: `mul(0, w) == 0`, `mul(1, w) == w`, `mul(q, w) >= w` from `q >= 1`, `<= -w` from `q <= -1`;
- commutativity, for products of two launch symbols;
- distributivity: `mul(a + b, w) == mul(a, w) + mul(b, w)`, where a product's factor is a sum.

Exclusive or is a function of which only its inverse is told: `a ^ w == c` is `c ^ w == a`, so that it is
injective and partners by it are mutual; `a ^ w == a` only for `w == 0`.

Each lemma is true of real arithmetic, so an unsatisfiable answer is a proof. A satisfiable one
says nothing until real products were put in. A quotient `x // w` is a fresh `q` with
`x == mul(q, w) + r`, `0 <= r < w` under `w >= 1`; where the divisor's sign is not known the quotient stays
an unconstrained function of its arguments, which is weaker, so still sound.

The encoding is text: building it costs a fraction of what Z3's Python objects do.
"""

from __future__ import annotations

from collections.abc import Iterable

from gpulint.term import App, Atom, Bool, Cmp, Int, Junction, Literal, Scope, Sym
from gpulint.term.build import monomial
from gpulint.term.node import Mono, intern

MAX_PRODUCTS = 16  # products sharing a factor, above which step lemmas are not instantiated
WIDEST_XOR = 12  # bits: more than a thread index or an element of a tile has
INLINE = 48  # characters of an application that is not given a name of its own
LONG = 400  # and of a condition


class Encoder:
    """One encoding. With `exact` the products are real ones: for models, where a solution must be true."""

    def __init__(self, exact: bool = False) -> None:
        self.exact = exact
        self.atoms: dict[Atom, str] = {}
        self._head = {"(declare-fun mul (Int Int) Int)": None}  # declarations and definitions
        self._sides: dict[str, None] = {}
        self._products: dict[str, dict[str, None]] = {}  # factor: the quotients it multiplies
        self._ints: dict[Int, str] = {}
        self._booleans: dict[Bool, str] = {}
        self._xors: dict[tuple[str, str], str] = {}

    def script(self, claims: Iterable[Bool]) -> str:
        """Declarations, claims, and the definitions and lemmas that they need."""
        texts = [self.boolean(c) for c in claims]
        asserted = [*texts, *self._sides, *self._lemmas(), *self._partners()]
        return "\n".join([*self._head, *(f"(assert {t})" for t in asserted)])

    def boolean(self, c: Bool) -> str:
        if isinstance(c, Cmp):
            p = self.integer(c.poly)
            return {"le": f"(<= {p} 0)", "eq": f"(= {p} 0)", "ne": f"(not (= {p} 0))"}[c.op]
        if isinstance(c, Junction):
            if c not in self._booleans:  # what the host code says shares parts, many times over
                text = f"({c.op} {' '.join(self.boolean(a) for a in c.args)})"
                self._booleans[c] = self._named(text, LONG, "Bool")
            return self._booleans[c]
        assert isinstance(c, Literal)
        if c.atom is None:
            return "false" if c.negated else "true"
        lit = self._predicate(c.atom)
        return f"(not {lit})" if c.negated else lit

    def integer(self, t: Int) -> str:
        if t not in self._ints:
            self._ints[t] = self._polynomial(t)
        return self._ints[t]

    def _atom(self, a: Atom) -> str:
        if a not in self.atoms:
            text = self._symbol(a) if isinstance(a, Sym) else self._named(self._app(a))
            self.atoms[a] = text
            if a.lo is not None:
                self._sides[f"(>= {text} {number(a.lo)})"] = None
            if a.hi is not None:
                self._sides[f"(<= {text} {number(a.hi)})"] = None
        return self.atoms[a]

    def _named(self, text: str, most: int = INLINE, sort: str = "Int") -> str:
        """A short name for a long text, so that it is written once."""
        if len(text) <= most:
            return text
        name = f"app{len(self._head)}"
        self._head[f"(define-fun {name} () {sort} {text})"] = None
        return name

    def _symbol(self, s: Sym) -> str:
        name = symbol_name(s)
        self._head[f"(declare-const {name} {'Bool' if s.boolean else 'Int'})"] = None
        return name

    def _predicate(self, a: Atom) -> str:
        if isinstance(a, Sym):
            return self._symbol(a)
        return self._call(f"pred {a.op} {a.data}", [self.integer(x) for x in a.args], "Bool")

    def _call(self, name: str, args: list[str], sort: str = "Int") -> str:
        quoted = quote(f"{name}/{len(args)}")
        self._head[f"(declare-fun {quoted} ({' '.join(['Int'] * len(args))}) {sort})"] = None
        return f"({quoted} {' '.join(args)})" if args else quoted

    def _app(self, a: App) -> str:
        if a.op == "select":
            return f"(ite {self.boolean(a.args[0])} {self.integer(a.args[1])} {self.integer(a.args[2])})"
        args = [self.integer(x) for x in a.args]
        if a.op in ("min", "max"):
            out, relation = args[0], "<" if a.op == "min" else ">"
            for x in args[1:]:
                out = f"(ite ({relation} {x} {out}) {x} {out})"
            return out
        if a.op in ("floordiv", "mod"):
            return self._division(a, args[0], args[1])
        text = self._call(f"{a.op} {a.data}", args)
        if a.op == "fn" and a.data == "xor":
            self._xors[args[0], args[1]] = text
        return text

    def _division(self, a: App, x: str, w: str) -> str:
        divisor = a.args[1].value
        if divisor is not None and divisor > 0:
            return f"({'div' if a.op == 'floordiv' else 'mod'} {x} {w})"
        q = self._call("quotient", [x, w])
        r = f"(- {x} {self._times(q, w)})"
        self._sides[f"(=> (>= {w} 1) (and (<= 0 {r}) (< {r} {w})))"] = None
        return q if a.op == "floordiv" else r

    def _times(self, a: str, b: str) -> str:
        if self.exact:
            return f"(* {a} {b})"
        self._products.setdefault(b, {})[a] = None
        return f"(mul {a} {b})"

    def _scaled(self, quotient: Int, w: Atom) -> str:
        """`quotient * w`, tied to the products of its monomials by distributivity."""
        factor = self._atom(w)
        whole = self._times(self.integer(quotient), factor)
        other = quotient.atom
        if self.exact:
            return whole
        if other is not None and _launch(other) and _launch(w):
            self._sides[f"(= {whole} {self._times(factor, self._atom(other))})"] = None
        if other is None and quotient.value is None:
            parts = [f"(* {number(quotient.constant)} {factor})"]
            for mono, coeff in quotient.terms:
                if mono:
                    inner = self._times(self.integer(monomial(mono)), factor)
                    parts.append(f"(* {number(coeff)} {inner})")
            self._sides[f"(= {whole} (+ {' '.join(parts)}))"] = None
        return whole

    def _polynomial(self, t: Int) -> str:
        parts: list[str] = []
        rest: list[tuple[Mono, int]] = []
        for mono, coeff in t.terms:
            if len(mono) > 1:
                rest.append((mono, coeff))
            elif mono:
                parts.append(_times_number(coeff, self._atom(mono[0])))
        while rest:
            w = _factor(rest)
            inner = [(_drop(m, w), c) for m, c in rest if w in m]
            rest = [(m, c) for m, c in rest if w not in m]
            sign = -1 if inner[0][1] < 0 else 1
            quotient = intern(Int, tuple(sorted(((m, c * sign) for m, c in inner), key=_order)))
            parts.append(_times_number(sign, self._scaled(quotient, w)))
        if t.constant or not parts:
            parts.append(number(t.constant))
        return parts[0] if len(parts) == 1 else f"(+ {' '.join(parts)})"

    def _lemmas(self) -> list[str]:
        """Sign, unit and step lemmas for the products encoded."""
        out: list[str] = []
        for w, uses in self._products.items():
            quotients = list(uses)
            for q in quotients:
                p = f"(mul {q} {w})"
                out += [
                    f"(=> (>= {w} 0) (and (=> (>= {q} 0) (>= {p} 0)) (=> (>= {q} 1) (>= {p} {w}))"
                    f" (=> (<= {q} 0) (<= {p} 0)) (=> (<= {q} (- 1)) (<= {p} (- {w})))))",
                    f"(=> (or (= {q} 0) (= {w} 0)) (= {p} 0))",
                    f"(=> (= {q} 1) (= {p} {w}))",
                ]
            if len(quotients) > MAX_PRODUCTS:
                continue
            for i, a in enumerate(quotients):
                for b in quotients[i + 1 :]:
                    left, right = f"(mul {a} {w})", f"(mul {b} {w})"
                    out.append(
                        f"(=> (>= {w} 0) (and (=> (< {a} {b}) (<= (+ {left} {w}) {right}))"
                        f" (=> (< {b} {a}) (<= (+ {right} {w}) {left}))))"
                    )
        return out

    def _partners(self) -> list[str]:
        """What `xor` is to its operands, and two of them to each other; it has no more bits than those."""
        out: list[str] = []
        for (a, b), t in self._xors.items():
            for k in range(1, WIDEST_XOR + 1):
                fits = [f"(<= 0 {x}) (< {x} {1 << k})" for x in (a, b, t)]
                out.append(f"(=> (and {fits[0]} {fits[1]}) (and {fits[2]}))")
        terms = [(t, *pair) for (a, b), t in self._xors.items() for pair in ((a, b), (b, a))]
        for i, (t, a, w) in enumerate(terms):
            out.append(f"(= (= {t} {a}) (= {w} 0))")
            if len(terms) > MAX_PRODUCTS:
                continue
            for u, b, v in terms[i + 1 :]:
                same = f"(and (= (= {t} {u}) (= {a} {b})) (= (= {t} {b}) (= {u} {a})))"
                out.append(f"(=> (= {w} {v}) {same})")
        return out


def number(n: int) -> str:
    return str(n) if n >= 0 else f"(- {-n})"


def quote(name: str) -> str:
    """A quoted SMT-LIB symbol; bars and backslashes, which it cannot hold, are replaced."""
    return "|" + name.replace("|", "!").replace("\\", "/") + "|"


def symbol_name(s: Sym) -> str:
    """The name of a symbol: distinct symbols (by name, scope and bounds) have distinct names."""
    bounds = f"{'' if s.lo is None else s.lo}:{'' if s.hi is None else s.hi}"
    return quote(f"{s.name} {s.scope.value} {bounds}{' b' if s.boolean else ''}")


def load_name(array: str, rank: int) -> str:
    """The function that stands for the elements of an array, unquoted."""
    return quote(f"load {array}/{rank}")[1:-1]


def _times_number(k: int, text: str) -> str:
    return text if k == 1 else f"(* {number(k)} {text})"


def _factor(rest: list[tuple[Mono, int]]) -> Atom:
    """The atom to draw out: a launch symbol shared by most monomials, else the most shared."""
    counts: dict[Atom, int] = {}
    for m, _ in rest:
        for a in set(m):
            counts[a] = counts.get(a, 0) + 1

    def rank(a: Atom) -> tuple[int, int, str]:
        return (0 if _launch(a) else 1, -counts[a], a.order)

    return min(counts, key=rank)


def _launch(a: Atom) -> bool:
    return isinstance(a, Sym) and a.scope is Scope.LAUNCH


def _drop(m: Mono, a: Atom) -> Mono:
    left = list(m)
    left.remove(a)
    return tuple(left)


def _order(item: tuple[Mono, int]) -> tuple[int, list[str]]:
    return (len(item[0]), [a.order for a in item[0]])
