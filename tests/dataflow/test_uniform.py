"""Which loops and barriers all threads of a block take alike."""

from __future__ import annotations

from kernels import kernel

from gpulint.dataflow import analyse
from gpulint.dataflow.access import AccessSet


def found(body: str, params: str = "x, out, n", head: str = "    t = cuda.threadIdx.x\n") -> AccessSet:
    inner = "\n".join("    " + row for row in body.strip("\n").split("\n"))
    return analyse(kernel(f"@cuda.jit\ndef k({params}):\n{head}{inner}\n"))


def uniform(body: str, params: str = "x, out, n") -> list[bool]:
    """For each barrier, whether the dataflow shows it reached alike."""
    return [s.uniform for s in found(body, params).syncs]


LOOP = "for j in range(n):\n"


def test_break_on_a_vote_is_alike():
    body = LOOP + "    if cuda.syncthreads_or(x[t] > j):\n        break\ncuda.syncthreads()\nout[t] = 1.0"
    assert uniform(body) == [True, True]


def test_break_on_a_threads_value_is_not():
    body = LOOP + "    cuda.syncthreads()\n    if x[t] > j:\n        break\ncuda.syncthreads()"
    assert uniform(body) == [False, True]  # those that leave early wait at the second one


def test_continue_on_a_parameter():
    body = LOOP + "    if j == n // 2:\n        continue\n    cuda.syncthreads()\n"
    assert uniform(body) == [True]


def test_continue_on_a_threads_value():
    body = LOOP + "    if x[t + j] > 1:\n        continue\n    cuda.syncthreads()\n"
    assert uniform(body) == [False]


def test_return_in_a_loop_on_a_threads_value_is_seen_behind_a_break():
    body = LOOP + "    if x[t] > j:\n        return\n    if n > 100:\n        break\ncuda.syncthreads()"
    [sync] = found(body).syncs
    assert not sync.uniform and not sync.exact


def test_return_in_a_loop_on_a_common_value():
    body = LOOP + "    if x[j] > 0:\n        return\n    cuda.syncthreads()\ncuda.syncthreads()"
    assert uniform(body) == [True, True]


def test_break_out_of_an_inner_loop():
    body = LOOP + (
        "    for m in range(t):\n        if x[m] > 0:\n            break\n    cuda.syncthreads()\n"
    )
    assert uniform(body) == [True]


def test_jump_in_an_inner_loop_of_unequal_trips_that_ends_the_outer():
    body = LOOP + ("    for m in range(t):\n        if n > 5:\n            return\n    cuda.syncthreads()\n")
    assert uniform(body) == [False]


def test_while_on_the_last_vote():
    body = "more = 1\nwhile more:\n    more = cuda.syncthreads_or(x[t] > 0)\n    x[t] -= 1\n"
    assert uniform(body) == [True]


def test_value_behind_a_loop_of_unequal_trips():
    body = "m = 0\nwhile x[t] > m:\n    m += 1\nif m > 3:\n    cuda.syncthreads()\n"
    assert uniform(body) == [False]


def test_choice_made_by_each_thread():
    body = "m = 0\nif t > 3:\n    m = 1\nif m > 0:\n    cuda.syncthreads()\n"
    assert uniform(body) == [False]


def test_choice_made_by_the_block():
    body = "m = 0\nif cuda.blockIdx.x > 3:\n    m = n\nif m > 0:\n    cuda.syncthreads()\n"
    assert uniform(body) == [True]


def test_result_of_an_atomic_is_each_threads_own():
    body = "if cuda.atomic.add(out, 0, 1) > 3:\n    cuda.syncthreads()\n"
    assert uniform(body) == [False]


def test_element_of_shared_memory_that_all_read():
    body = (
        "s = cuda.shared.array(1, numba.int32)\nif t == 0:\n    s[0] = x[5]\ncuda.syncthreads()\n"
        "if s[0] > 3:\n    cuda.syncthreads()\n"
    )
    assert uniform(body) == [True, True]


def test_element_of_shared_memory_of_each_thread():
    body = "s = cuda.shared.array(64, numba.int32)\nif s[t] > 3:\n    cuda.syncthreads()\n"
    assert uniform(body) == [False]


def test_private_array():
    body = "s = cuda.local.array(4, numba.int32)\ns[0] = t\nif s[0] > 3:\n    cuda.syncthreads()\n"
    assert uniform(body) == [False]


def test_grid_barrier_is_for_the_launch():
    head = "    g = cuda.cg.this_grid()\n    t = cuda.threadIdx.x\n"
    for condition, alike in (("n > 3", True), ("cuda.blockIdx.x > 0", False), ("t > 0", False)):
        [sync] = found(f"if {condition}:\n    g.sync()\n", head=head).syncs
        assert sync.uniform is alike, condition


def test_loop_of_a_block_is_uniform_though_left_early():
    body = LOOP + "    if cuda.syncthreads_count(x[t] > j) == 0:\n        break\n    out[t] = 1.0\n"
    [loop] = {a.loops for a in found(body).accesses if a.mode == "write"}.pop()
    assert loop.uniform and loop.barrier


def test_part_of_a_condition_that_may_differ():
    [sync] = found("if n > 3 and t < n:\n    cuda.syncthreads()\n").syncs
    assert not sync.uniform and sync.exact
    assert "threadIdx.x" in str(sync.apart)
