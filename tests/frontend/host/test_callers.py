"""Functions that launch, and those that call them."""

import pytest

from gpulint.term import show

HELPER = """
def launch(grid, block, x, n):
    k[grid, block](x, n)
"""


def test_public_helper_is_kept_with_its_caller(launches):
    found = launches(HELPER + "\ndef f(n):\n    launch(n // 32, 32, np.zeros(n), n)\n")
    assert [len(s.callers) for s in found] == [0, 1]
    own, called = found
    assert show(own.grid[0]) == "grid" and show(called.grid[0]) == "n // 32"
    assert show(called.block[0]) == "32" and called.arguments["x"].fresh


def test_private_helper_is_left_to_its_callers(launches):
    found = launches(
        HELPER.replace("launch", "_launch") + "\ndef f(n):\n    _launch(n, 32, np.zeros(n), n)\n"
    )
    assert len(found) == 1 and found[0].callers


def test_private_helper_that_escapes_is_kept(launches):
    text = (
        HELPER.replace("launch", "_launch")
        + "\ndef f(n):\n    _launch(n, 32, np.zeros(n), n)\n    return _launch\n"
    )
    assert [bool(s.callers) for s in launches(text)] == [False, True]


def test_number_of_callers_is_bounded(launches):
    calls = "".join(f"    launch({i}, 32, np.zeros({i}), {i})\n" for i in range(1, 30))
    found = launches(HELPER + "\ndef f():\n" + calls)
    assert len(found) == 9


def test_method_helpers(launches):
    found = launches(
        """
        class A:
            def _go(self, n, x):
                k[n, 32](x, n)

            def run(self, x):
                self._go(7, x)
        """
    )
    assert found.grid == "7"


def test_nested_function_sees_the_enclosing_names(launches):
    found = launches(
        """
        def f(x):
            blocks = x.size // 8
            def inner(y):
                k[blocks, 8](y, 3)
            return inner
        """
    )
    assert found.grid == "x.size // 8"
    assert found.one.function == "f.inner"


def test_result_of_a_function_with_branches(launches):
    found = launches(
        """
        def pick(n):
            if n > 100:
                return 256
            return 64

        def f(x, n):
            k[1, pick(n)](x, n)
        """
    )
    assert found.block == "256 if n >= 101 else 64"


def test_recursion_ends(launches):
    found = launches("def f(x, n):\n    k[n, 32](x, n)\n    f(x, n - 1)\n")
    assert found.grid == "n"


def test_facts_of_a_checking_helper(launches):
    found = launches(
        """
        def check(n):
            if n < 4:
                raise ValueError

        def f(x, n):
            check(n)
            k[1, 32](x, n)
        """
    )
    assert "n >= 4" in found.facts


def test_defaults_count_when_a_call_leaves_them(launches):
    found = launches("def g(x, t=64):\n    k[1, t](x, 1)\n\ndef f():\n    g(np.zeros(4))\n")
    assert [show(s.block[0]) for s in found] == ["t", "64"]


def test_generators_are_not_followed(launches):
    assert len(launches("def g(x):\n    k[1, 2](x, 1)\n    yield 1\n\ndef f(x):\n    g(x)\n")) == 1


@pytest.mark.parametrize(
    ("helper", "forwarded"),
    [
        (HELPER, [True, False]),
        (HELPER.replace("grid, block]", "grid, 32]"), [False, False]),
        (HELPER.replace("grid, block]", "grid + 1, block]"), [False, False]),
    ],
)
def test_a_helper_that_passes_the_sizes_on(launches, helper, forwarded):
    found = launches(helper + "\ndef f(n):\n    launch(n // 32, 32, np.zeros(n), n)\n")
    assert [s.forwarded for s in found] == forwarded
    assert [s.forwarded for s in launches(helper)] == [False]


def test_callers_are_counted_for_each_kernel(launches):
    kernels = "".join(
        f"    @cuda.jit\n    def k{i}(x, n):\n        x[0] = n\n    run(k{i})\n\n" for i in range(12)
    )
    found = launches("def run(kernel):\n    kernel[1, 1](np.zeros(9), 9)\n\ndef main():\n" + kernels)
    assert {s.kernel.rpartition(".")[2] for s in found} == {f"k{i}" for i in range(12)}
