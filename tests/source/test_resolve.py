from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project


def module(text: str) -> Module:
    result = load_text(text, "m.py")
    assert isinstance(result, Module), result
    return result


def dotted(text: str, expr: str) -> str | None:
    return Project().dotted(ast.parse(expr, mode="eval").body, module(text).scope)


@pytest.mark.parametrize(
    ("text", "expr", "expected"),
    [
        ("from numba import cuda as c", "c.jit", "numba.cuda.jit"),
        ("import numba.cuda", "numba.cuda.jit", "numba.cuda.jit"),
        ("import numba.cuda as nc", "nc.jit", "numba.cuda.jit"),
        ("from numba.cuda import jit as j", "j", "numba.cuda.jit"),
        ("from numba import cuda\njit = cuda.jit", "jit", "numba.cuda.jit"),
        ("from numba import cuda\njit = cuda.jit if X else None", "jit", None),
        ("try:\n  from numba import cuda\nexcept ImportError:\n  cuda = None", "cuda.jit", "numba.cuda.jit"),
        ("from numba.cuda import *", "jit", "numba.cuda.jit"),
        ("from math import *\nfrom numba import *", "sqrt", "math.sqrt"),
        ("from numba_cuda_mlir import cuda", "cuda.jit", "numba.cuda.jit"),
        ("def f(cuda): pass", "cuda.jit", None),
        ("x = 1", "x", None),
        ("", "min", None),
        ("a = b\nb = a", "a.jit", None),
        ("n = n.left\nn = n.right", "n", None),
        ("import numba", "numba.cuda[0]", None),
    ],
)
def test_dotted(text: str, expr: str, expected: str | None) -> None:
    assert dotted(text, expr) == expected


@pytest.fixture
def package(tmp_path: Path) -> Path:
    texts = {
        "pkg/__init__.py": "from .compat import cuda\nfrom .ops import *\n",
        "pkg/compat.py": "try:\n    from numba import cuda\nexcept ImportError:\n    cuda = None\n",
        "pkg/ops.py": "from . import deep\nBLOCK = 128\ndef helper(x): return x\n",
        "pkg/deep.py": "from .ops import helper as again\nclass K:\n    N = 3\nclass L(K): pass\n",
        "pkg/user.py": (
            "import pkg\nfrom pkg import cuda as c, BLOCK, helper\nfrom .deep import again, K, L\n"
            "from . import deep\nfrom .broken import thing\nfrom .gone import other\nmine = helper\n"
        ),
        "pkg/broken.py": "def (:\n",
    }
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def ask(package: Path, expr: str) -> tuple[Project, ast.expr, Module]:
    project = Project()
    user = project.load(package / "pkg/user.py")
    assert user is not None
    return project, ast.parse(expr, mode="eval").body, user


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("c.jit", "numba.cuda.jit"),
        ("pkg.cuda.jit", "numba.cuda.jit"),
        ("pkg.compat.cuda.jit", "numba.cuda.jit"),
        ("helper", "pkg.ops.helper"),
        ("again", "pkg.ops.helper"),
        ("deep.again", "pkg.ops.helper"),
        ("thing", "pkg.broken.thing"),
        ("other", "pkg.gone.other"),
    ],
)
def test_dotted_through_modules(package: Path, expr: str, expected: str) -> None:
    project, node, user = ask(package, expr)
    assert project.dotted(node, user.scope) == expected


@pytest.mark.parametrize("expr", ["helper", "again", "mine", "pkg.helper", "deep.again"])
def test_definitions_reach_the_function(package: Path, expr: str) -> None:
    project, node, user = ask(package, expr)
    [binding] = project.definitions(node, user.scope)
    assert (binding.kind, binding.scope.module.name) == ("function", "pkg.ops")


@pytest.mark.parametrize("expr", ["K.N", "L.N", "deep.K.N"])
def test_definitions_reach_class_members(package: Path, expr: str) -> None:
    project, node, user = ask(package, expr)
    assert [b.name for b in project.definitions(node, user.scope)] == ["N"]


def test_an_import_that_cannot_be_read_is_itself_the_definition(package: Path) -> None:
    project, node, user = ask(package, "c.jit")
    assert [b.kind for b in project.definitions(node, user.scope)] == ["import"]


def test_attributes_of_parameters_define_nothing() -> None:
    m = module("def f(x):\n  return x.y\n")
    expr = ast.parse("x.y", mode="eval").body
    assert Project().definitions(expr, m.scope.children[0]) == []


def test_module_of(package: Path) -> None:
    project, _, user = ask(package, "c")
    found = project.module_of("pkg.deep", user)
    assert found is not None and found.name == "pkg.deep"
    assert project.module_of("pkg.nothing", user) is None
    assert project.module_of("numba", user) is None
    assert Project([package]).module_of("pkg.ops") is not None


def test_modules_keep_one_identity(package: Path) -> None:
    project, node, user = ask(package, "helper")
    ops = project.load(package / "pkg/ops.py")
    assert project.definitions(node, user.scope)[0].scope.module is ops


def test_number_of_files_is_bounded(package: Path) -> None:
    project = Project(max_files=1)
    user = project.load(package / "pkg/user.py")
    assert user is not None
    assert project.module_of("pkg.ops", user) is None
