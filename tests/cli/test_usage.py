"""Exit codes, hints, and the small commands."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import gpulint


@pytest.mark.parametrize("word", ["version", "--version", "-V"])
def test_version(shell, word):
    ran = shell(word)
    assert (ran.code, ran.out) == (0, f"gpulint {gpulint.__version__}\n")


def test_version_imports_nothing_heavy():
    script = (
        "import sys; before = set(sys.modules); from gpulint.cli.main import main; main(['version']);"
        "print(sorted(m for m in set(sys.modules) - before if not m.startswith('gpulint')))"
    )
    out = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    loaded = out.splitlines()[-1]
    for heavy in ("argparse", "json", "ast", "'re'", "dataclasses", "'typing'", "pathlib"):
        assert heavy not in loaded


@pytest.mark.parametrize(
    ("args", "hint"),
    [
        (("chek",), "unknown command `chek`; did you mean `check`?"),
        (("--verson",), "unknown option `--verson`; did you mean `--version`?"),
        (("check", "--selct", "GL1"), "unknown option `--selct`; did you mean `--select`?"),
        (("check", "--output-format", "xml"), "invalid choice"),
        (("check", "--select", "GL7x"), "no rule fits `GL7x`"),
        (("check", "--ignore", "out-of-range-reed"), "did you mean `out-of-range-read`?"),
        (("check", "--no-assume", "int32-size"), "no assumption is named `int32-size`"),
        (("check", "--jobs", "0"), "must be a number from 1"),
        (("rule", "GL999"), "no rule `GL999`"),
        (("version", "now"), "`version` takes no arguments"),
        (("ir", "nowhere.py"), "no such file"),
    ],
)
def test_wrong_usage_exits_with_2_and_a_hint(shell, args, hint):
    ran = shell(*args)
    assert ran.code == 2
    assert hint in ran.err
    assert "Traceback" not in ran.err


def test_help_lists_every_command(shell):
    ran = shell("--help")
    assert ran.code == 0
    for name in ("check", "rule", "ir", "list", "version"):
        assert f"\n  {name}" in ran.out


@pytest.mark.parametrize("command", ["check", "rule", "ir", "list"])
def test_help_of_a_command(shell, command):
    ran = shell(command, "--help")
    assert ran.code == 0
    assert f"usage: gpulint {command}" in ran.out


def test_no_command_is_wrong(shell):
    ran = shell()
    assert ran.code == 2
    assert "usage: gpulint" in ran.err


def test_rule_by_code_and_by_name(shell):
    assert shell("rule", "gl203").out == shell("rule", "unguarded-launch-tail").out
    assert shell("rule", "GL203").out.startswith("# unguarded-launch-tail (GL203)\n")


def test_rules_are_listed(shell):
    lines = shell("rule").out.splitlines()
    assert any(line.startswith("GL203  unguarded-launch-tail") for line in lines)
    assert len(shell("rule", "--all").out.splitlines()) > 5 * len(lines)


def test_rules_as_json(shell):
    (page,) = json.loads(shell("rule", "GL301", "--output-format", "json").out)
    assert page["name"] == "write-write-race"
    assert "Use instead" in page["sections"]


def test_list(shell):
    shell.write("k.py")
    assert shell("list", "k.py").out == "k.py:5: kernel scale (numba)\n"
    (row,) = json.loads(shell("list", "--json", "k.py").out)
    assert (row["name"], row["kind"], row["row"]) == ("scale", "kernel", 5)


def test_list_names_a_missing_file(shell):
    ran = shell("list", "nowhere.py")
    assert ran.code == 2
    assert "nowhere.py" in ran.err


def test_the_module_runs():
    out = subprocess.run([sys.executable, "-m", "gpulint", "version"], capture_output=True, text=True)
    assert (out.returncode, out.stdout) == (0, f"gpulint {gpulint.__version__}\n")


def test_the_decorator_returns_the_kernel_itself():
    def kernel() -> None: ...

    assert gpulint.contract(block=(256, 1, 1), requires=["n <= x.size"])(kernel) is kernel
    assert vars(kernel) == {}


def test_the_decorator_works_before_and_after_the_package_of_its_name_is_imported():
    script = (
        "import sys, gpulint; f = gpulint.contract(requires=[])(len); assert f is len;"
        "assert not [m for m in sys.modules if m.startswith('gpulint.c')];"
        "import gpulint.contract.clause; assert gpulint.contract(requires=[])(len) is len"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
