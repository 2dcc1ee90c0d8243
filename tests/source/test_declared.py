from __future__ import annotations

import pytest

from gpulint.source.kernels import find
from gpulint.source.load import load_text
from gpulint.source.model import Module
from gpulint.source.resolve import Project

IMPORT = "import gpulint\nfrom numba import cuda\n"


def clauses(text: str) -> list[str]:
    module = load_text(IMPORT + text, "m.py")
    assert isinstance(module, Module), module
    [kernel] = find(module, Project())
    return [clause for clause, _ in kernel.declared]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ("block=(256, 1, 1)", ["block == (256, 1, 1)"]),
        ("block=B", ["block == (64, 1, 1)"]),
        ("grid=(4, 2)", ["grid == (4, 2, 1)"]),
        ("block=n", ["block == n"]),
        ("max_shared=48 * 1024", ["max_shared == 49152"]),
        ("cooperative=True", ["cooperative == 1"]),
        ("requires=['n <= x.size', 'noalias(x, y)']", ["n <= x.size", "noalias(x, y)"]),
        ("requires='n > 0'", ["n > 0"]),
        ("requires=RULES", ["a > 0", "b > 0"]),
        ("requires=[unknown]", ["unknown"]),
    ],
)
def test_decorator(arguments: str, expected: list[str]) -> None:
    text = f"B = 64\nRULES = ['a > 0', 'b > 0']\n@gpulint.contract({arguments})\n@cuda.jit\ndef f(x): pass\n"
    assert clauses(text) == expected
    below = f"B = 64\nRULES = ['a > 0', 'b > 0']\n@cuda.jit\n@gpulint.contract({arguments})\ndef f(x): pass\n"
    assert clauses(below) == expected


def test_comments_above_in_the_head_and_at_the_start_of_the_body() -> None:
    text = (
        "x = 1  # gpulint: requires no1 > 0\n"
        "\n"
        "# gpulint: requires a > 0\n"
        "# words\n"
        "@cuda.jit\n"
        "# gpulint: requires b > 0\n"
        "def f(x):  # gpulint: requires c > 0\n"
        '    """Words."""\n'
        "    # gpulint: requires d > 0\n"
        "    y = 1  # gpulint: requires no2 > 0\n"
        "    # gpulint: requires no3 > 0\n"
    )
    assert clauses(text) == ["a > 0", "b > 0", "c > 0", "d > 0"]


def test_a_blank_line_ends_the_comments_above() -> None:
    assert clauses("# gpulint: requires a > 0\n\n@cuda.jit\ndef f(x): pass\n") == []


def test_comment_spans_are_exact() -> None:
    module = load_text(IMPORT + "@cuda.jit\ndef f(é):  # gpulint: requires  é > 0\n  pass\n", "m.py")
    assert isinstance(module, Module)
    [(text, span)] = find(module, Project())[0].declared
    assert module.lines[span.row - 1][span.column : span.end_column] == text == "é > 0"


def test_a_contract_of_another_name_is_none() -> None:
    text = "from gpulint import contract as c\n@c(block=32)\n@cuda.jit\ndef f(x): pass\n"
    assert clauses(text) == ["block == (32, 1, 1)"]
    assert clauses("from other import contract\n@contract(block=32)\n@cuda.jit\ndef f(x): pass\n") == []


def test_decorator_spans_are_exact() -> None:
    text = "@gpulint.contract(block=32, requires=['n > 0'])\n@cuda.jit\ndef f(x): pass\n"
    module = load_text(IMPORT + text, "m.py")
    assert isinstance(module, Module)
    spans = [span for _, span in find(module, Project())[0].declared]
    shown = [module.lines[s.row - 1][s.column : s.end_column] for s in spans]
    assert shown == ["block=32", "'n > 0'"]


def test_a_second_comment_is_no_part_of_the_clause() -> None:
    assert clauses("# gpulint: requires a > 0  # why\n@cuda.jit\ndef f(x): pass\n") == ["a > 0"]
