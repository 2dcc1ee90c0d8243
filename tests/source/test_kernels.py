from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import KernelSource, Module
from gpulint.source.resolve import Project

IMPORT = "import functools\nfrom numba import cuda, njit, int32, void\n"


def kernels(text: str, imports: str = IMPORT) -> list[KernelSource]:
    module = load_text(imports + text, "m.py")
    assert isinstance(module, Module), module
    return find(module, Project())


def one(text: str, imports: str = IMPORT) -> KernelSource:
    [kernel] = kernels(text, imports)
    return kernel


F = "def f(x): pass\n"


@pytest.mark.parametrize(
    ("decorator", "device", "signatures", "options"),
    [
        ("cuda.jit", False, [], []),
        ("cuda.jit()", False, [], []),
        ("cuda.jit(device=True)", True, [], []),
        ("cuda.jit('void(int32[:])')", False, ["void(int32[:])"], []),
        ("cuda.jit(void(int32[:]))", False, ["void(int32[:])"], []),
        ("cuda.jit(['void(int32)', void(int32[:])], fastmath=True)", False, ["void(int32)", "void(int32[:])"],
         ["fastmath"]),
        ("cuda.jit((int32[:], int32))", False, ["int32[:]", "int32"], []),
        ("cuda.jit('i4(i4)', True)", True, ["i4(i4)"], []),
        ("cuda.jit(device=FLAG)", None, [], []),
        ("cuda.jit(device=YES)", True, [], []),
        ("cuda.jit(None, device=True)", True, [], []),
        ("cuda.jit(max_registers=40, lineinfo=True)", False, [], ["lineinfo", "max_registers"]),
        ("cuda.jit(**KW)", True, [], ["inline"]),
        ("cuda.jit(**GONE)", None, [], []),
        ("DEC", False, [], ["fastmath"]),
        ("cuda.jit if FLAG else njit", False, [], []),
        ("functools.partial(cuda.jit, device=True)", True, [], []),
        ("functools.partial(cuda.jit, device=True)('i4(i4)')", True, ["i4(i4)"], []),
    ],
)  # fmt: skip
def test_decorators(decorator: str, device: bool | None, signatures: list[str], options: list[str]) -> None:
    text = (
        f"YES = 1\nKW = dict(device=YES, inline='always')\nDEC = cuda.jit(fastmath=True)\n@({decorator})\n{F}"
    )
    k = one(text)
    assert k.qualname == "f" and k.names == ("f",)
    assert k.device is device
    assert [s if isinstance(s, str) else ast.unparse(s) for s in k.signatures] == signatures
    assert sorted(k.options) == options


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("import numba.cuda", "numba.cuda.jit"),
        ("import numba", "numba.cuda.jit()"),
        ("from numba import cuda as c", "c.jit"),
        ("from numba.cuda import jit", "jit"),
        ("from numba.cuda import jit as j", "j('void()')"),
        ("try:\n  from numba import cuda\nexcept ImportError:\n  cuda = None", "cuda.jit"),
    ],
)
def test_spellings_of_the_import(imports: str, decorator: str) -> None:
    assert one(f"@{decorator}\n{F}", imports + "\n").dialect == "numba"


@pytest.mark.parametrize(
    "decorator", ["njit", "cuda.reduce", "unknown", "functools.wraps(f)", "cuda.grid", "f.jit"]
)
def test_no_kernels(decorator: str) -> None:
    assert kernels(f"@{decorator}\n{F}") == []


def test_a_shadowed_import_is_no_compiler() -> None:
    assert kernels(f"def g(cuda):\n  @cuda.jit\n  {F}") == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        (f"{F}k = cuda.jit(f)", ("f", "k")),
        (f"{F}k = cuda.jit('void(int32[:])')(f)", ("f", "k")),
        (f"{F}k = functools.partial(cuda.jit, device=True)(f)", ("f", "k")),
        (f"{F}k, other = cuda.jit(f), 1", ("f", "k")),
        (f"{F}k = j = cuda.jit(f)\nl = k", ("f", "k", "j", "l")),
        (f"{F}def test():\n  k = cuda.jit(f)\n  k[1, 1](3)", ("f", "test.k")),
        (f"{F}class T:\n  def test(self):\n    self.k = cuda.jit(f)", ("f", "T.k")),
        (f"{F}class T:\n  def a(self):\n    self.k = cuda.jit(f)\n  def b(self):\n    q = self.k",
         ("f", "T.b.q", "T.k")),
        (f"class T:\n  @cuda.jit\n  {F}", ("T.f",)),
        (f"if 1:\n  @cuda.jit\n  {F}", ("f",)),
        (f"@cuda.jit\n{F}g = f", ("f", "g")),
        ("def make(n):\n  @cuda.jit\n  def f(x): pass\n  return f\nk = make(3)", ("make.f", "k")),
        ("def make(n):\n  def f(x): pass\n  return cuda.jit(f)\nk = make(3)", ("make.f", "k")),
        ("def make():\n  @cuda.jit\n  def f(x): pass\n  return 1, f\n_, k = make()", ("make.f", "k")),
        (f"{F}def test(fn):\n  k = cuda.jit(fn)\ntest(f)", ("f", "test.k")),
        (f"{F}for fn in (f, None):\n  k = cuda.jit(fn)", ("f", "k")),
        ("k = cuda.jit(lambda x: x, device=True)", ("<lambda>", "k")),
        ("f = lambda x: x\nk = cuda.jit(f)", ("<lambda>", "k")),
    ],
)  # fmt: skip
def test_names(text: str, names: tuple[str, ...]) -> None:
    assert one(text).names == names


@pytest.mark.parametrize(
    "text",
    [
        f"def my(fn): return cuda.jit(device=True)(fn)\n@my\n{F}",
        f"def my(fn, device=True):\n  return cuda.jit(fn, device=device)\n@my\n{F}",
        f"def my(**kw): return cuda.jit(**kw)\n@my(device=True)\n{F}",
        f"def my(device=False): return cuda.jit(device=device)\n@my(device=True)\n{F}",
        f"def my(d):\n  def deco(fn):\n    return cuda.jit(device=d)(fn)\n  return deco\n@my(True)\n{F}",
        f"def my(*args, **kw):\n  return cuda.jit(*args, **kw)\n@my(device=True)\n{F}",
        "def my(fn):\n  if X:\n    out = cuda.jit(fn, device=True)\n  else:\n    out = njit(fn)\n"
        f"  return out\n@my\n{F}",
        f"my = lambda fn: cuda.jit(fn, device=True)\n@my\n{F}",
        f"def my(fn): return cuda.jit(device=True)(fn)\n{F}k = my(f)",
    ],
)
def test_wrappers_of_the_project(text: str) -> None:
    k = one(text)
    assert k.qualname == "f" and k.device is True


def test_same_wrap_twice_is_one_kernel_and_another_wrap_another() -> None:
    found = kernels(f"{F}a = cuda.jit(f)\nb = cuda.jit(f)\nc = cuda.jit(f, device=True)\n")
    assert [(k.names, k.device) for k in found] == [(("f", "a", "b"), False), (("f", "c"), True)]


def test_wrapper_in_another_module(tmp_path: Path) -> None:
    (tmp_path / "tools.py").write_text(
        "from numba import cuda\nFAST = True\ndef my(fn):\n  return cuda.jit(fastmath=FAST)(fn)\n"
    )
    (tmp_path / "user.py").write_text(f"from tools import my\n@my\n{F}")
    project = Project()
    module = project.load(tmp_path / "user.py")
    assert module is not None
    [k] = find(module, project)
    assert ast.unparse(k.options["fastmath"]) == "True"


def test_function_of_another_module_is_listed_where_it_is_compiled(tmp_path: Path) -> None:
    (tmp_path / "impl.py").write_text(F)
    (tmp_path / "user.py").write_text("from numba import cuda\nfrom impl import f\nk = cuda.jit(f)\n")
    project = Project()
    module = project.load(tmp_path / "user.py")
    assert module is not None
    [k] = find(module, project)
    assert (k.module.name, k.names) == ("impl", ("f", "k"))


def test_source_order() -> None:
    assert [k.qualname for k in kernels("def b(): pass\n@cuda.jit\ndef a(): pass\nk = cuda.jit(b)")] == [
        "b",
        "a",
    ]


def test_recursive_wrappers_end() -> None:
    text = f"def a(fn): return b(fn)\ndef b(fn): return a(fn)\n@a\n{F}"
    assert kernels(text) == []


def test_deep_expressions_do_not_break_the_search() -> None:
    deep = "+".join(["N"] * 800)
    choice = "".join(f"a{i} if N else " for i in range(400)) + "f"
    text = f"N = 1\n{F}g = {choice}\n@cuda.jit(max_registers={deep})\ndef k(x): pass\nh = cuda.jit(g)\n"
    assert "k" in [kernel.qualname for kernel in kernels(text)]


KEEPER = """
class Keeper:
    def __init__(self, function):
        self.function = function
    def __getitem__(self, sizes):
        return cuda.jit()(self.function)[sizes]
"""


def test_a_class_that_compiles_what_it_is_made_with_is_a_decorator() -> None:
    k = one(f"{KEEPER}@Keeper\n{F}")
    assert (k.qualname, k.device) == ("f", False)


def test_a_class_that_compiles_something_else_is_no_decorator() -> None:
    other = KEEPER.replace("(self.function)", "(self.other)")
    assert kernels(f"{other}@Keeper\n{F}") == []


@pytest.mark.parametrize(
    ("test", "first", "second"),
    [
        ("flag", True, False),
        ("not flag", False, True),
        ("flag == True", True, False),
        ("flag > 1", None, None),
    ],
)
def test_a_branch_on_the_flag_settles_it(test: str, first: bool | None, second: bool | None) -> None:
    text = (
        f"def make(flag):\n  if {test}:\n    @cuda.jit(device=flag)\n    def f(x): pass\n"
        "  else:\n    def g(x): pass\n    g = cuda.jit(device=flag)(g)\n"
    )
    assert [k.device for k in kernels(text)] == [first, second]


def test_a_flag_that_is_bound_twice_is_not_settled_by_a_branch() -> None:
    text = "def make(flag):\n  if flag:\n    flag = 0\n    @cuda.jit(device=flag)\n    def f(x): pass\n"
    assert one(text).device is None


@pytest.mark.parametrize(
    ("body", "device"),
    [("return x[0]", True), ("g.sync()", True), ("x[0] = 1", None), ("return", None)],
)
def test_what_the_body_says_of_an_unknown_flag(body: str, device: bool | None) -> None:
    assert one(f"def make(flag):\n  @cuda.jit(device=flag)\n  def f(x, g):\n    {body}\n").device is device


CALLED = """
def make(flag):
  @cuda.jit(device=flag)
  def f(x): x[0] = 1
  @cuda.jit
  def k(x): f(x)
"""


def test_a_function_that_only_kernels_call_is_a_device_function() -> None:
    assert [k.device for k in kernels(f"{CALLED}  return use(f)\n")] == [True, False]
    assert [k.device for k in kernels(f"{CALLED}  f[1, 1](y)\n")] == [None, False]


def test_a_helper_without_a_mark_that_returns_a_value_is_a_device_function() -> None:
    text = "@cuda.jit\ndef f(x): return x\n@cuda.jit\ndef k(x): x[0] = f(1)\n"
    assert [k.device for k in kernels(text)] == [True, False]


@pytest.mark.parametrize(
    ("body", "device"),
    [
        ("x[0] = f(1)", True),
        ("f = abs\n  x[0] = f(1)", False),
        ("g = lambda f: f(1)\n  x[0] = g(abs)", False),
        ("x[0] = f[1]", False),
    ],
)
def test_what_calls_its_argument_is_no_kernel(body: str, device: bool) -> None:
    found = kernels(f"@cuda.jit\ndef k(x, f):\n  {body}\n")
    assert [k.device for k in found if k.qualname == "k"] == [device]
