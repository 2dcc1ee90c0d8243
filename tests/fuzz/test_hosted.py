"""Programs with host code: well formed, launched as Python would, and held against their verdicts."""

from __future__ import annotations

import ast

import pytest
from fuzz import host, sites
from fuzz.hold import MODES
from fuzz.refuted import unfounded
from fuzz.runhost import draw, launch_of

from gpulint.solver.verdict import REFUTED, Obligation, Verdict, Witness

SAMPLE = [host.seeded(seed) for seed in range(120)]


def test_programs_are_python_with_a_main() -> None:
    for program in SAMPLE:
        (main,) = [
            f for f in ast.parse(program.text).body if isinstance(f, ast.FunctionDef) and f.name == "main"
        ]
        assert [a.arg for a in main.args.args] == [*program.numbers, *(a.name for a in program.given)]


@pytest.mark.parametrize(
    "construct",
    ["device_array_like", "device_array(", "np.arange(", "math.ceil(", "raise ValueError", "assert ",
     "// threads", "-(-", "max(1, ", ".shape !=", "syncthreads"],
)  # fmt: skip
def test_every_construct_occurs(construct: str) -> None:
    assert sum(construct in p.text for p in SAMPLE) >= 2


def test_most_inputs_launch_something() -> None:
    made = [launch_of(p, i) for p in SAMPLE for i in draw(p, 6)]
    assert sum(x is not None for x in made) > len(made) // 2


def program(body: str, given: str = "") -> host.HostProgram:
    kernel = host.generate.Program("", 1, (host.ArrayParam("x", 1, "data", "float32"),), (), "0")
    text = (
        "import math\nimport numpy as np\nfrom numba import cuda\n\n@cuda.jit\ndef k(x):\n"
        f"    i = cuda.grid(1)\n    if i < x.size:\n        x[i] = i\n\ndef main(n, m):\n    {body}\n"
    )
    kernel = host.generate.Program(text, 1, kernel.arrays, (), "0")
    return host.HostProgram(text, kernel, ("n", "m"), (), "0")


ROUND_UP = "x = cuda.device_array(n, np.float32)\n    k[math.ceil(n / 4), 4](x)"
ROUND_DOWN = "x = cuda.device_array(n, np.float32)\n    k[max(1, n // 4), 4](x)"


def test_the_launch_is_what_python_computes() -> None:
    launch = launch_of(program(ROUND_UP), {"n": 5, "m": 1})
    assert launch is not None
    assert (launch.grid, launch.block, launch.arrays["x"].shape) == ((2, 1, 1), (4, 1, 1), (5,))
    assert launch_of(program(ROUND_UP), {"n": 0, "m": 1}) is None  # an empty grid
    assert launch_of(program(ROUND_UP), {"n": -1, "m": 1}) is None  # an array of negative size


def test_a_grid_that_is_rounded_up_stands_and_one_rounded_down_is_refuted() -> None:
    right, found = sites.examine(program(ROUND_UP), 12)
    assert right.status == "verified" and not found
    wrong, found = sites.examine(program(ROUND_DOWN), 12)
    assert wrong.status == "refuted" and not found


def test_a_claim_that_is_too_good_is_seen() -> None:
    right, _ = sites.examine(program(ROUND_UP), 1)
    wrong = program(ROUND_DOWN)
    kernel, _ = sites.decided(wrong.text)
    runs = sites.brute(kernel, [x for i in draw(wrong, 12) if (x := launch_of(wrong, i)) is not None])
    assert "is said to be covered" in sites.broken(right, runs)[0]


def test_a_witness_that_shows_nothing_is_seen() -> None:
    right = program(ROUND_UP)
    kernel, result = sites.decided(right.text)
    access = next(v.obligation.access for v in result.verdicts if v.obligation.access is not None)
    o = Obligation("in-range", "write", access.span, access=access, axis=0)
    w = Witness({"n": 5}, (2, 1, 1), (4, 1, 1), (), array="x", element=(5,), extents=(5,), replayed=True)
    made = result.__class__((Verdict(o, REFUTED, witness=w, site=result.sites[0].site),), (), "refuted")
    (text,) = unfounded(made, kernel, right.kernel, right)
    assert "a run shows" in text


@pytest.mark.parametrize("mode", sorted(MODES))
@pytest.mark.parametrize("seed", range(900, 906))
def test_no_verdict_is_contradicted(mode: str, seed: int) -> None:
    text, result, found = MODES[mode](seed, 8)
    assert result.verdicts
    assert not found, f"{found[0]}\n{text}"
