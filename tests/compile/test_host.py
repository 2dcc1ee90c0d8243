"""Compiled code against the reference interpreter, run on the host: no GPU is needed."""

from __future__ import annotations

import itertools
import re

import pytest
from kernels import kernel

from gpulint import interp
from gpulint.compile.proofs import Proofs, licences
from gpulint.compile.signature import parse
from gpulint.compile.typing import typed
from gpulint.contract.clause import Clause
from gpulint.dataflow import analyse
from gpulint.interp.launch import ConcreteArray, ConcreteLaunch
from gpulint.ir.nodes import Kernel
from gpulint.solver.decide import decide
from gpulint.solver.options import Options

pytest.importorskip("llvmlite")
from compile import host
from fuzz.check import satisfies
from fuzz.generate import seeded
from fuzz.launches import launches

ONE = ((1, 1, 1), (1, 1, 1))


def both(text: str, signature: str, launch: ConcreteLaunch) -> tuple[dict, dict]:
    """The elements that the interpreter wrote, and those of the compiled code at the same places."""
    k = kernel(text.replace("@cuda.jit", f'@cuda.jit("void({signature})")'))
    outcome = interp.run(k, launch)
    assert outcome.complete, outcome
    found = host.run(k, signature, launch)
    wanted = {name: written for name, written in outcome.written.items() if name in found and written}
    got = {}
    for name, written in wanted.items():
        shape = launch.arrays[name].shape
        got[name] = {at: found[name][flat(at, shape)] for at in written}
    return wanted, got


def flat(at: tuple[int, ...], shape: tuple[int, ...]) -> int:
    out = 0
    for i, extent in zip(at, shape, strict=True):
        out = out * extent + i
    return out


INTEGERS = (
    "a + b", "a - b", "a * b", "a // b", "a % b", "b // a", "b % a", "-a", "~a", "abs(a)", "a << 3", "a >> 2",
    "a & b", "a | b", "a ^ b", "min(a, b)", "max(a, b)", "a ** 3", "a // 7", "a % 7", "a // -7", "a % -7",
    "int(a / b)", "a if a < b else b", "1 if a <= b else 0", "1 if a != b else 0", "a * a // b - b",
    "int(a > 0) + int(b > 0)", "(a > 2) & (b < 3)", "1 if not a else 2", "math.floor(a / 2.0)",
    "math.ceil(a / 2.0)", "int(a * 0.5)", "round(a / 3.0)", "int(np.int32(a)) // 2", "np.int64(a) * 3",
    "np.uint32(abs(a)) >> 1", "np.int8(a % 100) + 1", "1 if np.uint64(abs(a)) > b else 0",
)  # fmt: skip
PAIRS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (1, 3), (100, -9), (-1, 1), (-6, 3), (5, 7)]


@pytest.mark.parametrize("kind", ["int64", "int32"])
def test_integer_arithmetic_is_the_interpreters(kind: str) -> None:
    lines = "".join(f"    out[i, {k}] = {e}\n" for k, e in enumerate(INTEGERS))
    text = f"@cuda.jit\ndef k(x, y, out):\n    i = cuda.grid(1)\n    a = x[i]\n    b = y[i]\n{lines}"
    given = {
        "x": ConcreteArray((len(PAIRS),), lambda at: PAIRS[at[0]][0]),
        "y": ConcreteArray((len(PAIRS),), lambda at: PAIRS[at[0]][1]),
        "out": ConcreteArray((len(PAIRS), len(INTEGERS))),
    }
    launch = ConcreteLaunch((1, 1, 1), (len(PAIRS), 1, 1), given, {})
    wanted, got = both(text, f"{kind}[::1], {kind}[::1], int64[:, ::1]", launch)
    assert len(wanted["out"]) == len(PAIRS) * len(INTEGERS)
    different = {
        (INTEGERS[at[1]], PAIRS[at[0]]): (v, got["out"][at])
        for at, v in wanted["out"].items()
        if got["out"][at] != v
    }
    assert not different


FLOATS = (
    "a + b", "a / b", "a - 2", "a * 3", "a // b", "a % b", "-a", "abs(a)", "min(a, b)", "max(a, b)",
    "a ** 2", "a ** -2", "a ** 0.5 if a > 0 else 0.0", "math.sqrt(abs(a))", "math.exp(b)", "math.sin(a)",
    "math.tanh(a)", "math.erf(b)", "math.log(abs(a) + 1.0)", "math.atan2(a, b)", "float(int(a))",
    "math.floor(a) + 0.5", "a if a < b else b", "np.float64(a) * b", "math.copysign(a, b)",
)  # fmt: skip
NUMBERS = [(1.5, 2.0), (-1.5, 2.0), (5.25, -0.5), (-7.5, -2.25), (0.25, 1.0)]


@pytest.mark.parametrize("kind", ["float32", "float64"])
def test_float_arithmetic_is_near_the_interpreters(kind: str) -> None:
    lines = "".join(f"    out[i, {k}] = {e}\n" for k, e in enumerate(FLOATS))
    text = f"@cuda.jit\ndef k(x, y, out):\n    i = cuda.grid(1)\n    a = x[i]\n    b = y[i]\n{lines}"
    given = {
        "x": ConcreteArray((len(NUMBERS),), lambda at: NUMBERS[at[0]][0]),
        "y": ConcreteArray((len(NUMBERS),), lambda at: NUMBERS[at[0]][1]),
        "out": ConcreteArray((len(NUMBERS), len(FLOATS))),
    }
    launch = ConcreteLaunch((1, 1, 1), (len(NUMBERS), 1, 1), given, {})
    wanted, got = both(text, f"{kind}[::1], {kind}[::1], float64[:, ::1]", launch)
    assert len(wanted["out"]) == len(NUMBERS) * len(FLOATS)
    for at, v in wanted["out"].items():
        near = pytest.approx(v, rel=1e-5 if kind == "float32" else 1e-13, abs=1e-6)
        assert got["out"][at] == near, (FLOATS[at[1]], NUMBERS[at[0]])


CONTROL = """
@cuda.jit
def k(out, n):
    i = cuda.grid(1)
    total = 0
    for j in range(n, -n, -3):
        if j == 0:
            continue
        if j < -5 + i:
            break
        total += j
    k = 0
    while True:
        k += 2
        if k > i:
            break
    for j in range(i, 9, i + 1):
        total = total * 2 + j
    part = out[1::2]
    part[i] = total + k
    out[2 * i] = total - k
"""


def test_control_flow_and_views_are_the_interpreters() -> None:
    launch = ConcreteLaunch((2, 1, 1), (2, 1, 1), {"out": ConcreteArray((9,))}, {"n": 8})
    wanted, got = both(CONTROL, "int64[:], int64", launch)
    assert len(wanted["out"]) == 8
    assert wanted == got


VIEWS = """
@cuda.jit
def k(x, out):
    i = cuda.grid(1)
    row = x[i, 1:]
    other = x[1 - i] if i < 1 else x[i, ::-1]
    turned = x.T
    out[i, 0] = row.size + 10 * row.shape[0] + 100 * len(other)
    out[i, 1] = row[0]
    out[i, 2] = other[1]
    out[i, 3] = turned[2, i] + turned.shape[0] * turned.shape[1] + turned.size
    out[i, 4] = x[i, -3:-1][1] + x[:, 1][i] + x[i, 9:].size
"""


def test_sizes_and_elements_of_views_are_the_interpreters() -> None:
    given = {"x": ConcreteArray((2, 4), lambda at: 7 * at[0] + at[1]), "out": ConcreteArray((2, 5))}
    wanted, got = both(VIEWS, "int64[:, ::1], int64[:, ::1]", ConcreteLaunch((1, 1, 1), (2, 1, 1), given, {}))
    assert len(wanted["out"]) == 10
    assert None not in wanted["out"].values()
    assert wanted == got


def test_another_arrangement_of_a_whole_array() -> None:
    text = (
        "@cuda.jit\ndef k(x, out):\n    i = cuda.grid(1)\n    flat = x.reshape(6)\n"
        "    out[i] = flat[i] + flat.size\n"
    )
    given = {"x": ConcreteArray((2, 3), lambda at: 7 * at[0] + at[1]), "out": ConcreteArray((6,))}
    launch = ConcreteLaunch((1, 1, 1), (6, 1, 1), given, {})
    wanted, got = both(text, "int64[:, ::1], int64[::1]", launch)
    assert wanted == got == {"out": {(k,): 7 * (k // 3) + k % 3 + 6 for k in range(6)}}


def test_a_local_that_turns_from_integer_to_float_in_a_loop() -> None:
    text = (
        "@cuda.jit\ndef k(x, out):\n    total = 0\n    for j in range(x.size):\n        total += x[j]\n"
        "    out[0] = total\n"
    )
    given = {"x": ConcreteArray((4,), lambda at: at[0] + 0.5), "out": ConcreteArray((1,))}
    wanted, got = both(text, "float32[::1], float32[::1]", ConcreteLaunch(*ONE, given, {}))
    assert wanted == got == {"out": {(0,): 8.0}}


def test_negative_subscripts_count_from_the_end() -> None:
    text = "@cuda.jit\ndef k(out):\n    i = cuda.grid(1)\n    out[-1 - i] = i\n"
    launch = ConcreteLaunch((1, 1, 1), (3, 1, 1), {"out": ConcreteArray((3,), lambda at: 9)}, {})
    wanted, got = both(text, "int32[:]", launch)
    assert wanted == got == {"out": {(2,): 0, (1,): 1, (0,): 2}}


ATOMICS = """
@cuda.jit
def k(x, out):
    i = cuda.grid(1)
    cuda.atomic.add(out, 0, x[i])
    cuda.atomic.sub(out, 1, x[i])
    cuda.atomic.max(out, 2, x[i])
    cuda.atomic.min(out, 3, x[i])
    cuda.atomic.xor(out, 4, x[i])
    cuda.atomic.or_(out, 5, x[i])
    cuda.atomic.inc(out, 6, 2)
    cuda.atomic.exch(out, 7, 5)
    cuda.atomic.cas(out, 8, 8, 3)
"""


def test_atomics_are_the_interpreters() -> None:
    given = {"x": ConcreteArray((5,), lambda at: 3 * at[0] + 1), "out": ConcreteArray((9,), lambda at: at[0])}
    launch = ConcreteLaunch((1, 1, 1), (5, 1, 1), given, {})
    wanted, got = both(ATOMICS, "uint32[::1], uint32[::1]", launch)
    assert wanted == got


def licensed(k: Kernel) -> tuple[Proofs, tuple[Clause, ...]]:
    """What the proof of a verified kernel allows, and the contract that it holds under."""
    accesses = analyse(k)
    result = decide(k, accesses, (), Options())
    if result.status != "verified":
        return Proofs(), ()
    return licences(k, accesses, result, Options()), (*result.declared, *result.inferred)


@pytest.mark.parametrize(("seed", "proved"), [(14, True), (19, True), (20, True), (17, False), (71, False)])
def test_random_programs_do_as_the_interpreter(seed: int, proved: bool) -> None:
    """Where no check of the interpreter fails; with the licences of the proof, within its contract."""
    program = seeded(seed)
    roles = {a.name: a for a in program.arrays}
    plain = kernel(program.text)
    if "Barrier" in repr(plain):
        pytest.skip("threads that wait for each other")
    types = [
        f"{roles[p.name].dtype}[{', '.join([':'] * (roles[p.name].ndim - 1) + ['::1'])}]"
        if p.is_array
        else "int64"
        for p in plain.params
    ]
    head = f'@cuda.jit("void({", ".join(types)})")\ndef k('
    k = typed(kernel(re.sub(r"@cuda\.jit[^\n]*\ndef k\(", head, program.text)))
    proofs, clauses = licensed(k) if proved else (Proofs(), ())
    code = host.Host(host.module(k, parse(", ".join(types)), proofs))
    for launch in launches(program, 6):
        if not all(satisfies(c, k, launch) for c in clauses):
            continue
        outcome = interp.run(k, launch)
        if outcome.complete and all(v.kind == "negative-index" for v in outcome.violations):
            arguments, memory = host.arguments(k, parse(", ".join(types)), launch)
            code.run(launch.grid, launch.block, arguments)
            for name in set(outcome.written) & set(memory):
                for at, value in outcome.written[name].items():
                    if isinstance(value, (int, float)):
                        place = flat(at, launch.arrays[name].shape)
                        assert memory[name][place] == pytest.approx(value, rel=1e-4)


LEAST, MOST = -(2**63), 2**63 - 1
RANGES = [
    (0, 10, 3), (0, 9, 3), (0, 8, 3), (5, 5, 2), (6, 5, 2), (10, 0, -3), (9, 0, -3), (0, 9, -3), (0, 1, 100),
    (-7, 8, 5), (MOST - 9, MOST, 4), (LEAST, MOST, 2**62), (MOST, LEAST, -(2**62)), (LEAST, LEAST + 9, 4),
    (MOST, MOST - 8, -4), (0, MOST, 2**62 - 1), (LEAST, MOST, MOST), (3, -3, LEAST),
]  # fmt: skip


def trips(start: int, stop: int, step: int) -> list[int]:
    """What `range` gives; its length need not fit Python's own."""
    return list(itertools.islice(range(start, stop, step), 21))


@pytest.mark.parametrize("step", ["x[i, 2]", "4", "-4", "1"])
def test_loops_make_as_many_trips_as_python(step: str) -> None:
    """Ranges at the ends of 64 bits; with a step of its own each, or one that is in the source."""
    steps = [r[2] if step == "x[i, 2]" else int(step) for r in RANGES]
    found = [trips(r[0], r[1], by) for r, by in zip(RANGES, steps, strict=True)]
    rows = [(r, f) for r, f in zip(RANGES, found, strict=True) if len(f) < 20]
    text = f"""
@cuda.jit("void(int64[:, ::1], int64[:, ::1])")
def k(x, out):
    i = cuda.grid(1)
    count = 0
    last = 0
    for j in range(x[i, 0], x[i, 1], {step}):
        count += 1
        last = j
    out[i, 0] = count
    out[i, 1] = last
"""
    x = ConcreteArray((len(rows), 3), lambda at: rows[at[0]][0][at[1]])
    launch = ConcreteLaunch((1, 1, 1), (len(rows), 1, 1), {"x": x, "out": ConcreteArray((len(rows), 2))}, {})
    out = host.run(kernel(text), "int64[:, ::1], int64[:, ::1]", launch)["out"]
    assert len(rows) >= 3
    assert out == [v for _, f in rows for v in (len(f), f[-1] if f else 0)]


SPLIT = """
@cuda.jit
def k(x, e, out, exponents):
    i = cuda.grid(1)
    a = x[i]
    part, exponent = math.frexp(a)
    out[i, 0] = part
    exponents[i] = exponent * 2 + 1
    out[i, 1], out[i, 2] = math.modf(a)
    out[i, 3] = math.ldexp(a, e[i])
    out[i, 4] = math.ldexp(part, exponent)
    out[i, 5] = math.frexp(e[i])[0] + math.frexp(e[i])[1]
"""
VALUES = [0.0, 1.0, -1.0, 0.75, -3.5, 1024.0, 1e-3, -7.25, 3.0e37, 2.0**-140]


@pytest.mark.parametrize(("kind", "integer"), [("float64", "int64"), ("float32", "int32")])
def test_numbers_are_split_into_parts_as_in_the_interpreter(kind: str, integer: str) -> None:
    count = len(VALUES)
    given = {
        "x": ConcreteArray((count,), lambda at: VALUES[at[0]]),
        "e": ConcreteArray((count,), lambda at: at[0] - 5),
        "out": ConcreteArray((count, 6)), "exponents": ConcreteArray((count,)),
    }  # fmt: skip
    launch = ConcreteLaunch((1, 1, 1), (count, 1, 1), given, {})
    types = f"{kind}[::1], {integer}[::1], {kind}[:, ::1], int64[::1]"
    wanted, got = both(SPLIT, types, launch)
    assert got["exponents"] == wanted["exponents"] and None not in wanted["exponents"].values()
    assert wanted["exponents"][(5,)] == 23  # 1024 = 0.5 * 2**11
    for at, value in wanted["out"].items():
        assert value is not None and got["out"][at] == pytest.approx(value, rel=1e-6, abs=1e-37), at
    if kind == "float64":
        assert [got["out"][(k, 4)] for k in range(count)] == VALUES


@pytest.mark.parametrize(("kind", "name"), [("float32", "frexpf"), ("float64", "frexp")])
def test_the_function_of_the_operands_own_width_is_called(kind: str, name: str) -> None:
    types = f"{kind}[::1], int32[::1], {kind}[:, ::1], int64[::1]"
    text = SPLIT.replace("@cuda.jit", f'@cuda.jit("void({types})")')
    code = host.module(kernel(text), parse(types)).module.text()
    single = "f" if kind == "float32" else ""
    assert f"@{name}(" in code and f"@modf{single}(" in code and f"@ldexp{single}(" in code
