"""The normal form means what it was built from: random expressions against plain Python."""

from __future__ import annotations

import pickle
import re

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from gpulint import term as t
from gpulint.term import node
from gpulint.term.evaluate import trunc_div
from gpulint.term.interval import bounds
from gpulint.term.node import clear

pytestmark = pytest.mark.filterwarnings("ignore::hypothesis.errors.HypothesisWarning")

BOUNDS = {"a": (None, None), "b": (0, None), "c": (1, 6), "d": (-4, 4), "x.size": (0, 9)}
SYMS = {n: t.sym(n, lo=lo, hi=hi) for n, (lo, hi) in BOUNDS.items()}
FLAG = t.bool_sym("flag")
VALUES = st.fixed_dictionaries(
    {n: st.integers(-9 if lo is None else lo, 9 if hi is None else hi) for n, (lo, hi) in BOUNDS.items()}
    | {"flag": st.booleans()}
)
LEAVES = st.one_of(
    st.integers(-6, 6).map(lambda v: ("const", v)), st.sampled_from(sorted(SYMS)).map(lambda n: ("sym", n))
)
BINARY = ("add", "sub", "mul", "floordiv", "mod", "truncdiv", "truncmod", "min", "max", "cdiv")
COMPARE = ("lt", "le", "gt", "ge", "eq", "ne")


def conditions(numbers):
    compare = st.tuples(st.sampled_from(COMPARE), numbers, numbers)
    leaf = st.one_of(compare, st.just(("flag",)))
    return st.recursive(
        leaf,
        lambda c: st.one_of(st.tuples(st.just("not"), c), st.tuples(st.sampled_from(("and", "or")), c, c)),
        max_leaves=4,
    )


def grow(numbers):
    return st.one_of(
        st.tuples(st.sampled_from(BINARY), numbers, numbers),
        st.tuples(st.just("select"), conditions(numbers), numbers, numbers),
        st.tuples(st.just("power"), numbers, st.integers(0, 3).map(lambda v: ("const", v))),
        st.tuples(st.just("power"), st.just(("const", 2)), st.just(("sym", "c"))),
        st.tuples(st.sampled_from(("neg", "abs")), numbers),
    )


NUMBERS = st.recursive(LEAVES, grow, max_leaves=10)
CONDITIONS = conditions(NUMBERS)

MAKE = {
    "add": t.add, "sub": t.sub, "mul": t.mul, "floordiv": t.floordiv, "mod": t.mod, "truncdiv": t.truncdiv,
    "truncmod": t.truncmod, "min": t.minimum, "max": t.maximum, "cdiv": t.cdiv, "power": t.power,
    "neg": t.neg, "abs": t.absolute, "select": t.select, "lt": t.lt, "le": t.le, "gt": t.gt, "ge": t.ge,
    "eq": t.eq, "ne": t.ne, "not": t.not_, "and": t.and_, "or": t.or_,
}  # fmt: skip
PLAIN = {
    "add": lambda x, y: x + y, "sub": lambda x, y: x - y, "mul": lambda x, y: x * y,
    "floordiv": lambda x, y: x // y, "mod": lambda x, y: x % y, "truncdiv": trunc_div,
    "truncmod": lambda x, y: x - trunc_div(x, y) * y, "min": min, "max": max,
    "cdiv": lambda x, y: (x + y - 1) // y, "power": pow, "neg": lambda x: -x, "abs": abs,
    "lt": lambda x, y: x < y, "le": lambda x, y: x <= y, "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y, "eq": lambda x, y: x == y, "ne": lambda x, y: x != y,
    "not": lambda x: not x, "and": lambda x, y: x and y, "or": lambda x, y: x or y,
    "select": lambda c, x, y: x if c else y,
}  # fmt: skip


def build(e):
    if e[0] == "const":
        return t.const(e[1])
    if e[0] == "sym":
        return SYMS[e[1]]
    if e[0] == "flag":
        return FLAG
    return MAKE[e[0]](*map(build, e[1:]))


def compute(e, values):
    """The value by plain Python; ZeroDivisionError for a zero divisor anywhere, taken or not."""
    if e[0] == "const":
        return e[1]
    if e[0] in ("sym", "flag"):
        return values[e[-1]]
    return PLAIN[e[0]](*[compute(x, values) for x in e[1:]])


def environment(values):
    env = {s.atom: values[n] for n, s in SYMS.items()}
    env[FLAG.atom] = int(values["flag"])
    return env


def value_of(term, values):
    read = t.evaluate if isinstance(term, t.Int) else t.holds
    return read(term, environment(values))


def computed(e, values):
    try:
        return compute(e, values)
    except ZeroDivisionError:
        assume(False)


EITHER = st.one_of(NUMBERS, CONDITIONS)


@settings(max_examples=200, deadline=None)
@given(EITHER, VALUES)
def test_a_term_has_the_value_of_its_expression(e, values):
    expected = computed(e, values)
    assert value_of(build(e), values) == expected


@settings(max_examples=100, deadline=None)
@given(NUMBERS, VALUES)
def test_static_bounds_hold_the_value(e, values):
    expected = computed(e, values)
    term = build(e)
    assert term.lo is None or term.lo <= expected
    assert term.hi is None or expected <= term.hi


@settings(max_examples=100, deadline=None)
@given(NUMBERS, VALUES, st.data())
def test_narrowed_bounds_hold_the_value(e, values, data):
    expected = computed(e, values)
    narrowed = {}
    for s in SYMS.values():
        v = values[s.atom.name]
        narrowed[s.atom] = (data.draw(st.integers(v - 3, v)), data.draw(st.integers(v, v + 3)))
    lo, hi = bounds(build(e), narrowed)
    assert (lo is None or lo <= expected) and (hi is None or expected <= hi)


@settings(max_examples=133, deadline=None)
@given(EITHER, VALUES)
def test_printed_terms_are_python_of_the_same_value(e, values):
    expected = computed(e, values)
    text = re.sub(r"\bx\.size\b", "x_size", t.show(build(e)))
    names = {k.replace(".", "_"): v for k, v in values.items()}
    functions = {"trunc_div": trunc_div, "trunc_mod": PLAIN["truncmod"], "min": min, "max": max}
    assert eval(text, {"__builtins__": {}}, {**functions, **names}) == expected


@settings(max_examples=133, deadline=None)
@given(EITHER, st.dictionaries(st.sampled_from(sorted(SYMS)), NUMBERS, min_size=1), VALUES)
def test_substitution_commutes_with_evaluation(e, replacements, values):
    new = {n: computed(r, values) for n, r in replacements.items()}
    for n, v in new.items():  # a symbol's bounds are promises that the replacement keeps
        lo, hi = BOUNDS[n]
        assume((lo is None or lo <= v) and (hi is None or v <= hi))
    expected = computed(e, {**values, **new})
    mapping = {SYMS[n].atom: build(r) for n, r in replacements.items()}
    assert value_of(t.subst(build(e), mapping), values) == expected


@settings(max_examples=66, deadline=None)
@given(EITHER, CONDITIONS, VALUES)
def test_a_condition_takes_the_place_of_a_boolean_symbol(e, c, values):
    expected = computed(e, {**values, "flag": computed(c, values)})
    assert value_of(t.subst(build(e), {FLAG.atom: build(c)}), values) == expected


@settings(max_examples=66, deadline=None)
@given(EITHER, VALUES)
def test_renaming_apart_and_back_is_the_identity(e, values):
    expected = computed(e, values)
    there = {s.atom: t.sym(s.atom.name + "'", t.Scope.POINT, *BOUNDS[s.atom.name]) for s in SYMS.values()}
    back = {v.atom: k for k, v in there.items()}
    renamed = t.rename(build(e), lambda s: there[s].atom if s in there else None)
    assert not t.symbols(renamed) & set(there)
    assert value_of(t.rename(renamed, back.get), values) == expected


@settings(max_examples=66, deadline=None)
@given(EITHER)
def test_equal_terms_are_one_object_even_after_pickling(e):
    term = build(e)
    assert build(e) is term
    assert pickle.loads(pickle.dumps(term)) is term


@settings(max_examples=60, deadline=None)
@given(EITHER)
def test_a_new_epoch_gives_equal_terms_with_equal_order(e):
    term, text, before = build(e), pickle.dumps(build(e)), dict(node._table)
    try:
        clear()
        again = pickle.loads(text)
    finally:
        node._table.update(before)
    assert again == term
    assert again.order == term.order


@settings(max_examples=66, deadline=None)
@given(CONDITIONS, VALUES)
def test_negation_is_the_opposite(c, values):
    expected = computed(c, values)
    condition = build(c)
    assert value_of(t.not_(condition), values) == (not expected)
    assert t.or_(condition, t.not_(condition)) == t.TRUE or isinstance(condition, t.Junction)


@settings(max_examples=60, deadline=None)
@given(st.lists(NUMBERS, min_size=2, max_size=4), st.randoms(use_true_random=False))
def test_sums_and_products_do_not_depend_on_the_order(es, random):
    terms = [build(e) for e in es]
    shuffled = list(terms)
    random.shuffle(shuffled)
    assert t.add(*terms) is t.add(*shuffled)
    assert t.mul(terms[0], terms[1]) is t.mul(terms[1], terms[0])
