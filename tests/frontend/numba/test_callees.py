"""Functions that a kernel is given by its surroundings: factories, loops, objects, overloads."""

from __future__ import annotations

from pathlib import Path

import pytest
from kernels import kernel

from gpulint.frontend.numba import lower
from gpulint.ir import nodes as n
from gpulint.ir.printer import expr
from gpulint.ir.walk import statements
from gpulint.source.kernels import find
from gpulint.source.load import load
from gpulint.source.model import Module
from gpulint.source.resolve import Project

HEAD = "import math\nimport numba\nfrom numba import cuda, types\nfrom numba.extending import overload\n\n"


def given_up(k: n.Kernel) -> list[str]:
    calls = [s.name for s in statements(k.body) if isinstance(s, n.Effect)] if k.numbers else []
    return calls + [s.reason for s in statements(k.body) if isinstance(s, n.Unsupported)]


def places(k: n.Kernel) -> list[str]:
    return [", ".join(map(expr, s.subscripts)) for s in statements(k.body) if isinstance(s, n.Store)]


FACTORY = (
    "def first(a, i):\n    a[i] = 1\n\ndef second(a, i):\n    a[i + 1] = 1\n\n"
    "def make(f, n):\n    g = cuda.jit(device=True)(f)\n    @cuda.jit\n    def k(x):\n"
    "        i = cuda.grid(1)\n        if i < n:\n            g(x, i)\n    return k\n\n"
)


def test_a_factory_is_given_a_function_by_its_callers() -> None:
    k = kernel(HEAD + FACTORY + "made = make(first, 8)\n")
    assert given_up(k) == [] and places(k) == ["i"]


def test_all_callers_count() -> None:
    k = kernel(HEAD + FACTORY + "a = make(first, 8)\nb = make(f=second, n=9)\n")
    assert given_up(k) == [] and places(k) == ["i", "(i + 1)"]


@pytest.mark.parametrize("more", ["", "a = make(first, 8)\nb = make(unknown(), 8)\n", "a = make(*given)\n"])
def test_one_unknown_caller_leaves_it_unknown(more: str) -> None:
    assert given_up(kernel(HEAD + FACTORY + more)) == ["call of g, which is not known"]


def test_numbers_are_not_taken_from_callers() -> None:
    k = kernel(HEAD + FACTORY + "made = make(first, 8)\n")
    assert "n" in {p.name for p in k.params}


def test_library_functions_from_callers_and_loops() -> None:
    text = (
        "class T:\n    def of(self, op):\n        def k(r, x):\n            r[0] = op(x[0])\n"
        "        cuda.jit(k)\n\n"
        "    def test(self):\n        self.of(math.sin)\n        self.of(op=math.sqrt)\n"
    )
    assert given_up(kernel(HEAD + text)) == []
    loop = (
        "def main():\n    for f, name in ((cuda.ldcg, 'cg'), (cuda.ldcs, 'cs')):\n        @cuda.jit\n"
        "        def k(r, x):\n            r[0] = f(x, 3)\n"
    )
    k = kernel(HEAD + loop)
    assert given_up(k) == [] and len([s for s in statements(k.body) if isinstance(s, n.Load)]) == 2


OVERLOAD = (
    "def f(a, i):\n    pass\n\n@overload(f{target})\ndef ol(a, i):\n"
    "    def impl(a, i):\n        a[i * 2] = 1\n"
    "    return impl\n\n{more}@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    f(x, i)\n"
)
GENERAL = "@overload(f)\ndef other(a, i):\n    def impl(a, i):\n        a[i + 7] = 1\n    return impl\n\n"


def test_an_overload_stands_for_the_function() -> None:
    k = kernel(HEAD + OVERLOAD.format(target="", more=""))
    assert given_up(k) == [] and places(k) == ["(i * 2)"]


def test_overloads_for_the_device_go_first_and_others_all_count() -> None:
    assert places(kernel(HEAD + OVERLOAD.format(target=", target='cuda'", more=GENERAL))) == ["(i * 2)"]
    assert places(kernel(HEAD + OVERLOAD.format(target="", more=GENERAL))) == ["(i * 2)", "(i + 7)"]
    assert places(kernel(HEAD + OVERLOAD.format(target=", target='cpu'", more=GENERAL))) == ["(i + 7)"]


OBJECT = (
    "class Base:\n    def maker(self):\n        def f(a, i):\n            a[i] = 2\n        return f\n\n"
    "class Box(Base):\n    def __init__(self):\n        def g(a, i):\n            a[i + 1] = 2\n"
    "        self.g = g\n\n"
    "class Run:\n    def __init__(self, box: Box):\n        self.box = box\n\n"
    "    def kernel(self, box: 'Box'):\n        h = numba.njit({expression})\n        @cuda.jit\n"
    "        def k(x):\n            h(x, cuda.grid(1))\n        return k\n"
)


@pytest.mark.parametrize(
    ("expression", "place"),
    [
        ("box.g", "1)"),
        ("box.maker()", ".i"),
        ("self.box.g", "1)"),
        ("Box().maker()", ".i"),
        ("Box().g", "1)"),
    ],
)
def test_functions_of_objects(expression: str, place: str) -> None:
    k = kernel(HEAD + OBJECT.format(expression=expression))
    (only,) = places(k)
    assert given_up(k) == [] and only.endswith(place)


def test_what_is_stored_twice_is_a_choice() -> None:
    text = (
        OBJECT.format(expression="box.g")
        + "\ndef other(a, i):\n    a[i + 5] = 1\n\ndef f(b):\n    b.g = other\n"
    )
    assert len(places(kernel(HEAD + text))) == 2
    assert given_up(kernel(HEAD + text.replace("b.g = other", "b.g = load()"))) == [
        "call of h, which is not known"
    ]


def test_a_method_by_its_name_in_the_package(tmp_path: Path) -> None:
    package = tmp_path / "p"
    package.mkdir()
    (package / "__init__.py").write_text("from .Box import Box\n")
    (package / "Box.py").write_text(
        "class Box:\n    def make_it(self):\n        def f(a, i):\n            a[i] = 1\n        return f\n"
    )
    main = package / "main.py"
    main.write_text(
        HEAD + "def build(thing):\n    f = numba.njit(thing.make_it())\n    @cuda.jit\n"
        "    def k(x):\n        f(x, cuda.grid(1))\n"
    )
    module = load(main)
    assert isinstance(module, Module)
    project = Project()
    (source,) = [s for s in find(module, project) if s.device is not True]
    assert len(places(lower(source, project))) == 1
    (package / "box.py").write_text("class Other:\n    def make_it(self):\n        return load()\n")
    project = Project()
    assert given_up(lower(source, project)) == ["call of f, which is not known"]


@pytest.mark.parametrize(
    ("signature", "fine"),
    [
        ("'float32(float32, int32)'", True),
        ("types.float32(types.float32, types.int32)", True),
        ("'float32(CPointer(float32), int32)'", False),
        ("'void(float32[:], int32)'", False),
        ("types.float32(types.CPointer(types.float32), types.int32)", False),
        ("made_elsewhere", False),
    ],
)
def test_foreign_functions_of_numbers(signature: str, fine: bool) -> None:
    text = f"sig = {signature}\nf = cuda.declare_device('f', sig)\n\n"
    text += "@cuda.jit\ndef k(x, s):\n    x[0] = f(s, 1)\n"
    assert (given_up(kernel(HEAD + text)) == []) is fine


def test_arrays_behind_a_star_are_not_lost() -> None:
    text = "@cuda.jit\ndef k(n, *arrays):\n    unknown(n + 1, *arrays)\n"
    assert given_up(kernel(HEAD + text)) == ["call of unknown, which is not known"]


@pytest.mark.parametrize(("use", "fine"), [("if s > 0:\n        x[0] = 1", True), ("x[0] = s", False)])
def test_what_is_compared_is_no_array(use: str, fine: bool) -> None:
    text = f"@cuda.jit\ndef k(x, s):\n    {use}\n    y = unknown(s)\n"
    assert (given_up(kernel(HEAD + text)) == []) is fine


UNKNOWN = (
    "def make(f):\n    g = cuda.jit(device=True)(f)\n    @cuda.jit\n    def k(x, a):\n"
    "        i = cuda.grid(1)\n        x[i] = g(x[i], a)\n{rest}    return k\n"
)


def test_a_parameter_given_to_an_unknown_function_is_taken_for_a_number_by_name() -> None:
    k = kernel(HEAD + UNKNOWN.format(rest=""))
    assert k.numbers == ("a",) and not any(isinstance(s, n.Unsupported) for s in statements(k.body))


@pytest.mark.parametrize("rest", ["        x[0] = a[0]\n", "        x[0] = len(a)\n"])
def test_an_array_given_to_an_unknown_function_is_not(rest: str) -> None:
    k = kernel(HEAD + UNKNOWN.format(rest=rest))
    assert len(given_up(k)) == 1 and k.numbers == ()


def test_what_is_compared_needs_no_assumption() -> None:
    k = kernel(HEAD + UNKNOWN.format(rest="        if a > 0.5:\n            x[i] = 0\n"))
    assert given_up(k) == [] and k.numbers == ()


def package(tmp_path: Path, **files: str) -> n.Kernel:
    """The kernel of `main` in a package of those modules."""
    folder = tmp_path / "p"
    folder.mkdir()
    (folder / "__init__.py").write_text(files.pop("init", ""))
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    module = load(folder / "main.py")
    assert isinstance(module, Module)
    project = Project()
    (source,) = [s for s in find(module, project) if s.device is not True]
    return lower(source, project)


MADE = (
    "class Pair:\n    def __init__(self, f):\n        self.f = f\n\n    def kernel(self):\n"
    "        g = numba.njit(self.f)\n        @cuda.jit\n        def k(x):\n            g(x, cuda.grid(1))\n"
    "        return k\n"
)
USED = "from .main import {name}\n\ndef touch(a, i):\n    a[i] = 1\n\nmade = {name}({given})\n"


@pytest.mark.parametrize(("given", "fine"), [("touch", True), ("load()", False)])
def test_callers_in_the_package_give_functions(tmp_path: Path, given: str, fine: bool) -> None:
    k = package(tmp_path, main=HEAD + MADE, other=USED.format(name="Pair", given=given))
    assert (given_up(k) == []) is fine
    assert k.functions == (("g",) if fine else ())


def test_a_module_of_the_name_of_what_it_defines(tmp_path: Path) -> None:
    k = package(
        tmp_path, init="from .main import main\n", other=USED.format(name="main", given="touch"),
        main=HEAD + FACTORY.replace("def make(f, n)", "def main(f, n=3)"),
    )  # fmt: skip
    assert given_up(k) == [] and places(k) == ["i"]


BASE = (
    "class Base:\n    def __init__(self):\n        self.made = self.make()\n\n"
    "    def make(self):\n        {body}\n\n    def kernel(self):\n"
    "        g = numba.njit(getattr(self, 'made'))\n        @cuda.jit\n        def k(x):\n"
    "            g(x, cuda.grid(1))\n        return k\n\n"
    "class One(Base):\n    def make(self):\n        def f(a, i):\n            a[i] = 1\n        return f\n\n"
    "class Two(One):\n    def make(self):\n        def f(a, i):\n            a[i + 1] = 1\n        return f\n"
)


@pytest.mark.parametrize("body", ["raise NotImplementedError", "return lambda a, i: 0"])
def test_a_method_may_be_that_of_a_subclass(body: str) -> None:
    k = kernel(HEAD + BASE.format(body=body), "k")
    assert given_up(k) == [] and len(places(k)) == 2 and len(set(places(k))) == 2


def test_what_is_none_elsewhere_is_called_where_it_is_a_function() -> None:
    text = "try:\n    def g(a, i):\n        a[i] = 1\nexcept ImportError:\n    g, h = None, None\n\n"
    k = kernel(HEAD + text + "@cuda.jit\ndef k(x):\n    g(x, cuda.grid(1))\n", "k")
    assert given_up(k) == [] and len(places(k)) == 1
