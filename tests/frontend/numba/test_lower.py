"""What the golden cases do not show: spans, options, closures, limits, other files."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels import PRELUDE, kernel

from gpulint.frontend.numba import lower
from gpulint.ir import nodes as n
from gpulint.ir.check import check
from gpulint.ir.types import INT32, INT64, UNKNOWN, ArrayType
from gpulint.ir.walk import statements
from gpulint.source.kernels import find
from gpulint.source.load import load
from gpulint.source.model import Module
from gpulint.source.resolve import Project


def unsupported(k: n.Kernel) -> list[n.Unsupported]:
    return [s for s in statements(k.body) if isinstance(s, n.Unsupported)]


def test_span_of_a_store_is_its_target() -> None:
    k = kernel("@cuda.jit\ndef k(x):\n    x[0] = 1\n")
    (store,) = [s for s in statements(k.body) if isinstance(s, n.Store)]
    row = PRELUDE.count("\n") + 3
    assert (store.span.row, store.span.column, store.span.end_column) == (row, 4, 8)


def test_inlined_span_carries_the_call() -> None:
    text = "def f(a, i):\n    a[i] = 1\n\n@cuda.jit\ndef k(x):\n    f(x, 0)\n"
    (store,) = [s for s in statements(kernel(text).body) if isinstance(s, n.Store)]
    first = PRELUDE.count("\n")
    assert store.span.row == first + 2
    assert [c.row for c in store.span.calls] == [first + 6]
    assert store.span.outermost.row == first + 6


def test_calls_are_innermost_first() -> None:
    text = "def g(a):\n    a[0] = 1\n\ndef f(a):\n    g(a)\n\n@cuda.jit\ndef k(x):\n    f(x)\n"
    (store,) = [s for s in statements(kernel(text).body) if isinstance(s, n.Store)]
    first = PRELUDE.count("\n")
    assert [c.row - first for c in store.span.calls] == [5, 9]


def test_header_covers_decorators_and_signature() -> None:
    k = kernel("@cuda.jit(fastmath=True)\ndef k(\n    x,\n):\n    x[0] = 1\n")
    first = PRELUDE.count("\n")
    assert (k.header.row - first, k.header.end_row - first) == (1, 4)
    assert ("fastmath", "True") in k.options


def test_rank_of_grid_is_an_option() -> None:
    k = kernel("@cuda.jit\ndef k(x):\n    i, j = cuda.grid(2)\n    x[i, j] = 1\n")
    assert ("rank", "2") in k.options


def test_closures_are_marked() -> None:
    text = "def make(m, data):\n    @cuda.jit\n    def k(x):\n        x[m] = data[m]\n    return k\n"
    k = kernel(text, "k")
    assert [o for o in k.options if o[0] == "closure"] == [("closure", "data"), ("closure", "m")]
    assert {p.name: p.type for p in k.params}["data"] == ArrayType(UNKNOWN, 1)


def test_two_products_of_a_factory_keep_their_own_values() -> None:
    text = (
        "def adder(d):\n    def f(v):\n        return v + d\n    return f\n\n"
        "one, two = adder(1), adder(2)\n\n@cuda.jit\ndef k(x):\n    x[0] = one(10)\n    x[1] = two(10)\n"
    )
    values = [s.value for s in statements(kernel(text, "k").body) if isinstance(s, n.Store)]
    assert [v.value for v in values if isinstance(v, n.Const)] == [11, 12]


def test_factory_of_a_kernel_function_by_condition() -> None:
    text = (
        "def make(flag):\n    if flag:\n        def f(v):\n            return v\n    else:\n"
        "        def f(v):\n            return -v\n    @cuda.jit\n    def k(x):\n        x[0] = f(x[1])\n"
        "    return k\n"
    )
    k = kernel(text, "k")
    assert not unsupported(k)
    (store,) = [s for s in statements(k.body) if isinstance(s, n.Store)]
    assert isinstance(store.value, n.Choose)


def test_rank_comes_from_the_device_function() -> None:
    text = "def f(row):\n    return row[0]\n\n@cuda.jit\ndef k(x):\n    x[0, 0] = f(x[1])\n"
    k = kernel(text)
    assert k.params[0].type == ArrayType(UNKNOWN, 2)


def test_a_float_position_is_no_integer_division() -> None:
    text = "@cuda.jit\ndef k(x, out, dx):\n    i = cuda.grid(1)\n    out[int((x[i] - 0.5) / dx)] = 1\n"
    (store,) = [s for s in statements(kernel(text).body) if isinstance(s, n.Store)]
    assert isinstance(store.subscripts[0], n.Cast)


def test_comparison_with_a_thread_index_makes_an_integer() -> None:
    text = (
        "@cuda.jit\ndef k(x, rows, cols, dt):\n    i = cuda.grid(1)\n"
        "    if i < rows * cols:\n        x[i] *= dt\n"
    )
    types = {p.name: p.type for p in kernel(text).params}
    assert types["rows"] == types["cols"] == INT64
    assert types["dt"] == UNKNOWN


def test_thread_coordinates_are_32_bits_and_sums_64() -> None:
    text = "@cuda.jit\ndef k(x):\n    i = cuda.threadIdx.x\n    j = i + i\n    x[i] = j\n"
    assigns = {s.target: s.value for s in statements(kernel(text).body) if isinstance(s, n.Assign)}
    assert assigns["i"].type == INT32
    assert assigns["j"].type == INT64


def test_what_is_not_handled_leaves_the_rest() -> None:
    text = "@cuda.jit\ndef k(x, y):\n    z = x.astype(np.int32)\n    y[0] = 1\n"
    k = kernel(text)
    (gap,) = unsupported(k)
    assert (gap.reason, gap.arrays, gap.targets) == ("the array method astype", ("x",), ("z",))
    assert any(isinstance(s, n.Store) for s in statements(k.body))


@pytest.mark.parametrize(
    ("value", "reasons"),
    [("f(i - 1)", []), ("g[i] + f(i - 1)", ["recursion through f"]), ("h(f(i))", ["recursion through f"])],
)
def test_recursion_is_a_value_among_numbers_alone(value: str, reasons: list[str]) -> None:
    text = f"@cuda.jit(device=True)\ndef f(i):\n    return {value}\n\n@cuda.jit\ndef k(x):\n    x[0] = f(3)\n"
    assert [u.reason for u in unsupported(kernel(text))] == reasons


def test_a_parameter_with_numbers_and_nested_items_is_a_tuple() -> None:
    text = "@cuda.jit\ndef k(r, x):\n    r[0] = x[0][1]\n    r[1] = x[1]\n"
    assert not unsupported(kernel(text)) and {"x[0]", "x[1]"} <= {p.name for p in kernel(text).params}
    plain = "@cuda.jit\ndef k(r, x):\n    r[0] = x[0][1]\n    r[1] = x[1][0]\n"
    assert "x" in {p.name for p in kernel(plain).params}


def test_deep_inlining_ends() -> None:
    functions = "".join(f"def f{i}(v):\n    return f{i + 1}(v)\n\n" for i in range(60))
    text = functions + "def f60(v):\n    return v\n\n@cuda.jit\ndef k(x):\n    x[0] = f0(1)\n"
    assert "more than 32 deep" in unsupported(kernel(text))[0].reason


def test_too_many_statements_give_one_unsupported() -> None:
    body = "".join(f"    x[{i}] = x[{i + 1}]\n" for i in range(11_000))
    k = kernel("@cuda.jit\ndef k(x):\n" + body)
    assert len(k.body) == 1
    (gap,) = unsupported(k)
    assert "more than 20000 statements" in gap.reason
    assert gap.arrays == ("x",)


def test_exponential_inlining_ends() -> None:
    functions = "".join(f"def f{i}(a):\n    f{i + 1}(a)\n    f{i + 1}(a)\n\n" for i in range(25))
    text = functions + "def f25(a):\n    a[0] += 1\n\n@cuda.jit\ndef k(x):\n    f0(x)\n"
    assert len(kernel(text).body) == 1


def test_long_sums_and_deep_nesting() -> None:
    long = " + ".join(["x[0]"] * 400)
    deep = "(1 + " * 120 + "x[0]" + ")" * 120
    k = kernel(f"@cuda.jit\ndef k(x):\n    x[1] = {long}\n    x[2] = {deep}\n    x[3] = 1\n")
    assert check(k) == []
    assert sum(isinstance(s, n.Store) for s in statements(k.body)) >= 2


def test_nested_loops_that_widen_stay_small() -> None:
    text = "@cuda.jit\ndef k(x, n):\n    s = 0\n"
    for depth in range(8):
        text += "    " * (depth + 1) + f"for i{depth} in range(n):\n"
    text += "    " * 9 + "s += x[i0] * 0.5\n    x[0] = s\n"
    assert len(list(statements(kernel(text).body))) < 30


@pytest.mark.parametrize("call", ["f", "helpers.f", "moved"])
def test_device_functions_of_another_file(tmp_path: Path, call: str) -> None:
    (tmp_path / "helpers.py").write_text("N = 5\ndef f(a):\n    a[N] = 1\n")
    (tmp_path / "main.py").write_text(
        "from numba import cuda\nimport helpers\nfrom helpers import f\nfrom helpers import f as moved\n"
        f"@cuda.jit\ndef k(x):\n    {call}(x)\n"
    )
    project = Project((tmp_path,))
    module = load(tmp_path / "main.py")
    assert isinstance(module, Module)
    k = lower(find(module, project)[0], project)
    (store,) = [s for s in statements(k.body) if isinstance(s, n.Store)]
    assert store.subscripts[0] == n.Const(5, INT64)
    assert store.span.filename.endswith("helpers.py")


def test_a_store_through_a_shadowed_parameter() -> None:
    k = kernel("@cuda.jit\ndef k(x):\n    x = x[1:]\n    x[0] = 1\n")
    assert check(k) == []
    (view,) = [s for s in statements(k.body) if isinstance(s, n.View)]
    (store,) = [s for s in statements(k.body) if isinstance(s, n.Store)]
    assert store.array == view.target != "x"


def test_a_record_parameter_that_is_assigned_is_memory() -> None:
    k = kernel("@cuda.jit\ndef k(r):\n    r.a = 1\n    r.b[0] = r.a\n")
    assert {p.name: p.type for p in k.params} == {
        "r.a": ArrayType(UNKNOWN, 0),
        "r.b": ArrayType(UNKNOWN, 1),
    }
    assert not unsupported(k)


def test_an_array_that_the_kernel_makes_is_its_own() -> None:
    k = kernel("@cuda.jit\ndef k(x):\n    t = np.zeros(3, np.float32)\n    x[0] = t[1]\n")
    (alloc,) = [s for s in statements(k.body) if isinstance(s, n.Alloc)]
    assert alloc.type.space == "local"
    assert sum(isinstance(s, n.Store) for s in statements(k.body)) == 2  # zeros, and x[0]


def test_lambdas_and_nested_functions() -> None:
    text = (
        "@cuda.jit\ndef k(x, m):\n    def put(i, v):\n        x[i] = v + m\n    g = lambda v: v * 2\n"
        "    put(1, g(3))\n"
    )
    k = kernel(text)
    (store,) = [s for s in statements(k.body) if isinstance(s, n.Store)]
    assert store.subscripts[0] == n.Const(1, INT64)
    assert not unsupported(k)


def test_a_gap_does_not_change_how_later_statements_are_typed() -> None:
    text = (
        "@cuda.jit\ndef k(x, y, a, b):\n    for i in range(x.reshape(1)):\n        x[0] = 1\n"
        "    y[0] = a * b\n"
    )
    k = kernel(text)
    assert len(unsupported(k)) == 1
    (store,) = [s for s in statements(k.body) if isinstance(s, n.Store)]
    assert store.value.type == UNKNOWN


def test_a_gap_names_arrays_that_a_nested_function_reaches() -> None:
    text = (
        "@cuda.jit\ndef k(x, y, n):\n    def f(i):\n        x[i] = 1\n        return f(i - 1)\n"
        "    y[0] = f(n) + undefined_thing(y)\n"
    )
    assert "x" in unsupported(kernel(text))[0].arrays


def test_a_constant_table_has_the_rank_that_the_source_gives() -> None:
    text = (
        "T = np.ones((2, 3))\n\n@cuda.jit\ndef k(x):\n    c = cuda.const.array_like(T)\n    x[0] = c[1, 2]\n"
    )
    assert not unsupported(kernel(text))
