"""`gpulint check`, from files to findings."""

from __future__ import annotations

import json

import pytest

GUARDED = """\
from numba import cuda


@cuda.jit
def scale(x, out, a):
    i = cuda.grid(1)
    if i < out.size and i < x.size:
        out[i] = a * x[i]
"""
LAUNCH = """

def run(x, out):
    scale[(out.size + 255) // 256, 256](x, out, 2.0)
"""


def check(shell, *args):
    ran = shell("check", "--output-format", "json", *args)
    return ran.code, json.loads(ran.out)


def codes(found):
    return [f["code"] for f in found["findings"]]


def test_a_launch_in_view_makes_it_an_error(shell, scale):
    shell.write("k.py", scale + LAUNCH)
    code, found = check(shell, "k.py")
    assert code == 1
    (f,) = found["findings"]
    assert (f["code"], f["severity"], f["location"]["row"]) == ("GL203", "error", 7)
    assert f["witness"]["replayed"] is True
    assert [r["location"]["row"] for r in f["related"]] == [7, 11]
    assert found["kernels"][0]["status"] == "refuted"
    assert found["kernels"][0]["launch_sites"][0]["status"] == "violates"


def test_without_a_launch_it_is_a_warning(shell):
    shell.write("k.py")
    code, found = check(shell, "k.py")
    assert code == 1
    assert {f["severity"] for f in found["findings"]} == {"warning"}


def test_the_guarded_twin_is_verified(shell):
    shell.write("k.py", GUARDED + LAUNCH)
    code, found = check(shell, "k.py")
    assert (code, found["findings"]) == (0, [])
    assert found["summary"]["verified"] == 1
    assert "verified: scale" in shell("check", "-v", "k.py").out


def test_launches_in_a_neighbouring_file_count(shell, scale):
    shell.write("pkg/__init__.py", "")
    shell.write("pkg/kernels.py", scale)
    shell.write("pkg/host.py", "from .kernels import scale\n" + LAUNCH)
    _, found = check(shell, "pkg")
    (f,) = found["findings"]
    assert (f["severity"], f["filename"]) == ("error", "pkg/kernels.py")
    assert f["related"][-1]["filename"] == "pkg/host.py"
    _, alone = check(shell, "pkg/kernels.py")
    assert {f["severity"] for f in alone["findings"]} == {"warning"}


def test_select_and_ignore(shell, scale):
    shell.write("k.py", scale + LAUNCH)
    assert codes(check(shell, "--select", "GL3", "k.py")[1]) == []
    assert codes(check(shell, "--ignore", "unguarded-launch-tail", "k.py")[1]) == []
    code, found = check(shell, "--select", "GL1,GL2", "k.py")
    assert (code, codes(found)) == (1, ["GL203"])
    assert found["kernels"][0]["status"] == "refuted"


def test_exit_zero(shell, scale):
    shell.write("k.py", scale + LAUNCH)
    assert check(shell, "--exit-zero", "k.py")[0] == 0


def test_suppressions_silence_and_are_told_when_unused(shell, scale):
    silenced = scale.replace("a * x[i]", "a * x[i]  # gpulint: ignore[GL203] sizes are multiples of 256")
    shell.write("k.py", silenced + LAUNCH)
    assert (check(shell, "k.py")[0], codes(check(shell, "k.py")[1])) == (0, [])
    assert "1 finding suppressed" in shell("check", "k.py").out
    shell.write("g.py", GUARDED.replace("x[i]\n", "x[i]  # gpulint: ignore[GL203] not needed\n"))
    code, found = check(shell, "g.py")
    assert (code, codes(found)) == (0, ["GL020"])


def test_a_failure_in_one_kernel_leaves_the_others(shell, scale, monkeypatch):
    from gpulint.solver import decide as module

    real = module.decide

    def fail(kernel, *rest):
        if kernel.name == "bad":
            raise RuntimeError("two\nlines")
        return real(kernel, *rest)

    monkeypatch.setattr(module, "decide", fail)
    shell.write("k.py", scale.replace("def scale", "def bad") + scale[scale.index("@cuda") :] + LAUNCH)
    _, found = check(shell, "k.py")
    assert {k["name"]: k["status"] for k in found["kernels"]} == {"bad": "undecided", "scale": "refuted"}
    (f,) = [f for f in found["findings"] if f["code"] == "GL002"]
    assert (f["severity"], f["kernel"]) == ("info", "bad")
    assert f["message"].endswith("internal error: RuntimeError: two lines")
    assert "GL002" in shell("check", "k.py").out


def test_host_code_that_fails_leaves_no_kernel_verified(shell, monkeypatch):
    import gpulint.frontend.host as host

    def fail(*_):
        raise RecursionError("deep")

    monkeypatch.setattr(host, "sites", fail)
    shell.write("k.py", GUARDED + LAUNCH)
    _, found = check(shell, "k.py")
    assert found["kernels"][0]["status"] == "undecided"
    assert codes(found) == ["GL002"]


def test_denied_undecided_fails(shell):
    gather = GUARDED.replace("out[i] = a * x[i]", "cuda.atomic.add(out, int(x[i]), 1)")
    shell.write("k.py", gather)
    code, found = check(shell, "k.py")
    assert (code, found["summary"]["undecided"]) == (0, 1)
    assert {f["severity"] for f in found["findings"]} == {"info"}
    code, found = check(shell, "--deny", "undecided", "k.py")
    assert code == 1
    assert {f["severity"] for f in found["findings"]} == {"warning"}


def test_a_device_function_is_no_kernel(shell):
    text = GUARDED.replace("@cuda.jit", "@cuda.jit(device=True)")
    shell.write("k.py", text)
    assert check(shell, "k.py")[1]["kernels"] == []


def test_lifted_assumptions_are_not_listed(shell):
    shell.write("k.py", GUARDED + LAUNCH)
    _, found = check(shell, "--no-assume", "non-empty", "k.py")
    assert found["kernels"][0]["contract"]["assumed"] == ["distinct-arrays", "grid-limits", "int32-sizes"]


def test_workers_say_what_one_process_says(shell, scale):
    for n in range(6):
        shell.write(f"k{n}.py", (scale if n % 2 else GUARDED) + LAUNCH)
    one, many = (check(shell, ".", "--jobs", n)[1] for n in ("1", "2"))
    for found in (one, many):
        del found["summary"]["seconds"]
    assert one == many
    assert len(one["kernels"]) == 6


def test_the_report_fits_the_schema(shell, scale):
    from importlib import resources

    import jsonschema

    shell.write("k.py", scale + LAUNCH)
    shell.write("bad.py", "import numba.cuda\ndef (")
    schema = json.loads(resources.files("gpulint.report").joinpath("schema.json").read_text())
    jsonschema.validate(check(shell, "k.py", "bad.py")[1], schema)


@pytest.mark.parametrize("stage", ["source", "ir", "graph", "accesses", "obligations"])
def test_ir_shows_each_stage(shell, scale, stage):
    shell.write("k.py", scale + LAUNCH)
    ran = shell("ir", "k.py::scale", "--stage", stage)
    assert (ran.code, ran.err) == (0, "")
    words = {
        "source": "out[i] = a * x[i]", "ir": "store out[i]", "graph": "store out[i]",
        "accesses": "write out[", "obligations": "in-range (write): refuted",
    }  # fmt: skip
    assert words[stage] in ran.out


def test_ir_as_dot(shell, scale):
    shell.write("k.py", scale)
    assert shell("ir", "k.py", "--dot").out.startswith("digraph")


def test_ir_of_a_kernel_that_is_not_there(shell, scale):
    shell.write("k.py", scale)
    ran = shell("ir", "k.py::scal")
    assert ran.code == 2
    assert "has no kernel `scal`; did you mean `scale`?" in ran.err
