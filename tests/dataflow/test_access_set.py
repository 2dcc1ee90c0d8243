"""What an access set says besides subscripts and guards."""

from __future__ import annotations

from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.dataflow.access import AccessSet
from gpulint.dataflow.graph import MAX_NODES
from gpulint.ir import nodes as n
from gpulint.ir import symbols
from gpulint.ir.span import NOWHERE
from gpulint.ir.types import FLOAT32, INT32, INT64, ArrayType
from gpulint.term import evaluate, show


def found(body: str, params: str = "x, out, n"):
    inner = "\n".join("    " + row for row in body.strip("\n").split("\n"))
    return analyse(kernel(f"@cuda.jit\ndef k({params}):\n    i = cuda.grid(1)\n{inner}\n"))


def ir(*body, params=("x", "out")):
    """A kernel of hand-made statements over 1-D arrays and an integer n."""
    arrays = [n.Param(p, ArrayType(FLOAT32, 1)) for p in params]
    return n.Kernel("k", "k", "numba", (*arrays, n.Param("n", INT32)), body, NOWHERE, NOWHERE)


def const(value):
    return n.Const(value, INT64)


def repeat(*body):
    return n.For("k", const(0), n.Var("n", INT32), const(1), body, INT64)


def test_facts_bound_the_coordinates_in_use():
    facts = [show(f) for f in found("out[i] = 1.0").facts]
    assert "threadIdx.x < block.x" in facts and "blockIdx.x < grid.x" in facts
    assert not any("1024" in f or "y" in f for f in facts)


def test_two_axes_share_the_limit_of_threads():
    s = found("out[cuda.threadIdx.y, cuda.threadIdx.x] = 1.0")
    assert "block.x * block.y <= 1024" in map(show, s.facts)


def test_typed_parameters_fit_their_type():
    facts = [show(f) for f in analyse(ir(n.Store("out", (n.Var("n", INT32),), const(0)))).facts]
    assert "n <= 2147483647" in facts and "n >= -2147483648" in facts


def test_rank_is_that_of_the_coordinates():
    assert found("out[i] = 1.0").rank == 1
    assert analyse(kernel("@cuda.jit\ndef k(a):\n    i, j = cuda.grid(2)\n    a[i, j] = 1.0\n")).rank == 2
    assert analyse(kernel("@cuda.jit\ndef k(a):\n    a[0] = 1.0\n")).rank == 0


def test_a_write_knows_the_reads_it_depends_on():
    s = found("v = x[i]\nw = x[i + 1]\nout[i] = v * 2.0\nout[i] += 1.0")
    first, second, write, again, update = s.accesses
    assert write.reads == (first.index,) and second.mode == "read"
    assert update.reads == (again.index,)


def test_reads_flow_through_loops():
    s = found("acc = 0.0\nfor j in range(n):\n    acc += x[j]\nout[i] = acc")
    assert s.accesses[1].reads == (0,)


def test_a_value_that_is_known_is_a_term():
    s = found("out[i] = i + 1\nout[i] = x[i] * 0.5\nout[i] = out[i] * 0.5")
    assert show(s.accesses[0].value) == "threadIdx.x + block.x * blockIdx.x + 1"
    assert "x[_]" in show(s.accesses[2].value)
    assert s.accesses[-1].value is None  # read from an array that the kernel writes


def test_checks_hold_every_subscript_of_a_view():
    s = found("row = x[i]\nrow[n] = 1.0")
    assert [(show(a), show(b)) for a, b in s.accesses[0].checks] == [
        ("threadIdx.x + block.x * blockIdx.x", "x.shape[0]"),
        ("n", "x.shape[1]"),
    ]


def test_a_slice_is_checked_against_its_own_length():
    s = found("part = x[2:n]\nif n > 2:\n    part[i] = 1.0")
    assert show(s.accesses[0].checks[0][1]) == "max(0, min(n, x.size) - 2)"
    assert show(s.accesses[0].subscripts[0]) == "threadIdx.x + block.x * blockIdx.x + 2"


def test_the_last_element_as_a_slice_of_an_empty_array_is_empty():
    s = found("part = x[x.shape[0] - 1:]\npart[0] = 1.0")
    (extent,) = [e for _, e in s.accesses[0].checks]
    assert evaluate(extent, {symbols.extent("x", 0, 1).atom: 0}) == 0


def test_a_name_for_one_of_two_arrays_gives_both():
    choose = n.If(n.Compare("gt", n.Var("n", INT32), const(0)), (n.Alias("a", "x"),), (n.Alias("a", "out"),))
    s = analyse(ir(choose, n.Store("a", (const(0),), const(1))))
    assert [a.array.name for a in s.accesses] == ["x", "out"]
    assert not any(a.exact for a in s.accesses)


def test_swapped_buffers_may_be_either():
    swap = (n.Alias("t", "a"), n.Alias("a", "b"), n.Alias("b", "t"))
    loop = repeat(n.Store("a", (const(0),), const(1)), *swap)
    s = analyse(ir(n.Alias("a", "x"), n.Alias("b", "out"), loop))
    assert {a.array.name for a in s.accesses} == {"x", "out"}


def test_a_view_that_a_loop_rebinds_is_anywhere_in_its_base():
    narrow = n.View("a", "a", (n.Range(const(1), None, None),))
    loop = repeat(n.Store("a", (const(0),), const(1)), narrow)
    (a,) = analyse(ir(n.Alias("a", "x"), loop)).accesses
    assert a.array.name == "x" and not a.exact and show(a.subscripts[0]).startswith("some index of x")


def test_unsupported_statements_taint_their_arrays():
    s = analyse(ir(
        n.Unsupported("goto", ("x",), ("i",)), n.Load("v", "x", (const(0),), INT32),
        n.Store("out", (n.Var("v", INT32),), const(0)), n.Store("out", (n.Var("i"),), const(0)),
    ))  # fmt: skip
    assert s.tainted == {"x"} and s.arrays["x"].written
    assert s.unsupported[0][0] == "goto"
    assert all("x[" in show(a.subscripts[0]) or "i" in show(a.subscripts[0]) for a in s.accesses[1:])


def test_an_access_to_no_known_array_taints_all():
    s = analyse(ir(n.Store("mystery", (const(0),), const(1))))
    assert s.tainted == {"x", "out"} and "mystery" in s.unsupported[0][0]


def test_too_many_values_is_an_outcome():
    body = tuple(n.Assign("a", n.Unary("neg", n.Var("n", INT32), INT32)) for _ in range(MAX_NODES + 1))
    s = analyse(ir(*body))
    assert s.accesses == () and s.tainted == {"x", "out"} and "too many" in s.unsupported[0][0]


def test_too_deep_is_an_outcome():
    e: n.Expr = n.Var("n", INT32)
    for _ in range(5000):
        e = n.Unary("neg", e, INT32)
    s = analyse(ir(n.Store("out", (e,), const(0))))
    assert s.unsupported and s.tainted == {"x", "out"}


def test_a_long_chain_of_branches_stays_small():
    body = "v = 0\n" + "".join(f"if x[{j}] > 0.5:\n    v = v * 2 + {j}\n" for j in range(60)) + "out[v] = 1.0"
    s = found(body)
    assert len(show(s.accesses[-1].subscripts[0])) < 8000
    assert s.approximations and not s.accesses[-1].exact


def test_operations_of_a_guard_must_fit_everywhere():
    s = found("j = i * 4\nif j < n:\n    out[j] = 1.0")
    (op,) = [o for o in s.ops if o.text == "i * 4"]
    assert op.feeds == "guard" and show(op.guard) == "True"


def test_operations_of_an_address_must_fit_where_it_is_used():
    s = found("j = i * 4\nif i < n:\n    out[j] = 1.0")
    (op,) = [o for o in s.ops if o.text == "i * 4"]
    assert op.feeds == "address" and show(op.guard) == "threadIdx.x + block.x * blockIdx.x < n"


def test_values_that_reach_no_address_have_no_operations():
    s = found("j = i * 4\nout[i] = j")
    assert not [o for o in s.ops if o.text == "i * 4"]


def test_a_narrowing_cast_must_fit():
    cast = n.Cast(n.Var("n", INT64), INT32)
    s = analyse(ir(n.Store("out", (cast,), const(0))))
    assert not s.ops  # n is declared int32 here: nothing is narrowed
    wide = n.Cast(n.Binary("mul", n.Var("n", INT32), const(3), INT64), INT32)
    s = analyse(ir(n.Store("out", (wide,), const(0))))
    assert [(show(o.term), o.type) for o in s.ops] == [("3 * n", INT64), ("3 * n", INT32)]


def test_uniform_loops_and_barriers():
    s = found("for j in range(n):\n    cuda.syncthreads()\nif i < n:\n    cuda.syncthreads()")
    inside, divergent = s.syncs
    assert inside.uniform and inside.loops[0].barrier and inside.loops[0].uniform
    assert not divergent.uniform


def test_a_loop_over_the_thread_is_not_uniform():
    s = found("for j in range(i, n):\n    out[j] = 1.0")
    assert not s.accesses[0].loops[0].uniform and not s.accesses[0].loops[0].barrier


def test_a_barrier_moves_the_phase():
    s = found("out[i] = 1.0\ncuda.syncthreads()\nout[i] = 2.0")
    assert s.accesses[0].phase < s.accesses[1].phase


def test_extents_of_local_arrays_are_terms():
    s = found("t = cuda.local.array((3, 4), numba.float32)\nt[1, 2] = 1.0")
    assert [show(e) for e in s.arrays["t"].extents] == ["3", "4"] and not s.arrays["t"].is_param
    assert s.arrays["t"].space == "local"


def test_two_allocations_of_one_name_stay_apart():
    alloc = n.Alloc("t", ArrayType(FLOAT32, 1, "local"), (const(4),))
    s = analyse(ir(alloc, n.Store("t", (const(0),), const(1)), alloc, n.Store("t", (const(1),), const(1))))
    assert len({a.array.name for a in s.accesses}) == 2


def test_a_float_is_not_compared_as_an_integer():
    s = found("if x[i] > 0:\n    pass\nelse:\n    if x[i] < 1:\n        out[i] = 1.0")
    assert "gt(x[_], 0)" in show(s.accesses[-1].guard)  # 0.5 takes that path: it must not be ruled out


def test_equal_conditions_on_data_are_one_condition():
    s = found("if x[i] > 0.5:\n    out[i] = 1.0\nif x[i] > 0.5:\n    out[i] = 2.0")
    writes = [a for a in s.accesses if a.mode == "write"]
    assert writes[0].guard == writes[1].guard


def test_conditions_on_written_data_are_not():
    s = found("if out[i] > 0.5:\n    out[i] = 1.0\nif out[i] > 0.5:\n    out[i] = 2.0")
    writes = [a for a in s.accesses if a.mode == "write"]
    assert writes[0].guard != writes[1].guard


def test_dynamic_shared_arrays_are_one_array() -> None:
    def both(dtype: str) -> AccessSet:
        arrays = f"    a = cuda.shared.array(0, np.float32)\n    b = cuda.shared.array(0, np.{dtype})\n"
        return analyse(kernel(f"@cuda.jit\ndef k(x):\n{arrays}    a[0] = 1\n    b[1] = 2\n"))

    same = both("int32")
    assert {a.array.name for a in same.accesses} == {"a"} and not same.unsupported
    other = both("float64")
    assert other.unsupported and {"a", "b"} <= other.tainted
