"""Two threads that meet in an element."""

from __future__ import annotations

from gpulint.term import floordiv


def test_two_writes(bench, make):
    access = bench.access("write", floordiv(make.grid, 2), text="i // 2")
    bench.refute("disjoint", "write-write", make.race(), access, access)
    f = bench.one()
    assert (f.code, f.name, f.severity) == ("GL301", "write-write-race", "warning")
    assert f.message == "threads 0 and 1 of block 0 both write out[0]"
    assert f.related == ()


def test_a_read_and_a_write_show_both_places(bench, make):
    write, read = bench.access("write", row=9), bench.access("read", make.grid - 1, row=8, text="i - 1")
    bench.refute("disjoint", "read-write", make.race(), write, read)
    f = bench.one()
    assert f.code == "GL302"
    assert f.message == "thread 0 of block 0 writes out[0] while thread 1 of block 0 reads it"
    (other,) = f.related
    assert other.span == read.span
    assert other.message == (
        "the other thread's load: i - 1 = blockIdx.x * blockDim.x + threadIdx.x - 1 = 0 * 2 + 1 - 1"
    )


def test_points_are_told_in_the_order_of_the_accesses(bench, make):
    from gpulint.term import ONE, eq

    write = bench.access("write", make.grid, guard=eq(make.grid, ONE))
    read = bench.access("read", make.grid + 1, row=8, text="i + 1")
    from dataclasses import replace

    w = replace(make.race(), element=(1,))  # thread 0 reads it, thread 1 writes it
    bench.refute("disjoint", "read-write", w, write, read)
    expected = "thread 1 of block 0 writes out[1] while thread 0 of block 0 reads it"
    assert bench.one().message == expected


def test_threads_of_two_blocks_are_both_named(bench, make):
    from dataclasses import replace

    access = bench.access("write")
    points = (make.point(0, 1), make.point(1, 1))
    w = replace(make.race(), points=points, grid=(2, 1, 1))
    bench.refute("disjoint", "write-write", w, access)
    assert bench.one().message == "thread 1 of block 0 and thread 1 of block 1 both write out[0]"


def test_an_update_from_the_same_element_is_an_accumulation(bench, make):
    zero = floordiv(make.grid, 2)
    read = bench.access("read", zero)
    write = bench.access("write", zero, reads=(read.index,))
    bench.refute("disjoint", "write-write", make.race(), write)
    bench.refute("disjoint", "read-write", make.race(), write, read)
    f = bench.one()
    assert f.code == "GL303"
    assert f.message.endswith("so that one of the updates is lost")
    assert "cuda.atomic.add(out, i, ...)" in f.help


def test_a_value_from_another_element_is_no_accumulation(bench, make):
    read = bench.access("read", make.grid + 1, row=8)
    write = bench.access("write", reads=(read.index,))
    bench.refute("disjoint", "read-write", make.race(), write, read)
    assert bench.one().code == "GL302"


def test_atomic_against_plain(bench, make):
    atomic, read = bench.access("atomic"), bench.access("read", row=10)
    bench.refute("disjoint", "atomic-read", make.race(), atomic, read)
    f = bench.one()
    assert f.code == "GL304"
    assert f.message == "thread 0 of block 0 updates out[0] while thread 1 of block 0 reads it"
