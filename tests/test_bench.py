"""The benchmark scripts: archives cannot write outside their folder, and the counts are right."""

from __future__ import annotations

import io
import os
import tarfile
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import tables
from corpus import PackageResult, tasks
from fetch import safe, unpack
from isolate import Checked, run
from lowering import lowered
from packages import CORPUS

from gpulint.cli.worker import Task
from gpulint.ir.span import NOWHERE
from gpulint.report.model import FileReport, KernelReport, ObligationReport, SiteReport


@pytest.mark.parametrize("name", ["../x.py", "/etc/x.py", "a/../../x.py", "..\\x.py", "c:/x.py"])
def test_unsafe_names_are_refused(name: str) -> None:
    assert not safe(name)


@pytest.mark.parametrize("name", ["x.py", "pkg/sub/x.py", "pkg/..x.py"])
def test_plain_names_are_taken(name: str) -> None:
    assert safe(name)


def test_a_wheel_that_climbs_out_writes_nothing(tmp_path: Path) -> None:
    wheel = tmp_path / "bad-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("../evil.py", "x = 1")
    with pytest.raises(ValueError, match="unsafe"):
        unpack(wheel, tmp_path / "in")
    assert not (tmp_path / "evil.py").exists()


def test_links_in_a_source_archive_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "pkg-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as archive:
        link = tarfile.TarInfo("pkg/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        real = tarfile.TarInfo("pkg/real.py")
        real.size = 5
        archive.addfile(real, io.BytesIO(b"x = 1"))
    unpack(path, tmp_path / "in")
    assert [p.name for p in (tmp_path / "in").rglob("*.py")] == ["real.py"]


def test_every_package_is_pinned() -> None:
    pinned = [p for packages in CORPUS.values() for p in packages]
    assert all(len(p.sha256) == 64 and p.version for p in pinned)
    assert len({p.folder for p in pinned}) == len(pinned)


def result() -> PackageResult:
    asked = [ObligationReport("in-range", v, NOWHERE) for v in ("proved", "proved-under", "undecided")]
    kernel = KernelReport("k", "k.py", "numba", NOWHERE, "undecided", obligations=tuple(asked), seconds=0.2)
    report = FileReport("k.py", kernels=(kernel, kernel))
    return PackageResult("pkg-1", 7, [Checked(Path("k.py"), report, "", 0.5)])


def test_a_kernel_bears_its_share_of_the_file() -> None:
    assert tables.kernel_seconds([result()]) == pytest.approx([0.25, 0.25])


def test_counts_of_a_package() -> None:
    cells = dict(zip(tables.OVERVIEW, tables.counts("pkg-1", [result()]), strict=True))
    assert cells["files"] == 7
    assert cells["kernels"] == 2
    assert cells["undecided"] == 2
    assert cells["obligations"] == 6
    assert cells["proved (under)"] == "66.7%"
    assert cells["median ms"] == "250"


@pytest.mark.parametrize(
    ("status", "verdicts", "rung", "stands"),
    [
        ("refuted", ["refuted"], "", "refuted"),
        ("undecided", ["proved", "proved-under"], "", "any"),
        ("verified", ["proved", "proved"], "sites", "sites"),
        ("undecided", ["proved", "undecided"], "", "open"),
        ("unsupported", ["proved"], "", "open"),
        ("undecided", [], "", "open"),
        ("verified", [], "", "any"),
    ],
)
def test_how_far_a_kernel_is_decided(status: str, verdicts: list[str], rung: str, stands: str) -> None:
    asked = tuple(ObligationReport("in-range", v, NOWHERE, rung=rung) for v in verdicts)
    assert tables.standing(KernelReport("k", "k.py", "triton", NOWHERE, status, obligations=asked)) == stands


def test_what_is_asked_of_launches_is_none_of_the_kernels_obligations() -> None:
    own = ObligationReport("in-range", "proved", NOWHERE)
    asked = (own, *(ObligationReport(p, "undecided", NOWHERE) for p in ("covered", "no-alias")))
    sites = tuple(SiteReport(NOWHERE, status) for status in ("meets", "undecided"))
    kernel = KernelReport("k", "k.py", "triton", NOWHERE, "undecided", obligations=asked, sites=sites)
    assert tables.standing(kernel) == "any"
    assert tables.launches_shown([kernel]) == "0.0%"
    assert tables.launches_shown([replace(kernel, sites=sites[:1])]) == "100.0%"


def test_only_files_with_kernels_are_checked_and_know_their_neighbours(tmp_path: Path) -> None:
    for name, text in (("a.py", "from numba import cuda"), ("b.py", "import numba.cuda"), ("c.py", "x = 1")):
        (tmp_path / name).write_text(text)
    found = tasks(sorted(tmp_path.iterdir()))
    assert [t.path.name for t in found] == ["a.py", "b.py"]
    assert [p.name for p in found[0].neighbours] == ["b.py"]


def test_quantiles_are_members() -> None:
    values = [float(n) for n in range(1, 101)]
    assert [tables.quantile(values, q) for q in (0.0, 0.5, 0.99, 1.0)] == [1.0, 50.0, 99.0, 100.0]
    assert tables.quantile([], 0.5) == 0.0


def test_reasons_are_counted_without_names() -> None:
    assert tables.kind_of("the index `j` of 3 axes") == tables.kind_of("the index `k + 1` of 2 axes")


def _burn(task: Task) -> FileReport:
    while True:
        pass


def _die(task: Task) -> FileReport:
    os._exit(7)


def _raise(task: Task) -> FileReport:
    raise KeyError(task.number)


def test_a_file_that_takes_too_long_is_cut_off() -> None:
    done = run(Task(0, Path("x.py"), False), _burn, 1)
    assert done.report is None
    assert "CPU" in done.limit


def test_a_process_that_dies_costs_its_file_alone() -> None:
    assert "exit code 7" in run(Task(0, Path("x.py"), False), _die, 5).limit


def test_an_exception_is_kept_with_its_traceback() -> None:
    assert "KeyError: 3" in run(Task(3, Path("x.py"), False), _raise, 5).failure


def test_lowering_names_what_is_not_understood(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(
        "import triton\nimport triton.language as tl\nfrom other import mystery\n\n"
        "@triton.jit\ndef k(x):\n    mystery(x)\n    tl.store(x, 0)\n"
    )
    report = lowered(Task(0, path, False))
    assert [k.status for k in report.kernels] == ["unsupported"]
    assert [f.span.row for f in report.findings] == [7]


def test_what_a_file_costs_is_counted_alike_each_time(tmp_path: Path) -> None:
    import speed

    path = tmp_path / "k.py"
    path.write_text("from numba import cuda\n\n\n@cuda.jit\ndef k(x, n):\n    x[cuda.grid(1) * n] = 0\n")
    first, second = speed.alone(path), speed.alone(path)
    assert first is not None and second is not None
    assert first["counts"] == second["counts"] and first["counts"]["eliminations"] > 0
    assert speed.lost(first, second) == []
    worse = {**second, "verdicts": {}}
    decided = {v for v in first["verdicts"] if not v.endswith("undecided")}
    assert set(speed.lost(first, worse)) == decided != set()
