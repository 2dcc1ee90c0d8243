"""Names across modules, what counts as a kernel, decorators, and where statements come from."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from gpulint.frontend.triton import lower
from gpulint.ir import nodes as n
from gpulint.ir.nodes import Kernel
from gpulint.ir.types import BOOL, INT32, UNKNOWN, ArrayType
from gpulint.ir.walk import statements
from gpulint.source.kernels import find
from gpulint.source.load import load, load_text
from gpulint.source.model import KernelSource, Module
from gpulint.source.resolve import Project

JIT = "import triton\nimport triton.language as tl\n\n"


def sources(text: str) -> dict[str, KernelSource]:
    module = load_text(text, "k.py")
    assert isinstance(module, Module)
    return {s.qualname: s for s in find(module, Project())}


def test_names_through_a_package(tmp_path: Path) -> None:
    package = tmp_path / "pkg"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "names.py").write_text("import triton\nimport triton.language as tl\n")
    (package / "helpers.py").write_text(
        "from pkg.names import tl, triton\n\n\n@triton.jit\ndef at(p, i):\n    return p + i\n"
    )
    (package / "ops.py").write_text(
        "from pkg.helpers import at\nfrom pkg.names import tl, triton\n\n\n"
        "@triton.jit\ndef k(x, n):\n    tl.store(at(x, n), 0)\n"
    )
    module = load(package / "ops.py")
    assert isinstance(module, Module)
    project = Project([tmp_path])
    (found,) = find(module, project)
    (store,) = lower(found, project).body
    assert isinstance(store, n.Store) and store.array == "x" and store.subscripts == (n.Var("n", INT32),)


def test_names_imported_one_by_one(kernel: Callable[[str], Kernel]) -> None:
    text = (
        "import triton\nfrom triton.language import program_id, store\n\n\n"
        "@triton.jit\ndef k(x):\n    store(x + program_id(2), 0)\n"
    )
    (store,) = kernel(text).body
    assert isinstance(store, n.Store) and store.subscripts == (n.Coord("block", 2, INT32),)


def test_spans_name_the_calls(kernel: Callable[[str], Kernel]) -> None:
    text = "@triton.jit\ndef f(p):\n    tl.store(p, 0)\n\n\n@triton.jit\ndef k(x):\n    f(x)\n"
    (store,) = [s for s in statements(kernel(text).body) if isinstance(s, n.Store)]
    assert (store.span.row, [c.row for c in store.span.calls]) == (7, [12])


def test_functions_that_return_values_are_no_kernels() -> None:
    found = sources(
        JIT + "@triton.jit\ndef f(a):\n    return a\n\n@triton.jit\ndef k(x):\n    tl.store(x, f(1))\n"
    )
    assert {q: s.device for q, s in found.items()} == {"f": True, "k": False}


def test_functions_that_only_kernels_call_are_no_kernels() -> None:
    text = JIT + "@triton.jit\ndef f(a):\n    tl.store(a, 0)\n\n@triton.jit\ndef k(x):\n    f(x)\n\n"
    assert sources(text)["f"].device is True
    assert sources(text + "def host(x):\n    f[(1,)](x)\n")["f"].device is False


def test_tuning_decorators_are_options() -> None:
    text = (
        JIT
        + "@wrapped()\n@triton.autotune(configs=[], key=['n'])\n@triton.heuristics({'E': lambda a: True})\n"
        "@triton.jit(do_not_specialize=['n'])\ndef k(x, n, E: tl.constexpr):\n    tl.store(x + n, 0)\n"
    )
    (found,) = sources(text).values()
    assert set(found.options) == {"autotune", "heuristics", "do_not_specialize"}


def test_a_project_s_own_tuner_is_known_by_its_configurations() -> None:
    text = JIT + "@tuner(configs=[], key=[])\n@triton.jit\ndef k(x):\n    tl.store(x, 0)\n"
    (found,) = sources(text).values()
    assert set(found.options) == {"autotune"}


def test_kinds_of_parameters(kernel: Callable[[str], Kernel]) -> None:
    text = (
        "@triton.jit\ndef k(x, start, n, eps, flag: tl.constexpr, mode: tl.constexpr, B: tl.constexpr):\n"
        "    i = start * B + tl.arange(0, B)\n    if flag:\n        if mode == 'a':\n"
        "            tl.store(start + x + i, tl.load(x + i) + eps, mask=i < n)\n"
    )
    params = {p.name: (p.type, p.constexpr) for p in kernel(text).params}
    assert params == {
        "x": (ArrayType(UNKNOWN, 1), False), "start": (INT32, False), "n": (INT32, False),
        "eps": (UNKNOWN, False), "flag": (BOOL, True), "mode": (UNKNOWN, True), "B": (INT32, True),
    }  # fmt: skip


def test_globals_that_are_not_constant_are_parameters(kernel: Callable[[str], Kernel]) -> None:
    text = "LIMIT = ask()\n\n@triton.jit\ndef k(x):\n    tl.store(x + LIMIT, 0)\n"
    found = kernel(text)
    assert ("closure", "LIMIT") in found.options
    assert [p for p in found.params if p.name == "LIMIT" and p.constexpr]


def test_constants_are_folded(kernel: Callable[[str], Kernel]) -> None:
    text = "W: tl.constexpr = tl.constexpr(4)\n\n@triton.jit\ndef k(x):\n    tl.store(x + W * 2, 0)\n"
    (store,) = kernel(text).body
    assert isinstance(store, n.Store) and store.subscripts[0] == n.Const(8, store.subscripts[0].type)  # type: ignore[union-attr]


def test_the_range_of_arange_is_kept(kernel: Callable[[str], Kernel]) -> None:
    found = kernel("@triton.jit\ndef k(x):\n    tl.store(x + tl.arange(0, 48), 0)\n")
    (effect,) = [s for s in found.body if isinstance(s, n.Effect)]
    assert effect.name == "arange" and [getattr(e, "value", None) for e in effect.operands] == [0, 48]
