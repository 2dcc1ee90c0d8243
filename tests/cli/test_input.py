"""Bad input: one clear diagnostic each, and the other files are still checked."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest

BAD = {
    "syntax.py": b"from numba import cuda\n\n@cuda.jit\ndef k(x)\n    pass\n",
    "binary.py": b"\x00\x01\x02cuda\xff" * 50,
    "encoding.py": b"# numba cuda\nname = '\xff\xfe'\n",
    "cookie.py": b"# -*- coding: no-such-codec -*-\nfrom numba import cuda\n",
    "utf16.py": "from numba import cuda\n".encode("utf-16"),
    "brackets.py": b"from numba import cuda\nx = " + b"(" * 5000 + b")" * 5000 + b"\n",
    "minus.py": b"from numba import cuda\nx = " + b"-" * 100_000 + b"1\n",
    "blocks.py": b"from numba import cuda\n" + b"".join(b" " * n + b"if 1:\n" for n in range(120)),
    "huge.py": b"# numba cuda\n" + b"x = 1\n" * 1_000_000,
}


def check(shell, *args):
    ran = shell("check", "--output-format", "json", *args)
    return ran, json.loads(ran.out)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_one_error(shell, name):
    shell.write(name, BAD[name])
    ran, found = check(shell, name)
    assert ran.code == 1
    assert [(f["code"], f["severity"], f["filename"]) for f in found["findings"]] == [
        ("GL001", "error", name)
    ]
    assert "\n" not in found["findings"][0]["message"]
    assert "Traceback" not in ran.err


def test_the_other_files_are_still_checked(shell):
    for name, data in BAD.items():
        shell.write(f"src/{name}", data)
    shell.write("src/good.py")
    _, found = check(shell, "src", "--jobs", "2")
    assert {k["filename"] for k in found["kernels"]} == {str(Path("src", "good.py"))}
    assert {f["filename"] for f in found["findings"] if f["code"] == "GL001"} == {
        str(Path("src", name)) for name in BAD
    }
    assert found["summary"]["files"] == len(BAD) + 1


def test_a_missing_path_is_wrong_usage_but_the_rest_is_checked(shell):
    shell.write("good.py")
    ran, found = check(shell, "nowhere.py", "good.py")
    assert ran.code == 2
    assert "nowhere.py" in ran.err
    assert found["summary"]["files"] == 1


def test_a_folder_without_python(shell):
    (shell.folder / "empty").mkdir()
    ran = shell("check", "empty")
    assert ran.code == 0
    assert "no Python files found" in ran.err


def test_an_empty_file(shell):
    shell.write("empty.py", "")
    ran, found = check(shell, "empty.py")
    assert (ran.code, found["findings"], found["kernels"]) == (0, [], [])


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file(shell):
    shell.write("secret.py").chmod(0)
    _, found = check(shell, "secret.py")
    assert [f["code"] for f in found["findings"]] == ["GL001"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
def test_a_pipe_is_not_waited_for(shell):
    os.mkfifo(shell.folder / "pipe.py")
    _, found = check(shell, "pipe.py")
    assert [f["code"] for f in found["findings"]] == ["GL001"]


def test_decorators_of_an_unexpected_kind(shell):
    text = (
        "from numba import cuda\nimport numba\n"
        "@cuda.jit()()()\ndef a(x): x[0] = 1\n"
        "@(lambda f: cuda.jit(f))\ndef b(x): x[0] = 1\n"
        "@[cuda.jit][0]\ndef c(x): x[0] = 1\n"
        "@cuda.jit(*args, **options)\ndef d(x): x[0] = 1\n"
        "@numba.cuda.jit('void(', device=3 + x)\ndef e(x): x[0] = 1\n"
        "@cuda.jit\nclass F: pass\n"
        "@cuda.jit\nasync def g(x): x[0] = 1\n"
    )
    shell.write("odd.py", text)
    ran = shell("check", "--output-format", "json", "odd.py")
    assert ran.code in (0, 1)
    assert [f for f in json.loads(ran.out)["findings"] if f["code"] == "GL002"] == []


def test_recursion_between_device_functions(shell):
    text = (
        "from numba import cuda\n"
        "@cuda.jit(device=True)\ndef f(n):\n    return g(n - 1) if n > 0 else 0\n"
        "@cuda.jit(device=True)\ndef g(n):\n    return f(n - 1) if n > 0 else 1\n"
        "@cuda.jit\ndef k(x):\n    i = cuda.grid(1)\n    if i < x.size:\n        x[i] = f(i)\n"
    )
    shell.write("rec.py", text)
    _, found = check(shell, "rec.py")
    assert [k["name"] for k in found["kernels"]] == ["k"]
    assert [f for f in found["findings"] if f["code"] == "GL002"] == []


def test_standard_input(shell, stdin, scale):
    stdin(scale.encode())
    _, found = check(shell, "-", "--stdin-filename", "a/b.py")
    assert [k["filename"] for k in found["kernels"]] == ["a/b.py"]


def test_standard_input_that_is_no_text(shell, stdin):
    stdin(b"\xff\xfe\x00cuda")
    ran, found = check(shell, "-")
    assert (ran.code, [f["code"] for f in found["findings"]]) == (1, ["GL001"])
    assert found["findings"][0]["filename"] == "<stdin>"


def test_a_file_without_kernels_needs_no_solver_and_no_libcst(shell):
    import subprocess

    shell.write("plain.py", "x = 1\n")
    script = (
        "import sys; from gpulint.cli.main import main; main(['check', 'plain.py']);"
        "print([m for m in ('z3', 'libcst', 'networkx') if m in sys.modules])"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[2])}
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, check=True)
    assert out.stdout.splitlines()[-1] == "[]"
