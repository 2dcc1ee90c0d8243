"""What the PTX of small kernels holds, and what is refused."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from compile.compiled import COPY, compiled

from gpulint.compile import backend
from gpulint.compile.error import CompileError, MissingTool, Unproved
from gpulint.compile.geometry import Geometry
from gpulint.compile.libdevice import find
from gpulint.compile.mathematics import known
from gpulint.compile.ptx import barriers, check

pytest.importorskip("llvmlite")

TILE = """
@gpulint.contract(block=(32, 1, 1), requires=["x.size == out.size"])
@cuda.jit
def turn(x, out):
    tile = cuda.shared.array(32, numba.float32)
    t = cuda.threadIdx.x
    i = cuda.blockIdx.x * 32 + t
    if i < x.size:
        tile[t] = x[i]
    else:
        tile[t] = 0
    cuda.syncthreads()
    if i < x.size:
        out[i] = tile[31 - t]
"""


def test_a_proved_copy_reads_through_the_cache_with_32_bit_indices(tmp_path: Path) -> None:
    ptx = compiled(tmp_path, COPY, "float32[::1], float32[::1]").ptx
    assert ptx.count(".visible .entry copy(") == 1
    assert "ld.global.nc.b32" in ptx
    assert "mul.wide.u32" in ptx
    assert "selp" not in ptx  # no index counts from the end


def test_strided_arrays_pass_their_strides(tmp_path: Path) -> None:
    names = [(p.name, p.kind) for p in compiled(tmp_path, COPY, "float32[:], float32[::1]").parameters]
    assert names == [
        ("x", "pointer"), ("x", "extent"), ("x", "stride"), ("out", "pointer"), ("out", "extent"),
    ]  # fmt: skip


def test_what_the_kernel_writes_is_not_read_through_the_cache(tmp_path: Path) -> None:
    text = "@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] = x[i] * 2\n"
    assert "ld.global.nc" not in compiled(tmp_path, text, "float32[::1]").ptx


def test_blocks_at_a_time_are_asked_of_the_compiler(tmp_path: Path) -> None:
    text = """
    @gpulint.contract(min_blocks=4, BLOCK)
    @cuda.jit
    def k(x):
        i = cuda.grid(1)
        if i < x.size:
            x[i] = x[i] * 2
    """
    made = compiled(tmp_path, text.replace("BLOCK", "block=(256, 1, 1)"), "float32[::1]")
    assert ".reqntid 256, 1, 1" in made.ptx and ".minnctapersm 4" in made.ptx
    text = text.replace(", BLOCK", "").replace("i = cuda.grid(1)", "i, j = cuda.grid(2)")
    with pytest.raises(CompileError, match="bounds the block"):
        compiled(tmp_path, text.replace("if i < x.size", "if i < x.size and j == 0"), "float32[::1]")


def test_the_contract_gives_the_directives(tmp_path: Path) -> None:
    made = compiled(tmp_path, TILE, "float32[::1], float32[::1]")
    assert ".reqntid 32, 1, 1" in made.ptx
    assert barriers(made.ptx) == (1, 0)
    assert made.shared_bytes == 128


def test_a_barrier_that_was_copied_is_seen(tmp_path: Path) -> None:
    made = compiled(tmp_path, TILE, "float32[::1], float32[::1]")
    twice = made.ptx.replace("\tbar.sync \t0;", "\tbar.sync \t0;\n\tbar.sync \t0;")
    guarded = made.ptx.replace("\tbar.sync \t0;", "\t@%p1 bar.sync \t0;")
    for bad in (twice, guarded, made.ptx.replace(".entry turn(", ".entry other(")):
        assert bad != made.ptx
        with pytest.raises(CompileError, match="not as proved"):
            check(bad, "turn", made.proved.kernel, Geometry())


def test_every_use_of_a_proof_is_told(tmp_path: Path) -> None:
    made = compiled(tmp_path, COPY, "float32[::1], float32[::1]", ptx=False)
    said = {n.what for n in made.notes}
    assert "no wrap-around of out[i]" in said
    assert "loads of x through the read-only cache" in said


def test_an_unproved_kernel_is_refused_with_the_reason(tmp_path: Path) -> None:
    text = "@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    x[i] = 1\n"
    with pytest.raises(Unproved, match="in-range is refuted"):
        compiled(tmp_path, text, "float32[::1]")
    text = "@cuda.jit\ndef k(x, at):\n    i = cuda.grid(1)\n    if i < at.size:\n        x[at[i]] = 1\n"
    with pytest.raises(Unproved, match="undecided"):
        compiled(tmp_path, text.replace("x[at", "x[i * at"), "float32[::1], int64[::1]")


@pytest.mark.parametrize(
    ("text", "signature", "said"),
    [
        ("print(i)", "float32[::1]", "`print` is not compiled"),
        ("x[i] = cuda.byte_perm(i, i, 3)", "float32[::1]", "`byte_perm` is not compiled"),
        ("x[i] = 1", "float32[:, ::1]", "has 1 axes in the kernel, not 2"),
        ("x[i] = 1", "float32", "is used as an array"),
        ("x[i] = 1", "complex64[::1]", "no type that is compiled"),
        ("x[i] = 1", "float32[::1], int32", "2 types for the parameters x"),
        ("x[i] = 1", "float32[", "cannot be read"),
        ("x[i] = 1", "", "nothing gives the type of `x`"),
    ],
)
def test_what_cannot_be_compiled_is_said(tmp_path: Path, text: str, signature: str, said: str) -> None:
    kernel = (
        f"@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        {text}\n        x[i] = 0\n"
    )
    with pytest.raises(CompileError, match=said):
        compiled(tmp_path, kernel, signature, ptx=False)


def test_launches_in_view_give_types_and_no_more(tmp_path: Path) -> None:
    host = "\ndef run(n):\n    a = cuda.device_array(n, np.int32)\n    copy[unknown(n), 64](a, a)\n"
    made = compiled(tmp_path, COPY + host)
    assert [str(s) for s in made.proved.signature] == ["int32[::1]", "int32[::1]"]


def test_a_missing_backend_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    with pytest.raises(MissingTool, match=r"pip install 'gpulint\[compile\]'"):
        backend.llvm.__wrapped__()


def test_an_unknown_architecture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="unknown architecture `sm_12`"):
        compiled(tmp_path, COPY, "float32[::1], float32[::1]", arch="sm_12")


def test_a_missing_library_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gpulint.compile.libdevice.find", lambda given="": None)
    text = COPY.replace("= x[i]", "= math.tanh(x[i])")
    with pytest.raises(MissingTool, match="libdevice"):
        compiled(tmp_path, text, "float32[::1], float32[::1]")


def test_functions_are_known_by_the_names_of_libdevice_too() -> None:
    assert all(map(known, ("sinf", "fast_expf", "rsqrtf", "arctan2", "isnan", "popc")))
    assert not any(map(known, ("sinff", "fast_tanhf", "nonsense")))


MEETS = """
@gpulint.contract(block=(64, 1, 1), requires=["grid == (1, 1, 1)", "x.size == 1", "out.size == 64"])
@cuda.jit
def k(x, out):
    t = cuda.threadIdx.x
    a = x[0]
    cuda.syncthreads()
    if t == 0:
        x[0] = a + 1
    cuda.syncthreads()
    out[t] = x[0]
"""


def test_what_other_threads_wrote_is_loaded_again_after_a_barrier(tmp_path: Path) -> None:
    made = compiled(tmp_path, MEETS, "int32[::1], int32[::1]")
    steps = re.findall(r"ld\.global|st\.global|bar\.sync", made.ptx)
    assert steps == ["ld.global", "bar.sync", "st.global", "bar.sync", "ld.global", "st.global"]


def test_only_threads_that_keep_to_themselves_allow_noalias(tmp_path: Path) -> None:
    apart = "@cuda.jit\ndef k(x, out):\n    i = cuda.grid(1)\n    if i < out.size:\n        out[i] = x[i]\n"
    assert 'noalias align 4 %"out"' in compiled(tmp_path, apart, "float32[::1], float32[::1]", ptx=False).llvm
    meets = compiled(tmp_path, MEETS, "int32[::1], int32[::1]", ptx=False)
    assert "noalias" not in meets.llvm.partition("define")[2].partition("{")[0]


def test_a_barrier_of_the_grid_is_two_of_the_block_and_a_wait(tmp_path: Path) -> None:
    text = """
@gpulint.contract(requires=["x.size == out.size", "grid.x * block.x == x.size"])
@cuda.jit
def k(x, out):
    i = cuda.grid(1)
    x[i] = i
    cuda.cg.this_grid().sync()
    out[i] = x[x.size - 1 - i]
"""
    made = compiled(tmp_path, text, "int32[::1], int32[::1]")
    steps = re.findall(
        r"st\.global|ld\.global|bar\.sync|membar\.gl|atom\.global\.add|ld\.acquire\.gpu", made.ptx
    )
    wait = ["bar.sync", "membar.gl", "atom.global.add", "ld.acquire.gpu", "membar.gl", "bar.sync"]
    assert steps == ["st.global", *wait, "ld.global", "st.global"]
    assert made.cooperative and made.parameters[-1].kind == "counter"


MATCHED = """
@gpulint.contract(block=(64, 1, 1), requires=["x.size == grid.x * 64", "out.size == x.size"])
@cuda.jit("void({}[::1], int32[::1])")
def k(x, out):
    i = cuda.grid(1)
    lanes, same = cuda.match_all_sync(0xffffffff, x[i])
    some = cuda.match_any_sync(0xffffffff, x[i])
    out[i] = lanes if same else some
"""


@pytest.mark.parametrize(
    ("kind", "bits"), [("int32", 32), ("float32", 32), ("int64", 64), ("float64", 64), ("uint8", 32)]
)
def test_lanes_are_matched_by_one_instruction_each(tmp_path: Path, kind: str, bits: int) -> None:
    ptx = compiled(tmp_path, MATCHED.format(kind)).ptx
    assert ptx.count(f"match.all.sync.b{bits}") == ptx.count(f"match.any.sync.b{bits}") == 1


def test_parts_of_numbers_come_from_libdevice(tmp_path: Path) -> None:
    text = """
        @cuda.jit("void(float32[::1], int32[::1], float32[::1])")
        def k(x, e, out):
            i = cuda.grid(1)
            if i < x.size and i < e.size and i < out.size:
                part, exponent = math.frexp(x[i])
                rest, whole = math.modf(x[i])
                e[i] = exponent
                out[i] = math.ldexp(part, exponent) + rest + whole
    """
    assert {"__nv_frexpf", "__nv_modff", "__nv_ldexpf"} <= set(
        re.findall(r"@(\w+)\(", compiled(tmp_path, text, ptx=False).llvm)
    )
    if find() is not None:
        ptx = compiled(tmp_path, text).ptx
        assert "__nv_" not in ptx and ".entry" in ptx
