"""Words for single causes: what is said of an op, and of a leaf that the script itself has spoiled."""

from __future__ import annotations

import pytest
from why_scripts import LEAF, causes


@pytest.mark.parametrize(
    ("dtype", "left", "turn"), [("float32", "1.4013e-45", "951"), ("float64", "5e-324", "26")]
)
def test_what_is_too_small_for_a_number_depends_on_the_type(dtype: str, left: str, turn: str) -> None:
    said = causes(
        f"w = torch.tensor(0.5, dtype=torch.{dtype}, requires_grad=True)\ny = w\n"
        "for i in range(1100):\n    y = y * 0.5\ny.backward()"
    )
    assert said == [
        f"4: the gradient has shrunk to {left} on its way to y_{turn}, and times the next factor"
        " (0.5) it is too small for a number"
    ]


def test_values_of_one_name_are_told_apart_by_their_lines() -> None:
    code = "h = x * 500\nh = torch.exp(h)\nh = h * 2\nh.backward()"
    assert causes(LEAF.format("2.") + code) == [
        "3: h_1 is inf already on the way forward: exp grows beyond the largest number: h_0 = 1000"
    ]


def test_calls_of_a_function_are_told_apart_by_their_number() -> None:
    code = "def f(v):\n    r = torch.exp(v)\n    return r\ny = f(x) + f(x * 1000)\ny.backward()"
    assert causes(LEAF.format("1.") + code) == [
        "3: r_2 is inf already on the way forward: exp grows beyond the largest number: x*1000 = 1000"
    ]


def test_a_sum_that_nearly_cancels_is_no_rounding() -> None:
    for nearly in ("0.9999", "(1 - 1e-12)"):
        assert causes(LEAF.format("3.") + f"y = x * 1 - x * {nearly}\ny.backward()") == []


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "h = torch.ones(3, 1) - x\ny = (h * torch.tensor([[1.], [-2.], [1.]])).sum()",
            ["2: x goes into 3 entries of h, and what arrives at them (entries from -2 to 1) adds up to 0"],
        ),
        (
            "h = torch.ones(3, 2) + x\ny = (h * torch.tensor([[0.1], [0.2], [-0.3]])).sum()",
            [
                "2: x goes into 6 entries of h, and what arrives at them (entries from -0.3 to 0.2) adds up"
                " to 0, up to rounding (1.11022e-16)"
            ],
        ),
        ("h = torch.ones(3, 1) + x\ny = (h * torch.tensor([[0.1], [0.2], [-0.2999]])).sum()", []),
        (
            "h = F.linear(torch.ones(3, 2), torch.ones(1, 2), x)\n"
            "y = (h * torch.tensor([[1.], [-2.], [1.]])).sum()",
            ["2: x goes into 3 entries of h, and what arrives at them (entries from -2 to 1) adds up to 0"],
        ),
    ],
)
def test_what_arrives_at_the_copies_of_an_input_may_cancel(code: str, words: list[str]) -> None:
    assert causes(f"{LEAF.format('[4.]')}{code}\ny.backward()") == words


def test_a_sum_in_single_precision_is_rounded_sooner() -> None:
    code = "h = x * 1\ny = h * 0.1 + h * 0.2 - h * 0.3\ny.backward()"
    [cause] = causes(LEAF.format("3., dtype=torch.float32") + code)
    assert cause.endswith(
        "-0.3 through h*0.3, 0.2 through h*0.2, 0.1 through h*0.1; -7.45058e-09 is what rounding left"
    )
    near = "h = x * 1\ny = h * 1 - h * 0.9999\ny.backward()"
    assert causes(LEAF.format("3., dtype=torch.float32") + near) == []
    assert causes(LEAF.format("3.") + "h = x * 1\ny = h * 1 - h * (1 - 1e-8)\ny.backward()") == []


CHAIN = "y = x\nfor i in range({}):\n    y = {}\ny.backward()"


@pytest.mark.parametrize(
    ("start", "code", "words"),
    [
        ("1.", CHAIN.format(9, "y * 0.1"), "9 times by 0.1, together by 1e-09, through y * 0.1 in line 4"),
        ("1.", CHAIN.format(9, "y * 10"), "9 times by 10, together by 1e+09, through y * 10 in line 4"),
        (
            "1.",
            "y = x * 1e-4\n" + CHAIN.format(5, "y * 0.1").replace("y = x\n", ""),
            "5 times by 0.1, together by 1e-05, through y * 0.1 in line 4;"
            " by 0.0001 through x * 1e-4 in line 2",
        ),
        (
            "1.",
            CHAIN.format(9, "2 * y * 0.05"),
            "9 times by 0.05, together by 1.95e-12, through 2 * y * 0.05 in line 4;"
            " other factors enlarge it, together by 512",
        ),
    ],
)
def test_factors_that_shrink_a_gradient_are_put_together(start: str, code: str, words: str) -> None:
    [said] = causes(LEAF.format(start) + code)
    assert said.endswith(f" on its way: {words}")


@pytest.mark.parametrize(
    "code",
    [
        CHAIN.format(6, "y * 0.5"),  # not that small
        CHAIN.format(4, "y * 1e-3"),  # few factors: they may be meant
        "y = x * 1e-30\ny.backward()",
        CHAIN.format(50, "y * 1.0"),
        "(x * 1e-9 * 2 * 3 * 4 * 5 * 6).backward()",
    ],
)
def test_a_gradient_that_is_small_by_few_factors_is_not_told_of(code: str) -> None:
    assert causes(LEAF.format("1.") + code) == []


def test_the_gradient_that_was_started_from_counts() -> None:
    assert (
        causes(
            LEAF.format("1.")
            + CHAIN.format(9, "y * 1").replace("backward()", "backward(torch.tensor(1e-20))")
        )
        == []
    )


def test_a_small_gradient_beside_a_softmax_is_no_rounding() -> None:
    code = "t = (x * 1e-3).sum()\ns = torch.softmax(x, 0).sum() * 1e14\ny = t + s\ny.backward()"
    assert causes(LEAF.format("[0., 0.]") + code) == []


def test_an_unlikely_class_is_no_rounding() -> None:
    code = "p = F.softmax(x, 1)\nL = F.nll_loss(p.log(), torch.tensor([1]))\nL.backward()"
    assert causes(LEAF.format("[[50., 0.]]") + code) == []


def test_the_entry_of_a_divisor_that_is_broadcast_is_told() -> None:
    code = "v = x.var(0, unbiased=False)\ny = (x - x.mean(0)) / v.sqrt()\nL = y.sum()\nL.backward()"
    [said] = causes(LEAF.format("[[1., 1.], [1., 2.]]") + code)
    assert said.endswith("0/0 is nan: entry [0, 0] of x - x.mean(0) = 0, entry [0] of v.sqrt() = 0")


@pytest.mark.parametrize(
    ("x", "function", "words"),
    [
        ("1.", "torch.erfinv(x)", "erfinv has finite values between -1 and 1 only: x = 1"),
        ("0.", "torch.lgamma(x)", "lgamma has no finite value at 0 and at negative whole numbers: x = 0"),
        (
            "[1e200, 2e200]",
            "x.var()",
            "the result is beyond the largest number: x (entries from 1e+200 to 2e+200)",
        ),
    ],
)
def test_why_a_value_is_infinite(x: str, function: str, words: str) -> None:
    [said] = causes(LEAF.format(x) + f"y = {function}\ny.backward()")
    assert words in said


def test_a_determinant_of_0_is_told() -> None:
    [said] = causes(
        "A = torch.tensor([[1., 2.], [2., 4.]], requires_grad=True)\nL = torch.logdet(A)\nL.backward()"
    )
    assert said.endswith(": the determinant is 0, and its logarithm -infinity: A (entries from 1 to 4)")


def test_the_base_without_a_logarithm_is_told() -> None:
    code = "y = (torch.tensor([2., -1.]) ** x).sum()\ny.backward()"
    [said] = causes(LEAF.format("2.") + code)
    assert said.endswith("has log(base) in it, and entry [1] of [2, -1] = -1 has no logarithm")


def test_the_choice_is_found_behind_what_is_done_entry_by_entry() -> None:
    code = "y = torch.tensor(3.)\nz = (torch.stack([x, y]) * 2 + 1).max()\nz.backward()"
    assert causes(LEAF.format("1.") + code) == ["3: z takes other entries, and those get the gradient"]


def test_an_overflow_is_told_where_it_begins() -> None:
    code = "e = torch.exp(x)\np = e / e.sum()\nloss = -torch.log(p)[1]\nloss.backward()"
    assert causes(LEAF.format("[1000., 1.]") + code) == [
        "2: e is inf already on the way forward: exp grows beyond the largest number: entry [0] of x = 1000;"
        " the gradient becomes nan at torch.log(p) in line 4"
    ]


def test_a_deviation_of_equal_entries_has_the_slope_0() -> None:
    assert causes(LEAF.format("[2., 2., 2.]") + "s = 3 * x.std()\ns.backward()") == [
        "2: the slope of x.std() is 0 where all entries are equal: x (2 in all entries)"
    ]


FUNCTION = """class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, v):
        return v * 2
    @staticmethod
    def backward(ctx, g):
        return g * float("inf")
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (  # two ways lead down from the zeros, and neither alone is at fault
            LEAF.format("-3.") + "h = torch.relu(x) * torch.relu(x - 1)\ny = h ** 2\ny.backward()",
            "3: the slope of y is 2*h, which is 0 here: h = 0",
        ),
        (
            LEAF.format("[[1., 0.], [1., 1.]]")
            + "y = torch.log(x).T\nz = torch.where(y < 0, 0, y)\nz.sum().backward()",
            "2: torch.log(x) is -inf already on the way forward: the logarithm of 0 is -infinity:"
            " entry [0, 1] of x = 0; what arrives there is 0, and 0 times infinity is nan: where in line 3"
            " leaves this branch out, but not its derivative",
        ),
        (  # the branch is taken: the product stops it
            LEAF.format("0.") + "y = torch.where(x >= 0, torch.sqrt(x) * x, 0)\ny.backward()",
            "2: the slope of sqrt is 1/(2*sqrt(x)), which has no bound at 0: x = 0; what arrives there is 0,"
            " and 0 times infinity is nan: the product in line 2 has a 0 for this entry, but not for its"
            " derivative",
        ),
        (
            LEAF.format("0.") + "y = 0 * (x * torch.log(x))\ny.backward()",
            "2: torch.log(x) is -inf already on the way forward: the logarithm of 0 is -infinity: x = 0; the"
            " gradient becomes nan at x*torch.log(x)",
        ),
        (  # an entry that is chosen is not finite as well
            LEAF.format("[0., -1.]")
            + "y = torch.where(x < 0, x * torch.log(x * x - 1), 0)\ny.sum().backward()",
            "2: torch.log(x*x - 1) is nan already on the way forward: the logarithm of a negative number is"
            " nan: entry [0] of x*x - 1 = -1; the gradient becomes nan at x*torch.log(x*x - 1)",
        ),
        (
            LEAF.format("3.") + FUNCTION + "y = torch.where(x > 5, Gate.apply(x), 0)\ny.backward()",
            "9: Gate.backward answers what is not finite: x = 3",
        ),
        (
            LEAF.format("3.") + "y = x * 2\ny.backward(torch.tensor(0.))",
            "2: the gradient that was started from is 0",
        ),
        (
            LEAF.format("[1000., 0.]") + "p = torch.softmax(x, 0)\np[0].backward()",
            "2: p has levelled out, its slope is too small for a number: x (entries from 0 to 1000)",
        ),
        (
            LEAF.format("3.") + "y = torch.where(x > 5, x * 2, torch.tensor(1.))\ny.backward()",
            "2: y takes the other branch: the condition is False",
        ),
        (
            LEAF.format("3.") + "y = torch.where(x > 1, torch.tensor(1.), x * 2)\ny.backward()",
            "2: y takes the other branch: the condition is True",
        ),
        (
            LEAF.format("[1., 3.]") + "y = torch.where(x > 2, x, 1)\ny[0].backward()",
            "2: y takes the other branch: the condition is True in some entries",
        ),
        (
            LEAF.format("3.") + "c = torch.tensor(0.)\ny = c / x\ny.backward()",
            "3: c = 0 is divided by x = 3 in y",
        ),
        (
            LEAF.format("3.") + "c = torch.tensor(float('inf'))\ny = x / c\ny.backward()",
            "3: x = 3 is divided by c = inf in y",
        ),
        (
            LEAF.format("[0., 0.]") + "y = x.square().sum()\ny.backward()",
            "2: the slope of x.square() is 2*x, which is 0 here: x (0 in all entries)",
        ),
        (
            LEAF.format("[0., 0.]") + "n = 3\nv = x + 0\ny = (v * 2)**n\ny.sum().backward()",
            "4: the slope of y is 3*(v*2)**2, which is 0 here: v*2 (0 in all entries)",
        ),
        (
            LEAF.format("[0., 0.]")
            + "p = torch.tensor([2., 3.], requires_grad=True)\nh = x * 1\ny = h**p\ny.sum().backward()",
            "4: the slope of y is p*h**(p - 1), which is 0 here: h (0 in all entries)",
        ),
        (
            LEAF.format("[0., 0.]") + "h = x * 3\ny = h.square().sum()\ny.backward()",
            "3: the slope of h.square() is 2*h, which is 0 here: h (0 in all entries)",
        ),
        (
            LEAF.format("[-3., -2.]") + "h = x.clamp(min=0)\ny = (2 * h).norm()\ny.backward()",
            "2: h is flat beyond its bounds: x (entries from -3 to -2)",
        ),
        (
            LEAF.format("-3.") + "h = torch.relu(x)\ny = h * h\ny.backward()",
            "2: h passes nothing on where its input is not positive: x = -3",
        ),
        (
            LEAF.format("0.") + "p = torch.tensor(2., requires_grad=True)\ny = x**-p\ny.backward()",
            "3: y is inf already on the way forward: a negative power has no value at 0: x = 0, -p = -2",
        ),
        (
            LEAF.format("1.") + "e = torch.tensor(float('inf'))\ny = (x - e + e) * x\ny.backward()",
            "3: x - e + e is nan already on the way forward: -inf + inf is nan: x - e = -inf, e = inf;"
            " the gradient becomes nan at y",
        ),
    ],
)
def test_words(script: str, words: str) -> None:
    assert causes(script) == [words]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (
            "y = torch.sqrt(x * 2)",
            "2: the slope of sqrt is 1/(2*sqrt(x*2)), which has no bound at 0: x*2 = 0",
        ),
        (
            "b = torch.tensor(0., requires_grad=True)\ny = torch.hypot(2 * b, x * 3)",
            "3: the slope of hypot is (x*3)/hypot(2*b, x*3), which is 0/0 where both are 0: x*3 = 0",
        ),
        (
            "y = torch.rsqrt(x - 1)",
            "2: y is nan already on the way forward: 1/sqrt(x - 1) has no value where x - 1 is not positive:"
            " x - 1 = -1",
        ),
        (
            "y = torch.reciprocal(x + 0)",
            "2: y is inf already on the way forward: 1/(x + 0) has no finite value at 0: x + 0 = 0",
        ),
    ],
)
def test_slopes_are_written_in_the_names_of_the_script(code: str, words: str) -> None:
    assert causes(f"{LEAF.format('0.')}{code}\ny.backward()") == [words]
