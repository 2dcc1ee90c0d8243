"""Accesses that were moved above their guard in the PTX are seen, and sound rearrangements are not."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from compile.compiled import COPY, compiled

from gpulint.compile.artifact import Artifact
from gpulint.compile.error import CompileError
from gpulint.compile.flow import entries
from gpulint.compile.guarded import Guards
from gpulint.solver.options import Options
from gpulint.solver.setting import Setting
from gpulint.term import Bool

pytest.importorskip("llvmlite")

ONE = """
@gpulint.contract(block=(64, 1, 1), requires=["grid == (1, 1, 1)", "out.size == 1", "n <= 64", "x.size >= n"])
@cuda.jit("void(int32[::1], int32[::1], int32)")
def one(x, out, n):
    tile = cuda.shared.array(64, numba.int32)
    t = cuda.threadIdx.x
    tile[t] = 0
    cuda.syncthreads()
    if t < n:
        if x[t] > 0:
            tile[t] = 7
    cuda.syncthreads()
    if t == 0:
        out[0] = tile[n - 1] if n > 0 else 0
"""
LOOP = """
@gpulint.contract(requires=["x.size == out.size", "y.size == m"])
@cuda.jit("void(float32[::1], float32[::1], float32[::1], int32)")
def loop(x, y, out, m):
    i = cuda.grid(1)
    if i < out.size:
        total = x[i]
        for k in range(m):
            if total > 1:
                total += y[k]
        out[i] = total
"""
FLOATS = "float32[::1], float32[::1]"


def guards(made: Artifact) -> Guards:
    p = made.proved

    def implied(where: Bool, what: Bool) -> bool:
        setting = Setting(p.kernel, p.accesses, Options(assume=p.assume), p.clauses)
        return bool(setting.prover.prove(where, what))

    return Guards(p.kernel, p.accesses, made.parameters, made.geometry, implied)


def problems(made: Artifact, text: str) -> str:
    """What is said of another text for the kernel; empty when it passes."""
    try:
        guards(made).check(text)
    except CompileError as error:
        return str(error)
    return ""


def first_up(text: str, access: str, above: str = r"\s*mov\.u32 \t%r\d+, %\w+\.x;") -> str:
    """The text with the first access of a kind, and its place, moved above the first line that matches."""
    lines = text.splitlines()
    at = next(k for k, line in enumerate(lines) if line.strip().startswith(access))
    place = next(line for line in reversed(lines[:at]) if ".loc" in line)
    to = next(k for k, line in enumerate(lines) if re.match(above, line))
    assert to < at
    rest = [*lines[to:at], *lines[at + 1 :]]
    return "\n".join([*lines[:to], place, lines[at], *rest])


def without(text: str, line: str) -> str:
    """The text without the first line that matches."""
    changed = re.sub(rf"^\s*{line}.*\n", "", text, count=1, flags=re.MULTILINE)
    assert changed != text
    return changed


@pytest.mark.parametrize("access", ["ld.global", "st.global"])
def test_an_access_above_its_guard_is_seen(tmp_path: Path, access: str) -> None:
    made = compiled(tmp_path, COPY, FLOATS)
    assert problems(made, made.ptx) == ""
    said = problems(made, first_up(made.ptx, access))
    assert "in line 14" in said and "no more guarded by `" in said


def test_a_guard_that_was_lost_is_seen(tmp_path: Path) -> None:
    made = compiled(tmp_path, COPY, FLOATS)
    assert "line 14" in problems(made, without(made.ptx, r"@%p1 bra"))


def test_an_access_without_a_place_is_known_by_its_array(tmp_path: Path) -> None:
    made = compiled(tmp_path, COPY, FLOATS)
    nowhere = re.sub(r"\.loc\t1 \d+ \d+", ".loc\t1 0 0", made.ptx)
    assert problems(made, nowhere) == ""
    assert "the write of out" in problems(made, first_up(nowhere, "st.global"))


def test_a_predicate_is_as_good_as_a_branch(tmp_path: Path) -> None:
    made = compiled(tmp_path, COPY, FLOATS)
    moved = first_up(made.ptx, "st.global", r"\s*@%p1 bra")
    assert "line 14" in problems(made, moved)
    assert problems(made, re.sub(r"\tst\.global", r"\t@!%p1 st.global", moved, count=1)) == ""


def test_points_done_one_after_the_other_ask_for_their_own_guard(tmp_path: Path) -> None:
    made = compiled(tmp_path, COPY, FLOATS)
    head, entry, stream = made.ptx.partition(".visible .entry copy__x4")
    guards = re.findall(r"^\s*(@%p\d+ bra.*)\n(?:(?!\s*@).*\n)*?\s*ld\.global\.nc\.b32", stream, re.MULTILINE)
    assert guards
    for guard in guards:
        assert "line 14" in problems(made, head + entry + without(stream, re.escape(guard))), guard


def test_an_element_that_one_thread_writes_takes_that_thread(tmp_path: Path) -> None:
    made = compiled(tmp_path, ONE)
    assert problems(made, made.ptx) == ""
    assert "the write of out" in problems(made, first_up(made.ptx, "st.global"))


def test_shared_memory_written_under_what_was_loaded(tmp_path: Path) -> None:
    made = compiled(tmp_path, ONE)
    stores = [s for flow in entries(made.ptx) for s in flow.steps if s.op.startswith("st.shared")]
    assert len(stores) == 2
    guarded = f"\t{stores[1].op} \t{stores[1].text};\n"
    at = f"\t.loc\t1 {stores[1].place[0]} {stores[1].place[1]}\n"
    lost = made.ptx.replace(guarded, "", 1).replace("\tbar.sync", f"{at}{guarded}\tbar.sync", 1)
    assert "the write of tile" in problems(made, lost)


def test_an_access_of_a_loop_must_stay_under_the_trips(tmp_path: Path) -> None:
    made = compiled(tmp_path, LOOP)
    assert problems(made, made.ptx) == ""
    flow, asked = entries(made.ptx)[0], guards(made)
    inner = next(s for s in flow.steps if "ld.global" in s.op and asked.meant(flow, s)[0].array.name == "y")
    assert "the read of y" in problems(made, first_up(made.ptx, f"{inner.op} \t{inner.text}"))


LANES = """
@gpulint.contract(block=(64, 1, 1), requires=["out.size >= grid.x * 2"])
@cuda.jit("void(int32[::1])")
def lanes(out):
    if cuda.laneid == 0:
        out[cuda.blockIdx.x * 2 + cuda.threadIdx.x // 32] = 1
"""


def test_the_lane_is_one_of_the_thread(tmp_path: Path) -> None:
    made = compiled(tmp_path, LANES)
    assert "laneid" in made.ptx
    assert "`threadIdx.x % 32 == 0`" in problems(made, without(made.ptx, r"@%p1 bra"))


BRANCHES = """
.visible .entry k(
\t.param .u64 k_param_0
)
{
\tld.param.b64 \t%rd1, [k_param_0];
\tmov.u32 \t%r1, %tid.x;
\tsetp.lt.s32 \t%p1, %r1, 5;
\tsetp.lt.s64 \t%p2, %rd1, 5;
\tJOIN.pred \t%p3, %p1, %p2;
\t@SIGN%p3 bra \t$L__BB0_2;
\tbra.uni \t$L__BB0_3;
$L__BB0_2:
\tst.global.b32 \t[%rd1], %r1;
$L__BB0_3:
\tret;

}
"""


@pytest.mark.parametrize(("join", "sign", "sure"), [
    ("and", "", True), ("and", "!", False), ("or", "", False), ("or", "!", True),
])  # fmt: skip
def test_of_a_disjunction_no_part_holds_for_sure(join: str, sign: str, sure: bool) -> None:
    (flow,) = entries(BRANCHES.replace("JOIN", join).replace("SIGN", sign))
    store = next(s for s in flow.steps if s.kind == "st")
    held, either = flow.asked(store.block, store.predicate)
    both = frozenset(("0", "tid.x"))
    assert (held, either) == ((both, frozenset()) if sure else (frozenset(), both))


def test_the_end_of_a_trip_does_not_guard_the_first() -> None:
    text = BRANCHES.replace("\t@SIGN%p3 bra \t$L__BB0_2;\n\tbra.uni \t$L__BB0_3;\n", "").replace(
        "$L__BB0_3:", "\t@%p3 bra \t$L__BB0_2;\n$L__BB0_3:"
    )
    (flow,) = entries(text.replace("JOIN", "and"))
    store = next(s for s in flow.steps if s.kind == "st")
    assert flow.asked(store.block, "") == (frozenset(), frozenset())
