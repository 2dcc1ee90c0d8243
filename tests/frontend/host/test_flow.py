"""Facts, branches, loops."""

from gpulint.term import show


def test_assert_and_raise(in_function):
    found = in_function("assert n % 4 == 0\nif m <= 2:\n    raise ValueError\nk[n, 32](x, m)")
    assert {"n % 4 == 0", "m >= 3"} <= found.facts


def test_early_return(in_function):
    assert "n >= 1" in in_function("if n <= 0:\n    return\nk[1, 32](x, n)").facts


def test_branch_on_the_way(in_function):
    assert (
        "n > m" in in_function("if n > m:\n    k[1, 32](x, n)").facts
        or "m < n" in in_function("if n > m:\n    k[1, 32](x, n)").facts
    )


def test_equal_shapes(in_function):
    facts = in_function("assert x.shape == y.shape\nk2[1, 32](x, y, n)").facts
    assert {"x.size == y.size", "x.shape[0] == y.shape[0]"} <= facts


def test_mismatch_raises(in_function):
    facts = in_function("if x.shape != y.shape:\n    raise ValueError\nk2[1, 32](x, y, n)").facts
    assert "x.size == y.size" in facts


def test_shape_equal_to_a_tuple(in_function):
    found = in_function("assert x.shape == (n, 3)\nk[1, 32](x, n)")
    assert found.arguments[0] == "x[x.shape[0], x.shape[1]]"
    assert "x.shape[1] == 3" in found.facts


def test_conditions_on_types_do_not_matter(in_function):
    found = in_function("if x.dtype != np.float32:\n    raise TypeError\nk[1, 32](x, n)")
    assert found.one.exact and not found.one.facts


def test_conditions_by_unknown_code_make_it_inexact(in_function):
    found = in_function("if not valid(n):\n    return\nk[1, 32](x, n)")
    assert not found.one.exact


def test_unittest_assertions_are_ignored(in_function):
    found = in_function("x.assertEqual(n, 3)\nk[1, 32](x, n)")
    assert found.one.exact and not found.one.facts


def test_merge_selects(in_function):
    found = in_function("if m > 2:\n    t = 32\nelse:\n    t = 64\nk[1, t](x, n)")
    assert found.block == "32 if m >= 3 else 64"
    assert found.one.exact


def test_merge_under_a_flag(in_function):
    found = in_function("t = 32\nif m:\n    t = 64\nk[1, t](x, n)")
    assert found.block == "64 if m else 32" and found.one.exact


def test_merge_of_default_none(launches):
    found = launches("def f(x, n=None):\n    if n is None:\n        n = x.size\n    k[n, 32](x, n)\n")
    assert found.grid == "x.size if n is None else n"


def test_loop_variable(in_function):
    found = in_function("for i in range(2, m):\n    k[1, 32](x, i)")
    assert found.arguments[1] == "i"
    assert "i < m" in found.facts
    assert found.one.exact


def test_loop_with_steps(in_function):
    found = in_function("for i in range(0, n, 64):\n    k[1, 32](x, i)")
    assert found.arguments[1] == "64 * i trip"


def test_loop_over_numbers(in_function):
    found = in_function("for t in (32, 64):\n    k[1, t](x, n)")
    assert found.block == "t" and "t == 32 or t == 64" in found.facts


def test_loop_over_kernels(in_function):
    found = in_function("for kern in (k, k2):\n    kern[1, 32](x, y, n)")
    assert [s.kernel for s in found] == ["k", "k2"]


def test_variables_changed_in_a_loop_are_not_known(in_function):
    found = in_function("s = 1\nfor i in range(m):\n    k[s, 32](x, n)\n    s = s * 2")
    assert found.grid == "s"
    assert not found.one.exact and "`s` changes in a loop" in found.one.notes


def test_variables_that_stay_are_known_in_a_loop(in_function):
    found = in_function("s = n * 2\nfor i in range(m):\n    t = s + 1\n    k[t, 32](x, n)")
    assert found.grid == "2 * n + 1" and found.one.exact


def test_buffers_that_trade_places(in_function):
    found = in_function(
        "a, b = np.zeros(n), np.zeros(n)\nfor _ in range(m):\n    k2[1, 32](a, b, n)\n    a, b = b, a"
    )
    assert found.array().fresh and found.array("y").fresh
    assert found.array().buffer != found.array("y").buffer
    assert found.one.exact


def test_while_gives_its_condition(in_function):
    found = in_function("s = n\nwhile s > 1:\n    k[s, 32](x, n)\n    s = s // 2")
    assert "s >= 2" in found.facts and not found.one.exact


def test_after_a_loop(in_function):
    found = in_function("s = 1\nwhile s < n:\n    s = s * 2\nk[s, 32](x, n)")
    assert "s >= n" in found.facts or "n <= s" in found.facts
    assert not found.one.exact


def test_try_body_is_understood(in_function):
    found = in_function("t = 32\ntry:\n    k[1, t](x, n)\nexcept Exception:\n    t = 64\nfinally:\n    pass")
    assert found.block == "32" and found.one.exact


def test_unreachable_launch_is_none(in_function):
    assert not in_function("if n > 0:\n    if n <= 0:\n        k[1, 32](x, n)")


def test_facts_of_a_branch_end_with_it(in_function):
    found = in_function("if m > 5:\n    n = 3\nk[1, 32](x, m)")
    assert not any("m" in f for f in found.facts)


def test_shown_terms_are_python(in_function):
    for fact in in_function("assert n > 0 and (m < 3 or m == 7)\nk[n, m](x, n)").one.facts:
        compile(show(fact), "<fact>", "eval")


def test_conditions_on_other_things_are_left_out(in_function):
    found = in_function("assert m > 3\nassert n > m + y.size\nk[1, 32](x, 7)")
    assert not found.facts
    assert in_function("assert m > 3\nassert n > m\nk[1, 32](x, n)").facts == {"m >= 4", "m < n"}


def test_random_numbers_are_inputs(in_function):
    found = in_function("k[1, 32](x, np.random.randint(50))")
    assert found.one.exact
    assert {"np.random.randint(50) >= 0", "np.random.randint(50) <= 50"} <= found.facts
