"""Results kept between runs: used while nothing that the check read has changed, never believed blindly."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import gpulint.pipeline
from gpulint.cli import entries
from gpulint.config import Config
from gpulint.report.model import FileReport
from gpulint.report.plain import plain, read
from gpulint.source import trace

IMPORTING = """\
from numba import cuda
from sizes import LAST


@cuda.jit
def scale(x):
    i = cuda.grid(1)
    if i <= LAST:
        x[i] = 1.0


def run():
    scale[2, 32](cuda.device_array(32))
"""
LAUNCHING = (
    "from k import scale\n\n\ndef run(x, out):\n    scale[(out.size + 255) // 256, 256](x, out, 2.0)\n"
)


@pytest.fixture
def kept(tmp_path_factory, monkeypatch) -> Path:
    base = tmp_path_factory.mktemp("kept")
    monkeypatch.setenv("XDG_CACHE_HOME", str(base))
    return base / "gpulint"


@pytest.fixture
def checked(monkeypatch) -> list[str]:
    """The files that were really checked."""
    names: list[str] = []
    real = gpulint.pipeline.check_file

    def counted(path, filename, *rest):
        names.append(filename)
        return real(path, filename, *rest)

    monkeypatch.setattr(gpulint.pipeline, "check_file", counted)
    return names


def report(shell, *args):
    ran = shell("check", "--output-format", "json", *args)
    out = json.loads(ran.out)
    del out["summary"]["seconds"]
    return ran.code, out


def test_a_second_run_tells_the_same_and_checks_nothing(shell, scale, kept, checked) -> None:
    shell.write("k.py", scale + "\n\ndef run(x, out):\n    scale[4, 256](x, out, 2.0)\n")
    first = report(shell, "k.py")
    assert first[1]["findings"] and checked == ["k.py"]
    assert report(shell, "k.py") == first
    assert checked == ["k.py"]
    assert all(json.loads(p.read_text())["report"] for p in kept.iterdir())


def test_without_the_cache_nothing_is_read_or_written(shell, scale, kept, checked) -> None:
    shell.write("k.py", scale)
    report(shell, "k.py", "--no-cache")
    assert not kept.exists()
    report(shell, "k.py")
    report(shell, "k.py", "--no-cache")
    assert checked == ["k.py"] * 3


def test_another_text_of_the_file_is_another_question(shell, scale, kept, checked) -> None:
    shell.write("k.py", scale)
    report(shell, "k.py")
    shell.write("k.py", scale.replace("out[i]", "out[i + 1]"))
    report(shell, "k.py")
    shell.write("k.py", scale)
    report(shell, "k.py")
    assert checked == ["k.py"] * 2


def test_a_module_that_is_imported_counts_and_so_does_one_that_was_missing(shell, kept, checked) -> None:
    shell.write("k.py", IMPORTING)
    report(shell, "k.py")
    shell.write("sizes.py", "LAST = 31\n")
    assert report(shell, "k.py")[0] == 0
    shell.write("sizes.py", "LAST = 63\n")
    refuted = report(shell, "k.py")
    assert refuted[0] == 1
    assert checked == ["k.py"] * 3
    shell.write("beside.py", "LAST = 0\n")
    assert report(shell, "k.py") == refuted
    assert checked == ["k.py"] * 3


def test_a_file_beside_that_launches_the_kernel_counts(shell, scale, kept, checked) -> None:
    shell.write("k.py", scale)
    shell.write("host.py", "def run():\n    pass\n")
    before = report(shell, ".", "--jobs", "1")
    shell.write("host.py", LAUNCHING)
    after = report(shell, ".", "--jobs", "1")
    assert before[1]["kernels"] != after[1]["kernels"]
    assert report(shell, ".", "--jobs", "1") == after


def test_options_and_the_name_of_the_file_count(shell, scale, kept, checked) -> None:
    path = shell.write("k.py", scale)
    for args in ([], ["--no-assume", "non-empty"], ["--deny", "undecided"], ["--ignore", "GL203"]):
        report(shell, "k.py", *args)
        report(shell, "k.py", *args)
    report(shell, str(path))
    assert len(checked) == 5


def test_what_gpulint_is_counts(shell, scale, kept, checked, monkeypatch) -> None:
    shell.write("k.py", scale)
    report(shell, "k.py")
    monkeypatch.setattr(entries, "__version__", "another")
    report(shell, "k.py")
    assert len(checked) == 2


def spoiled(entry: Path, how: str) -> None:
    data = json.loads(entry.read_text())
    if how == "cut":
        entry.write_bytes(entry.read_bytes()[:-40])
    elif how == "noise":
        entry.write_bytes(bytes(range(256)) * 4)
    elif how == "pickle":
        entry.write_bytes(b"\x80\x04\x95\x0f\x00\x00\x00\x00\x00\x00\x00\x8c\x05posix\x94.")
    elif how == "deep":
        entry.write_text("[" * 200_000)
    elif how == "list":
        entry.write_text("[1, 2]")
    elif how == "verified":
        entry.write_text(entry.read_text().replace("undecided", "verified").replace("refuted", "verified"))
    elif how == "types":
        data["report"][1] = [[7] * 12]
        data["check"] = entries.seal(data["report"], data["seen"])
        entry.write_text(json.dumps(data))
    elif how == "question":
        data["seen"].append(["import os", "/", "0"])
        data["check"] = entries.seal(data["report"], data["seen"])
        entry.write_text(json.dumps(data))
    elif how == "writable":
        entry.chmod(0o666)
    elif how == "link":
        entry.rename(entry.with_suffix(".moved"))
        entry.symlink_to(entry.with_suffix(".moved"))
    elif how == "folder":
        entry.unlink()
        entry.mkdir()


HOWS = (
    "cut", "noise", "pickle", "deep", "list", "verified", "types", "question", "writable", "link", "folder",
)  # fmt: skip


@pytest.mark.parametrize("how", HOWS)
def test_an_entry_that_cannot_be_trusted_is_as_good_as_none(shell, scale, kept, checked, how) -> None:
    if sys.platform == "win32" and how in ("writable", "link"):
        pytest.skip("no such rights")
    shell.write("k.py", scale)
    first = report(shell, "k.py")
    (entry,) = kept.iterdir()
    spoiled(entry, how)
    assert report(shell, "k.py") == first
    assert checked == ["k.py"] * 2


def test_a_folder_that_cannot_be_made_is_no_error(shell, scale, tmp_path_factory, monkeypatch) -> None:
    base = tmp_path_factory.mktemp("base")
    (base / "gpulint").write_text("a file")
    monkeypatch.setenv("XDG_CACHE_HOME", str(base))
    shell.write("k.py", scale)
    assert report(shell, "k.py") == report(shell, "k.py")


def test_failures_are_asked_again(shell, scale, kept, monkeypatch) -> None:
    shell.write("k.py", scale)
    with monkeypatch.context() as patch:
        patch.setattr("gpulint.solver.decide.decide", lambda *_: 1 / 0)
        assert "GL002" in {f["code"] for f in report(shell, "k.py")[1]["findings"]}
    assert "GL002" not in {f["code"] for f in report(shell, "k.py")[1]["findings"]}


def test_the_oldest_entries_go_first(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(entries, "MAX_ENTRIES", 8)
    import os

    for n in range(9):
        path = tmp_path / f"{n}.json"
        path.write_text("{}")
        os.utime(path, (n, n))
    entries.prune(tmp_path)
    assert sorted(p.name for p in tmp_path.iterdir()) == [f"{n}.json" for n in range(3, 9)]


@pytest.mark.parametrize(
    ("platform", "env", "want"),
    [
        ("linux", {"XDG_CACHE_HOME": "/c"}, "/c/gpulint"),
        ("linux", {"XDG_CACHE_HOME": "relative", "HOME": "/h"}, "/h/.cache/gpulint"),
        ("darwin", {"HOME": "/h"}, "/h/Library/Caches/gpulint"),
        ("win32", {"LOCALAPPDATA": "/l"}, "/l/gpulint/Cache"),
        ("win32", {}, None),
    ],
)
def test_the_folder_is_the_platforms_own(platform, env, want, monkeypatch) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    found = entries.folder()
    assert (None if found is None else found.as_posix()) == want


def test_a_report_survives_and_anything_else_is_refused() -> None:
    text = "from numba import cuda\n\n\n@cuda.jit\ndef k(x):\n    x[cuda.grid(1) + 1] = 0\n"
    made = gpulint.pipeline.check_file(text, "k.py", Config(), True)
    assert made.findings[0].witness is not None
    assert read(FileReport, json.loads(json.dumps(plain(made)))) == made
    for wrong in (
        None,
        [],
        [1, [], [], 0],
        ["k.py", {}, [], 0],
        ["k.py", [], [], True],
        ["k.py", [], [], 0, 0],
    ):
        with pytest.raises(ValueError, match="no"):
            read(FileReport, wrong)


def test_a_question_answered_in_two_ways_never_holds(tmp_path) -> None:
    path = tmp_path / "a.py"
    path.write_text("a = 1\n")
    with trace.recording() as seen:
        trace.content(path)
        path.write_text("a = 2\n")
        trace.content(path)
    ((question, found),) = seen.items()
    assert trace.answer(question) != found
