"""Configuration: pyproject.toml, and options over it."""

from __future__ import annotations

import pytest

from gpulint import config
from gpulint.config import Config, ConfigError, from_table, load
from gpulint.solver.options import ASSUMPTIONS

try:
    import tomllib
except ImportError:
    tomllib = pytest.importorskip("tomli")


def test_assumptions_are_the_solvers():
    assert set(config.ASSUMPTIONS) == set(ASSUMPTIONS)
    assert Config(no_assume=frozenset({"non-empty"})).assume == set(ASSUMPTIONS) - {"non-empty"}


def test_the_nearest_table_counts(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.gpulint]\nselect = ["GL1"]\nno-assume = ["non-empty"]\n')
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    found = load(inner)
    assert found.select == ("GL1",)
    assert found.no_assume == {"non-empty"}


def test_options_replace_the_file(tmp_path):
    base = from_table({"select": ["GL1"], "ignore": ["GL101"]}, "f")
    over = base.with_options(select=("GL3",), ignore=(), deny_undecided=True)
    assert (over.select, over.ignore, over.deny_undecided) == (("GL3",), ("GL101",), True)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"selct": []}, "unknown key `selct` in [tool.gpulint]; did you mean `select`?"),
        ({"select": "GL1"}, "`select` must be a list of strings"),
        ({"exclude": [1]}, "`exclude` must be a list of strings"),
        ({"no-assume": ["big"]}, "no assumption is named `big`"),
        ({"deny-undecided": "yes"}, "must be true or false"),
    ],
)
def test_wrong_tables_say_what_is_wrong(table, words):
    with pytest.raises(ConfigError) as error:
        from_table(table, "pyproject.toml")
    assert words in str(error.value)


def test_a_broken_file_is_wrong_usage(shell):
    shell.write("pyproject.toml", "[tool.gpulint]\nselect = [\n")
    ran = shell("check")
    assert ran.code == 2
    assert "pyproject.toml" in ran.err


def test_isolated_reads_no_file(shell):
    shell.write("pyproject.toml", "[tool.gpulint]\nselect = [\n")
    shell.write("a.py", "x = 1\n")
    assert shell("check", "--isolated", "a.py").code == 0


def test_exclude_leaves_out_folders_but_not_named_files(shell):
    shell.write("pyproject.toml", '[tool.gpulint]\nexclude = ["vendor", "*_gen.py"]\n')
    for name in ("src/a.py", "src/b_gen.py", "vendor/c.py"):
        shell.write(name)
    assert [line.split(":")[0] for line in shell("list", ".").out.splitlines()] == ["src/a.py"]
    assert "c.py" in shell("list", "vendor/c.py").out
