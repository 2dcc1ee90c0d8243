"""Triton kernels up to the compiler: types, constants, the text that it gets to see. Triton is not needed."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

import pytest

from gpulint._compiling import find, prove_tile
from gpulint.compile.error import CompileError, MissingTool, Unproved
from gpulint.compile.tile import artifact, backend
from gpulint.compile.tile.cutting import place
from gpulint.compile.tile.proved import Tiled, Wanted, multiples
from gpulint.compile.tile.signature import constant, parse, text_of
from gpulint.ir.span import NOWHERE
from gpulint.source.values import DType

ADD = """
import os
import gpulint
import triton
import triton.language as tl

LIMIT: tl.constexpr = 7
os.environ["READ"] = "yes"


@triton.jit
def twice(x):
    return x + x * LIMIT


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(x_ptr + at, mask=at < n)
    tl.store(out_ptr + at, twice(x), at < n)
"""
TYPES = "*fp32, *fp32, i32"


def proved(folder: Path, text: str = ADD, **wanted: object) -> Tiled:
    path = folder / "k.py"
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    given = {"signature": TYPES, "constants": {"BLOCK": 64}} | wanted
    return prove_tile(find(path, "add"), Wanted(**given))  # type: ignore[arg-type]


def test_types_are_read_and_written() -> None:
    text = "*fp16:16, *bf16, i64, i32:16, fp32"
    assert text_of(parse(text)) == text
    assert [s.size for s in parse("*i1, *bf16, *fp64, *u16")] == [1, 2, 8, 2]  # type: ignore[union-attr]


@pytest.mark.parametrize("text", ["fp16", "*f16", "i32:8", "fp32:16", "float32[::1]", "*fp16,"])
def test_other_types_are_refused(text: str) -> None:
    with pytest.raises(CompileError):
        parse(text)


def test_constants_are_literals_or_element_types() -> None:
    assert [constant(x) for x in ("A=64", "B=True", "C='relu'", "D=None")] == [
        ("A", 64), ("B", True), ("C", "relu"), ("D", None),
    ]  # fmt: skip
    assert constant("T=tl.float16") == ("T", DType("float16"))
    for bad in ("A", "A=f()", "=3", "A=[1]", "1A=2"):
        with pytest.raises(CompileError):
            constant(bad)


def test_a_kernel_is_proved_for_its_constants(tmp_path: Path) -> None:
    p = proved(tmp_path)
    assert p.result.status == "verified" and p.arguments == ("x_ptr", "out_ptr", "n")
    assert [str(c) for c in p.clauses][:2] == ["n <= out_ptr.size", "n <= x_ptr.size"]


def test_constants_may_come_from_launches(tmp_path: Path) -> None:
    launch = """
    def host(x):
        out = torch.empty(1000, dtype=torch.float32)
        add[(8,)](torch.empty(1000, dtype=torch.float32), out, 1000, BLOCK=128, num_warps=8)
    """
    p = proved(tmp_path, "import torch\n" + ADD + textwrap.dedent(launch), signature="", constants={})
    assert p.constants == {"BLOCK": 128} and text_of(p.signature) == TYPES and p.warps == 8


def test_what_nothing_gives_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r"the value of `BLOCK`.*--constexpr"):
        proved(tmp_path, constants={})
    with pytest.raises(CompileError, match=r"the type of `x_ptr`.*--signature"):
        proved(tmp_path, signature="")
    with pytest.raises(CompileError, match="no parameter `OTHER`"):
        proved(tmp_path, constants={"BLOCK": 64, "OTHER": 1})


def test_a_multiple_of_16_is_a_clause(tmp_path: Path) -> None:
    p = proved(tmp_path, signature="*fp32:16, *fp32, i32", multiples=frozenset(["n"]))
    assert [str(c) for c in p.result.declared] == ["aligned(x_ptr, 16)", "n % 16 == 0"]
    assert p.multiples == {"x_ptr", "n"}


def test_a_declared_clause_tells_the_compiler(tmp_path: Path) -> None:
    text = ADD.replace(
        "@triton.jit\ndef add", '@gpulint.contract(requires=["n % BLOCK == 0"])\n@triton.jit\ndef add'
    )
    assert proved(tmp_path, text).multiples == {"n"}
    assert proved(tmp_path, text, constants={"BLOCK": 8}).multiples == set()


def test_only_multiples_of_16_are_told() -> None:
    texts = [
        "aligned(a, 8)",
        "aligned(b, 32)",
        "n % 24 == 0",
        "m % 48 == 0 and k % 16 == 0",
        "k % 16 <= 0",
        "(",
    ]
    assert multiples([(t, NOWHERE) for t in texts]) == {"b", "m", "k"}


def test_the_compiler_sees_the_functions_at_their_rows_and_nothing_else(tmp_path: Path) -> None:
    (part,) = proved(tmp_path).skeleton.plain()
    tree = ast.parse(part["text"])
    assert {x.name: x.lineno for x in tree.body if isinstance(x, ast.FunctionDef)} == {"twice": 12, "add": 17}
    assert "environ" not in part["text"] and "triton.jit" not in part["text"]
    assert part["names"] == {
        "tl": ["library", "triton.language"], "LIMIT": ["constant", 7],
        "twice": ["function", part["key"], "twice"],
    }  # fmt: skip


def test_functions_of_other_files_come_along(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("import triton\n\n\n@triton.jit\ndef twice(x):\n    return x + x\n")
    start, end = ADD.index("@triton.jit\ndef twice"), ADD.index("@triton.jit\ndef add")
    for imported, call in (
        ("from helpers import twice as double", "double(x)"),
        ("import helpers", "helpers.twice(x)"),
    ):
        text = ADD[:start] + imported + "\n\n" + ADD[end:].replace("twice(x)", call)
        first, second = proved(tmp_path, text).skeleton.plain()
        assert first["names"][call.removesuffix("(x)")] == ["function", second["key"], "twice"]
        assert second["functions"] == ["twice"]


def test_a_name_that_is_not_known_is_refused(tmp_path: Path) -> None:
    text = ADD.replace("LIMIT: tl.constexpr = 7", "LIMIT = os.getpid()")
    with pytest.raises(CompileError, match=r"the value of `LIMIT` is not in the source"):
        proved(tmp_path, text)
    text = ADD.replace("x + x * LIMIT", "os.path.join(x)")
    with pytest.raises(CompileError, match=r"`os.path.join` is not known where the kernel is compiled"):
        proved(tmp_path, text)


def test_nested_functions_are_cut_out_too(tmp_path: Path) -> None:
    body = ADD[ADD.index("@triton.jit\ndef twice") :]
    text = (
        ADD[: ADD.index("@triton.jit")] + "def make():\n" + textwrap.indent(body, "    ") + "    return add\n"
    )
    path = tmp_path / "k.py"
    path.write_text(text)
    p = prove_tile(find(path, "make.add"), Wanted(TYPES, {"BLOCK": 64}))
    (part,) = p.skeleton.plain()
    assert [x.name for x in ast.parse(part["text"]).body if isinstance(x, ast.FunctionDef)] == [
        "twice",
        "add",
    ]


def test_arguments_are_left_out_where_asked(tmp_path: Path) -> None:
    p = proved(tmp_path)
    (kept,) = p.skeleton.parts.values()
    calls = [x for x in ast.walk(kept.functions["add"]) if isinstance(x, ast.Call)]
    dropped = frozenset((place(kept.module, x), "mask") for x in calls)
    (part,) = p.skeleton.plain(dropped)
    lines = part["text"].splitlines()
    assert lines[18].split() == ["x", "=", "tl.load(x_ptr", "+", "at", ")"]
    assert ast.unparse(ast.parse(lines[19].strip())) == "tl.store(out_ptr + at, twice(x))"


def test_an_unproved_kernel_is_refused_before_anything_is_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifact, "build", lambda *a: pytest.fail("compiled"))
    text = ADD.replace("tl.store(out_ptr + at, twice(x), at < n)", "tl.store(out_ptr, tl.sum(x, 0))")
    with pytest.raises(Unproved):
        artifact.make(proved(tmp_path, text))


STRIPS = """
import gpulint
import triton
import triton.language as tl


@triton.jit
def add(c_ptr, M, N):
    tiles = tl.cdiv(M, 64) * tl.cdiv(N, 32)
    for tile in range(tl.program_id(0), tiles * 4, tl.num_programs(0)):
        at = tile * 32 + tl.arange(0, 32)
        tl.store(c_ptr + at, 1.0, mask=at < N)
"""


def test_a_contract_that_no_launch_can_check_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(artifact, "build", lambda *a: (_ for _ in ()).throw(LookupError))
    given = {"signature": "*fp32, i32, i32", "constants": {}}
    with pytest.raises(CompileError, match="cannot be checked when the kernel is launched"):
        artifact.make(proved(tmp_path, STRIPS, **given))
    signed = STRIPS.replace("@triton", '@gpulint.contract(requires=["M >= 1", "N >= 1"])\n@triton')
    with pytest.raises(LookupError):
        artifact.make(proved(tmp_path, signed, **given))


def test_without_triton_it_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backend, "find_spec", lambda name: None)
    with pytest.raises(MissingTool, match="not installed"):
        artifact.make(proved(tmp_path))


def test_an_unknown_architecture_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="unknown architecture"):
        artifact.make(proved(tmp_path), "sm_1")


DESCRIBED = """
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, out_ptr, n, m, BLOCK: tl.constexpr):
    d = tl.make_tensor_descriptor(OFFSET, shape=[n, m], strides=[STRIDE, 1], block_shape=[16, BLOCK])
    tl.store(out_ptr + tl.arange(0, BLOCK), tl.sum(d.load([0, 0]), 0), mask=tl.arange(0, BLOCK) < m)
"""


def described(folder: Path, offset: str = "x_ptr", stride: str = "m", types: str = "*fp16") -> list[str]:
    text = DESCRIBED.replace("OFFSET", offset).replace("STRIDE", stride)
    p = proved(folder, text, signature=f"{types}, *fp32, i32, i32", constants={"BLOCK": 64})
    return [str(c) for c in p.result.declared]


def test_what_the_hardware_asks_of_a_descriptor_is_in_the_contract(tmp_path: Path) -> None:
    assert described(tmp_path) == ["aligned(x_ptr, 16)", "m % 8 == 0", "n >= 1", "m >= 1"]
    assert described(tmp_path, types="*fp32")[1] == "m % 4 == 0"
    assert described(tmp_path, "x_ptr + n", "m + 8")[1:3] == ["n % 8 == 0", "(m + 8) % 8 == 0"]
    assert described(tmp_path, stride="8 * m")[1] == "n >= 1"


def test_a_descriptor_that_the_hardware_never_takes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="no multiple of 16 bytes"):
        described(tmp_path, stride="12")
    with pytest.raises(CompileError, match="cannot be checked by a launch"):
        described(tmp_path, "x_ptr + tl.program_id(0)")


TUNED = """
import torch
import triton
import triton.language as tl


@triton.autotune(
    configs=[triton.Config({"BLOCK": 64}), triton.Config({"BLOCK": 128}, num_warps=8, num_stages=5)],
    key=["n"],
)
@triton.jit
def add(x_ptr, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x_ptr + at, 1.0, mask=at < n)


def host(n: int):
    x = torch.zeros(n, dtype=torch.float32)
    add[lambda meta: (triton.cdiv(n, meta["BLOCK"]),)](x, n)
"""


def test_a_configuration_of_the_autotuner_is_chosen_by_number(tmp_path: Path) -> None:
    given = {"signature": "", "constants": {}}
    p = proved(tmp_path, TUNED, config=2, **given)
    assert (p.constants, p.warps, p.stages) == ({"BLOCK": 128}, 8, 5)
    p = proved(tmp_path, TUNED, config=1, **given)
    assert (p.constants, p.warps, p.stages) == ({"BLOCK": 64}, 4, 3)
    with pytest.raises(CompileError, match=r"the kernel is tuned .*1: BLOCK=64; 2: BLOCK=128"):
        proved(tmp_path, TUNED, **given)
    with pytest.raises(CompileError, match="2 configurations, not 3"):
        proved(tmp_path, TUNED, config=3, **given)


ASSERTED = """
import triton
import triton.language as tl


@triton.jit
def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    ASSERTION
    at = tl.arange(0, BLOCK)
    tl.store(out_ptr + tl.program_id(0) * LENGTH + at, tl.load(x_ptr + at))
"""


@pytest.mark.parametrize(
    "text", ["tl.assume(n == BLOCK)", "assert n == BLOCK", "tl.device_assert(n == BLOCK)"]
)
def test_what_a_kernel_asserts_of_its_parameters_is_checked_by_launches(tmp_path: Path, text: str) -> None:
    p = proved(tmp_path, ASSERTED.replace("ASSERTION", text).replace("LENGTH", "n"))
    assert p.result.status == "verified" and "n == 64" in map(str, p.result.declared)


@pytest.mark.parametrize(
    "text",
    [
        "m = n\n    tl.assume(m == 64)",
        "if n > 0:\n        tl.assume(n == 64)",
        "n = n + 0\n    assert n == 64",
    ],
)
def test_what_a_launch_cannot_check_is_no_fact(tmp_path: Path, text: str) -> None:
    p = proved(tmp_path, ASSERTED.replace("ASSERTION", text).replace("LENGTH", "n"))
    assert "n >= 64" in map(str, p.clauses) and "n == 64" not in map(str, p.clauses)


def test_an_assertion_about_the_program_proves_nothing(tmp_path: Path) -> None:
    text = """
    import triton
    import triton.language as tl


    @triton.jit
    def add(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
        at = tl.program_id(0)
        tl.device_assert(at < n)
        tl.store(out_ptr + at, 1.0)
    """
    p = proved(tmp_path, text)
    assert [str(c) for c in p.clauses if "out_ptr" in str(c)] == ["grid.x <= out_ptr.size"]
