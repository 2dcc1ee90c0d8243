from __future__ import annotations

import ast
import warnings
from pathlib import Path

import pytest

from gpulint.source import load as loading
from gpulint.source.load import load, load_text
from gpulint.source.model import Module, SourceError


def module(text: str) -> Module:
    result = load_text(text, "m.py")
    assert isinstance(result, Module), result
    return result


def error(data: bytes, tmp_path: Path) -> SourceError:
    path = tmp_path / "bad.py"
    path.write_bytes(data)
    result = load(path, "bad.py")
    assert isinstance(result, SourceError), result
    return result


def test_syntax_error_has_its_place(tmp_path: Path) -> None:
    result = error(b"x = 1\ny = = 2\n", tmp_path)
    assert (result.row, result.column) == (2, 4)
    assert "syntax error" in result.message


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\x7fELF\0\0", "binary"),
        (b"# coding: no-such-codec\n", "encoding"),
        (b"x = '\xff'\n", "not valid utf-8"),
        (b"-" * 50_000 + b"1", "deep"),
        (b"(" * 250 + b")" * 250, "nested"),
        (b"+".join([b"a"] * 5000), "deep"),
        (b"if a:\n  pass\n" + b"elif a:\n  pass\n" * 3000, "deep"),
    ],
)
def test_unusable_files_give_one_clear_error(tmp_path: Path, data: bytes, words: str) -> None:
    assert words in error(data, tmp_path).message


def test_undecodable_byte_has_its_place(tmp_path: Path) -> None:
    result = error(b"x = 1\ny = '\xff'\n", tmp_path)
    assert (result.row, result.column) == (2, 5)


def test_missing_file_and_folder(tmp_path: Path) -> None:
    missing, folder = load(tmp_path / "no.py"), load(tmp_path)
    assert isinstance(missing, SourceError) and missing.message == "no such file"
    assert isinstance(folder, SourceError) and folder.message == "not a regular file"


def test_huge_file_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loading, "MAX_BYTES", 10)
    assert "larger than" in error(b"x = 1234567890\n", tmp_path).message


def test_coding_cookie_and_mark_are_honoured(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\nx = '\xe9'\n")
    latin = load(path)
    assert isinstance(latin, Module) and "é" in latin.text
    path.write_bytes(b"\xef\xbb\xbfx = 1\n")
    marked = load(path)
    assert isinstance(marked, Module) and marked.text == "x = 1\n"


def test_spans_count_characters_whatever_the_newline() -> None:
    m = module("s = 'é'; x = 1\r\ny = 2\x0c\rz = 3\n")
    x, z = m.tree.body[1], m.tree.body[3]
    assert (m.span(x).row, m.span(x).column, m.span(x).end_column) == (1, 9, 14)
    assert m.lines[m.span(z).row - 1] == "z = 3"


def test_parsing_gives_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        module("x = '\\d' is 1\n")


def test_name_follows_the_packages(tmp_path: Path) -> None:
    for name in ("p/__init__.py", "p/q/__init__.py", "p/q/m.py", "plain/m.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    names = [load(tmp_path / n) for n in ("p/q/m.py", "p/q/__init__.py", "plain/m.py")]
    assert [m.name for m in names if isinstance(m, Module)] == ["p.q.m", "p.q", "m"]


def kinds(text: str, name: str) -> list[tuple[str, bool]]:
    return [(b.kind, b.conditional) for b in module(text).scope.bindings.get(name, [])]


@pytest.mark.parametrize(
    ("text", "kind", "conditional"),
    [
        ("import a.b as x", "import", False),
        ("x = 1", "assign", False),
        ("x: int = 1", "assign", False),
        ("x: int", "other", False),
        ("x += 1", "augmented", False),
        ("y, (x, z) = 1, (2, 3)", "unpack", False),
        ("for x in y: pass", "loop", False),
        ("for y in z:\n  x = 1", "assign", True),
        ("with y as x: pass", "with", False),
        ("if y:\n  x = 1", "assign", True),
        ("try:\n  x = 1\nexcept E: pass", "assign", True),
        ("try: pass\nexcept E as x: pass", "other", True),
        ("match y:\n  case [x, *_]: pass", "other", True),
        ("del x", "delete", False),
        ("def x(): pass", "function", False),
        ("class x: pass", "class", False),
        ("print(x := 1)", "assign", True),
        ("[x for x in y]", "loop", True),
        ("def f():\n  global x\n  x = 1", "assign", False),
    ],
)
def test_bindings(text: str, kind: str, conditional: bool) -> None:
    assert kinds(text, "x") == [(kind, conditional)]


def test_unpacking_gives_the_index_path() -> None:
    m = module("y, (x, z) = 1, (2, 3)\na, *b, c = y\n")
    assert m.scope.bindings["z"][0].index == (1, 1)
    assert m.scope.bindings["a"][0].index == (0,)
    assert m.scope.bindings["c"][0].kind == "other"


def test_nonlocal_shares_the_outer_binding() -> None:
    m = module("def f():\n  x = 1\n  def g():\n    nonlocal x\n    x = 2\n")
    f = m.scope.children[0]
    assert [b.conditional for b in f.bindings["x"]] == [False, True]
    assert f.children[0].lookup("x") is f.bindings["x"]


def test_scopes_of_nested_functions_lambdas_and_classes() -> None:
    m = module("class C:\n  def m(self, n=1):\n    return lambda q: q\n")
    inner = m.scope.children[0].children[0]
    assert inner.qualname == "C.m"
    assert inner.bindings["n"][0].kind == "param"
    assert inner.children[0].qualname == "C.m.<lambda>"
    assert m.scopes[m.tree] is m.scope


def test_class_names_are_hidden_from_methods() -> None:
    m = module("x = 1\nclass C:\n  x = 2\n  def m(self): return x\n")
    method = m.scope.children[0].children[0]
    assert ast.unparse(method.lookup("x")[0].node) == "x = 1"


def test_relative_imports_are_absolute(tmp_path: Path) -> None:
    (tmp_path / "p/q").mkdir(parents=True)
    for name in ("p/__init__.py", "p/q/__init__.py"):
        (tmp_path / name).write_text("")
    path = tmp_path / "p/q/m.py"
    path.write_text("from ..c import a\nfrom . import b\nfrom .... import d\n")
    m = load(path)
    assert isinstance(m, Module)
    targets = {n: b[0].target for n, b in m.scope.bindings.items()}
    assert targets == {"a": "p.c.a", "b": "p.q.b", "d": "....d"}
