"""Autotuners and heuristics."""

from gpulint.term import show
from tests.frontend.host.tile_snippets import given, launched

HEAD = """
import triton
import triton.language as tl
"""
KERNEL = """
@triton.jit
def k(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr = False):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 0, mask=i < n)

def f(x, n):
    k[lambda META: (triton.cdiv(n, META["BLOCK"]),)](x, n)
"""


def tuned(decorators, setup=""):
    return launched(setup + decorators.strip() + KERNEL, HEAD)


def blocks(found):
    return [show(s.arguments["BLOCK"].term) for s in found]


def test_a_site_for_each_configuration():
    found = tuned(
        "@triton.autotune([triton.Config({'BLOCK': 64}, num_warps=2), "
        "triton.Config({'BLOCK': 128})], key=['n'])"
    )
    assert blocks(found) == ["64", "128"]
    assert [show(s.grid[0]) for s in found] == ["(n + 63) // 64", "(n + 127) // 128"]
    assert found[0].config == "BLOCK=64, num_warps=2"
    assert show(found[0].options["num_warps"]) == "2"
    assert all(s.exact for s in found)


def test_equal_meta_parameters_count_once():
    found = tuned(
        "@triton.autotune(configs=[triton.Config({'BLOCK': 64}, num_warps=w) for w in [2, 4, 8]], key=[])"
    )
    assert blocks(found) == ["64"]


def test_comprehensions_over_ranges_and_conditions():
    found = tuned(
        "@triton.autotune(configs=[triton.Config({'BLOCK': b * c}) "
        "for b in [16, 32] for c in range(1, 4) if b * c != 48], key=[])"
    )
    assert blocks(found) == ["16", "32", "64", "96"]


def test_functions_that_list_configurations():
    setup = """
def configs():
    out = []
    for b in (16, 32):
        for w in [2, 4]:
            out.append(triton.Config({"BLOCK": b * w}, num_warps=w))
    return out

"""
    assert blocks(tuned("@triton.autotune(configs=configs(), key=['n'])", setup)) == ["32", "64", "128"]


def test_the_smallest_and_the_largest_of_many():
    found = tuned(
        "@triton.autotune(configs=[triton.Config({'BLOCK': 2 ** e}) for e in range(4, 14)], key=[])"
    )
    assert blocks(found) == ["16", "32", "64", "2048", "4096", "8192"]


def test_lists_chosen_by_the_device():
    found = tuned(
        "@triton.autotune(configs=[triton.Config({'BLOCK': 16})] if HIP "
        "else [triton.Config({'BLOCK': 32})], key=[])",
        "HIP = ask()\n",
    )
    assert blocks(found) == ["16", "32"]


def test_configurations_that_are_not_understood():
    site = tuned("@triton.autotune(configs=load_configs(), key=['n'])").one
    assert not site.exact
    assert any("load_configs()" in note for note in site.notes)
    assert show(site.grid[0]) == "(BLOCK + n - 1) // BLOCK"
    assert "BLOCK >= 1" in {show(f) for f in site.facts}


def test_heuristics_are_conditions_on_the_arguments():
    found = tuned(
        "@triton.autotune([triton.Config({'BLOCK': 64})], key=[])\n"
        "@triton.heuristics({'EVEN': lambda args: args['n'] % args['BLOCK'] == 0})"
    )
    assert given(found, "EVEN") == "1 if n % 64 == 0 else 0"
    assert found.one.exact


def test_heuristics_may_give_numbers():
    found = tuned("@triton.heuristics(values={'BLOCK': lambda args: triton.next_power_of_2(args['n'])})")
    assert given(found, "BLOCK") == "next_power_of_2(n)"
    assert found.grid == "(next_power_of_2(n) + n - 1) // next_power_of_2(n)"


def test_heuristics_that_are_not_understood():
    site = tuned("@triton.heuristics(table('k'))").one
    assert not site.exact and any("table('k')" in note for note in site.notes)


LOCAL = """
@triton.jit
def k(x, n, BLOCK: tl.constexpr, EVEN: tl.constexpr = False):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(x + i, 0, mask=i < n)

def f(x, n):
    tuned = {made}
    tuned[lambda META: (triton.cdiv(n, META["BLOCK"]),)](x, n)
"""


def test_a_tuner_that_the_host_function_puts_around_a_kernel():
    text = LOCAL.format(
        made="triton.autotune(configs=[triton.Config({'BLOCK': b}) for b in (32, 64)], key=['n'])(k)"
    )
    found = launched(text, HEAD)
    assert blocks(found) == ["32", "64"]
    assert [show(s.grid[0]) for s in found] == ["(n + 31) // 32", "(n + 63) // 64"]
    assert all(s.exact for s in found)


def test_heuristics_that_the_host_function_puts_around_a_kernel():
    text = LOCAL.format(made="triton.heuristics({'BLOCK': lambda args: args['n'] * 2})(k)")
    assert blocks(launched(text, HEAD)) == ["2 * n"]


def test_configurations_of_the_host_function_that_are_not_understood():
    (site,) = launched(LOCAL.format(made="triton.autotune(configs=n.made(), key=['n'])(k)"), HEAD)
    assert not site.exact
