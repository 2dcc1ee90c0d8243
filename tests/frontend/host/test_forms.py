"""The forms in which host code launches kernels."""

from gpulint.term import show


def test_stream_and_shared(in_function):
    site = in_function("k[1, 32, 0, n * 4](x, n)").one
    assert site.shared_bytes is not None and show(site.shared_bytes) == "4 * n"


def test_configuration_in_a_name(in_function):
    found = in_function("config = (n, 64)\nk[config](x, n)")
    assert (found.grid, found.block) == ("n", "64")


def test_spread_configuration(in_function):
    found = in_function("config = (n, 64)\nk[(*config, 0)](x, n)")
    assert (found.grid, found.block) == ("n", "64")


def test_forall(in_function):
    found = in_function("k.forall(n)(x, n)")
    assert found.one.forall
    assert found.block == "k.forall(n).threads_per_block"
    block = found.one.block
    assert block is not None and (block[0].lo, block[0].hi) == (32, 1024)
    assert found.grid == "(k.forall(n).threads_per_block + n - 1) // k.forall(n).threads_per_block"


def test_forall_with_threads(in_function):
    found = in_function("k.forall(n, tpb=64)(x, n)")
    assert (found.grid, found.block) == ("(n + 63) // 64", "64")


def test_configured_dispatcher_in_a_name(in_function):
    found = in_function("run = k[n, 32]\nrun(x, n)")
    assert found.grid == "n"
    assert found.one.span.row == 19


def test_kernel_chosen_by_a_condition(in_function):
    found = in_function("kern = k if n > 0 else k2\nkern[n, 32](x, n)")
    assert sorted(s.kernel for s in found) == ["k", "k2"]
    by_kernel = {s.kernel: {show(f) for f in s.facts} for s in found}
    assert "n >= 1" in by_kernel["k"] and "n <= 0" in by_kernel["k2"]


def test_kernel_from_a_dictionary(in_function):
    found = in_function("table = {'a': k, 'b': k2}\ntable['b'][1, 32](x, y, n)")
    assert found.one.kernel == "k2"
    found = in_function("table = {'a': k, 'b': k2}\ntable[m][1, 32](x, y, n)")
    assert sorted(s.kernel for s in found) == ["k", "k2"]


FACTORY = """
def make(width):
    @cuda.jit
    def inner(x):
        x[cuda.grid(1)] = width
    return inner
"""


def test_kernel_from_a_factory(launches):
    found = launches(FACTORY + "def f(x):\n    make(3)[1, 32](x)\n")
    assert found.one.kernel == "make.inner"
    assert found.one.arguments["x"].name == "x"


def test_kernel_from_a_factory_in_a_name(launches):
    assert launches(FACTORY + "kern = make(3)\ndef f(x):\n    kern[2, 32](x)\n").grid == "2"


def test_function_compiled_by_a_call(launches):
    found = launches(
        """
        def body(x):
            x[cuda.grid(1)] = 0

        def f(x):
            cuda.jit("void(float32[:])")(body)[3, 32](x)

        compiled = cuda.jit(body)

        def g(x):
            compiled[4, 32](x)
        """
    )
    assert [show(s.grid[0]) for s in found] == ["3", "4"]
    assert {s.kernel for s in found} == {"body"}


def test_kernel_within_a_method(launches):
    found = launches(
        """
        class TestIt:
            def test_one(self):
                @cuda.jit
                def inner(x):
                    x[cuda.grid(1)] = 1
                x = np.zeros(10)
                inner[1, 10](x)
        """
    )
    assert found.one.kernel == "TestIt.test_one.inner"
    assert found.arguments == ["x[10]"]


def test_kernel_held_by_an_object(launches):
    found = launches(
        """
        class Runner:
            def __init__(self, n):
                self.kernel = k
                self.n = n
                self.out = cuda.device_array(n)

            def run(self):
                self.kernel[self.n, 32](self.out, self.n)
        """
    )
    assert found.grid == "self.n"
    assert found.arguments == ["self.out[self.n]", "self.n"]
    assert found.one.exact


def test_attributes_changed_elsewhere_are_not_known(launches):
    found = launches(
        """
        class Runner:
            def __init__(self, n):
                self.n = n

            def grow(self):
                self.n = self.n * 2

            def run(self, x):
                k[self.n, 32](x, 1)
        """
    )
    assert not found.one.exact


def test_module_level_and_main(launches):
    found = launches("x = np.zeros(100)\nif __name__ == '__main__':\n    k[1, 128](x, 100)\n")
    assert found.arguments == ["x[100]", "100"]
    assert found.one.function == ""


def test_device_functions_are_not_launched(launches):
    assert not launches("@cuda.jit(device=True)\ndef d(x):\n    return x\n\ndef f(x):\n    d[1, 1](x)\n")


def test_expected_failures_are_inexact(launches):
    found = launches(
        """
        class TestIt:
            def test_raises(self):
                with self.assertRaises(ValueError):
                    k[1, 32](np.zeros(3), 3)
        """
    )
    assert not found.one.exact and "the launch is expected to fail" in found.one.notes


def test_wrong_number_of_arguments_is_noted(in_function):
    assert in_function("k[1, 32](x)").one.notes == ("1 arguments are given for 2 parameters",)


def test_kernel_of_another_module(tmp_path):
    from gpulint.frontend.host import kernels_in_reach, sites
    from gpulint.source.resolve import Project

    (tmp_path / "kernels.py").write_text(
        "from numba import cuda\n\n@cuda.jit\ndef far(x):\n    x[cuda.grid(1)] = 1\n"
    )
    body = (
        "import kernels\nfrom kernels import far\n\ndef f(x):\n    far[1, 2](x)\n    kernels.far[3, 4](x)\n"
    )
    (tmp_path / "host.py").write_text(body)
    project = Project([tmp_path])
    host = project.load(tmp_path / "host.py")
    assert host is not None
    found = sites(host, project, kernels_in_reach(host, project))
    assert [show(s.grid[0]) for s in found if s.grid] == ["1", "3"]
    assert all(
        s.kernel == "far" and s.kernel_file.endswith("kernels.py") and s.kernel_row == 4 for s in found
    )


TWO_D = """
from numba import cuda

@cuda.jit
def k(x):
    i, j = cuda.grid(2)
    if i < x.shape[0] and j < x.shape[1]:
        x[i, j] = 0
"""


def test_an_unknown_configuration_has_the_kernels_dimensions(launches):
    found = launches("def f(x, blocks, threads):\n    k[blocks, threads](x)\n", TWO_D)
    assert (found.grid, found.block) == ("blocks[0], blocks[1]", "threads[0], threads[1]")
    assert found.one.ranked


def test_an_unknown_configuration_of_a_kernel_of_one_dimension_is_a_number(launches):
    found = launches("def f(x, n, blocks):\n    k[blocks, 32](x, n)\n")
    assert found.grid == "blocks" and not found.one.ranked


HELD = """
class Runner:
    def prepare(self):
        self.run = self.configured()
    def configured(self):
        return k[4, 64]
    def start(self, x, n):
        self.run(x, n)
"""


def test_a_dispatcher_kept_in_an_object_by_another_method(launches):
    found = launches(HELD)
    assert (found.grid, found.block) == ("4", "64")


def test_a_dispatcher_that_is_kept_twice_is_not_known(launches):
    assert launches(HELD + "    def change(self):\n        self.run = k[8, 64]\n") == []


PASSED = """
def check(func, x, n, threads):
    cuda.jit(func)[1, threads](x, n)
def a(x): pass
def b(x): pass
def run(x, n):
    check(a, x, n, 32)
    check(b, x, n, 64)
"""


def test_a_call_that_compiles_what_it_is_given_launches_that_function(launches):
    found = {(s.kernel, str(s.block[0])) for s in launches(PASSED.replace("(x): pass", "(x, n): pass"))}
    assert found == {("a", "32"), ("b", "64")}


def test_no_shared_memory_is_given_unless_the_launch_says_so(in_function):
    shared = in_function("k[1, 32](x, n)").one.shared_bytes
    assert shared is not None and shared.value == 0
