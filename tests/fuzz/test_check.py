"""The judge of verdicts: what counts as a contradiction, and when a launch meets a clause."""

from __future__ import annotations

from typing import Any

import pytest
from fuzz.check import contradictions, satisfies
from fuzz.launches import brute
from interp.build import GRID, at, cmp, kernel, launch, store, when

from gpulint.contract.clause import Clause
from gpulint.dataflow.access import Access, Array
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
from gpulint.ir import symbols
from gpulint.ir.types import INT64
from gpulint.solver.verdict import PROVED, REFUTED, UNDECIDED, UNDER, KernelResult, Obligation, Verdict
from gpulint.term import TRUE, ZERO, ge, le, load, lt

GUARDED = kernel(when(cmp("lt", GRID, "n"), store("x", GRID, row=3)), x=1, n=-1)
SIZE, N = symbols.extent("x", 0, 1), symbols.param("n")
X = Array("x", "global", INT64, (SIZE,), True, True, at(1))
GUARD = Clause(le(N, SIZE))


def access(row: int = 3) -> Access:
    i = symbols.thread(0)
    return Access(0, X, "write", (i,), ((i, SIZE),), TRUE, (), at(row))


def result(
    kind: str, *clauses: Clause, row: int = 3, property_: str = "in-range", **more: Any
) -> KernelResult:
    a = access(row)
    other = a if property_ == "disjoint" else None
    o = Obligation(property_, "write", at(row), a, other, axis=0 if property_ == "in-range" else None)
    return KernelResult((Verdict(o, kind, clauses=clauses, **more),), (), "verified")


def found(r: KernelResult, *launches: ConcreteLaunch) -> int:
    return len(contradictions(r, GUARDED, brute(GUARDED, launches)))


FITS = launch(block=4, x=3, scalars={"n": 3})
TOO_LARGE = launch(block=4, x=3, scalars={"n": 4})


def test_a_proved_access_that_leaves_its_array_is_a_contradiction() -> None:
    assert found(result(PROVED), FITS, TOO_LARGE) == 1
    assert found(result(PROVED), FITS) == 0


def test_clauses_excuse_the_launches_that_do_not_meet_them() -> None:
    assert found(result(UNDER, GUARD), FITS, TOO_LARGE) == 0
    assert found(result(UNDER, Clause(ge(N, SIZE))), TOO_LARGE) == 1


@pytest.mark.parametrize("kind", [UNDECIDED, REFUTED])
def test_only_claims_can_be_contradicted(kind: str) -> None:
    assert found(result(kind), TOO_LARGE) == 0


def test_other_places_and_properties_are_not_touched() -> None:
    assert found(result(PROVED, row=9), TOO_LARGE) == 0
    assert found(result(PROVED, property_="disjoint"), TOO_LARGE) == 0


def test_a_proved_pair_that_races_is_a_contradiction() -> None:
    k = kernel(store("x", 0, value=GRID, row=3), x=1)
    runs = brute(k, [launch(block=2, x=1)])
    assert len(contradictions(result(PROVED, property_="disjoint"), k, runs)) == 1


def test_writes_of_one_value_are_no_contradiction() -> None:
    k = kernel(store("x", 0, value=1, row=3), x=1)
    runs = brute(k, [launch(block=2, x=1)])
    assert runs[0][1].of("race")
    assert not contradictions(result(PROVED, property_="disjoint"), k, runs)


def test_the_assumption_of_no_empty_array() -> None:
    empty = launch(block=1, x=0, scalars={"n": 1})
    assert found(result(PROVED, assumptions=("non-empty",)), empty) == 0
    assert found(result(PROVED), empty) == 1


def test_declared_clauses_count_too() -> None:
    claimed = result(PROVED)
    declared = KernelResult(claimed.verdicts, (), "verified", declared=(GUARD,))
    assert found(declared, TOO_LARGE) == 0


def index(*values: int) -> ConcreteLaunch:
    return launch(idx=ConcreteArray((len(values),), lambda i: values[i[0]], dtype="int32"), scalars={"n": 4})


@pytest.mark.parametrize(
    ("clause", "values", "expected"),
    [
        (Clause(predicate="injective", arrays=("idx",)), (3, 1, 2), True),
        (Clause(predicate="injective", arrays=("idx",)), (3, 1, 3), False),
        (Clause(predicate="sorted", arrays=("idx",)), (1, 1, 2), True),
        (Clause(predicate="sorted", arrays=("idx",)), (2, 1), False),
        (Clause(predicate="within", arrays=("idx",), bounds=(ZERO, N)), (0, 3), True),
        (Clause(predicate="within", arrays=("idx",), bounds=(ZERO, N)), (0, 4), False),
        (Clause(predicate="min_cc", bounds=(N,)), (0,), None),
        (Clause(lt(load("idx", [ZERO]), N)), (3,), True),
        (Clause(lt(load("idx", [ZERO]), N)), (4,), False),
        (Clause(lt(load("idx", [N]), N)), (4,), None),
    ],
)  # fmt: skip
def test_clauses_on_a_launch(clause: Clause, values: tuple[int, ...], expected: bool | None) -> None:
    k = kernel(idx=1, n=-1)
    assert satisfies(clause, k, index(*values)) is expected


def test_noalias_looks_at_buffers() -> None:
    clause = Clause(predicate="noalias", arrays=("x", "y"))
    k = kernel(x=1, y=1)
    shared = {name: ConcreteArray((2,), buffer="b") for name in ("x", "y")}
    assert satisfies(clause, k, launch(x=2, y=2)) is True
    assert satisfies(clause, k, launch(**shared)) is False
