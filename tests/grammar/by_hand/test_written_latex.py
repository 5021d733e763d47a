"""LaTeX as people write it: environments, indices, indicators; what may mean several things is refused."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import UsageError
from hand_checks import check, check_steps

CHOICE = "x = 1.5\ny = relu(x)*x"
VECTOR = "x = [1., -2., 0.5]\nL = (x**2).sum()"
MATRIX = "X = [[1., 2.], [3., 4.], [0.5, 1.]]\nw1 = [1., -1.]\nL = ((X @ w1)**2).sum()"
RIGHT = [
    (CHOICE, r"dy/dx = \begin{cases} 2x & x > 0 \\ 0 & \text{otherwise} \end{cases}", "where(x > 0, 2*x, 0)"),
    (CHOICE, r"dy/dx = \begin{cases} 2x & \text{if } x > 0 \\ 0 & \text{else} \end{cases}", None),
    (
        CHOICE,
        r"dy/dx = \begin{cases} 2x, & \text{if $x > 0$} \\[2pt] 0, & \mathrm{otherwise.} \end{cases}",
        None,
    ),
    (CHOICE, r"dy/dx = \begin{cases} 2x & \mathrm{if}~x \geq 0 \\ 0 & if x < 0 \end{cases}", None),
    (CHOICE, r"dy/dx = x \begin{cases} 2 & x > 0, \\ 0 & x \leq 0. \end{cases}", None),
    (CHOICE, r"dy/dx = \begin{cases} 3 & x > 9 \\ 2x & x > 0 \\ 0 & \text{otherwise} \end{cases}", None),
    (
        CHOICE,
        r"dy/dx = \begin{cases} \begin{cases} 2x & x > 0 \\ 1 & \text{else} \end{cases} & x > -1 \\"
        r" 0 & \text{else} \end{cases}",
        "where(x > -1, where(x > 0, 2*x, 1), 0)",
    ),
    (VECTOR, r"\frac{\partial L}{\partial \mathbf{x}} = 2 \mathbf{x}", "2*x"),
    (
        VECTOR,
        r"dL/dx = 2 x_{[0]} \mathbf{e}_{[0]} + 2 x_{[1]} \mathbf{e}_{[1]} + 2 x_{[2]} \mathbf{e}_{[2]}",
        None,
    ),
    (VECTOR, r"dL/dx_{[1]} = 2 x_{[1]}", "2*x[1]"),
    (VECTOR, r"dL/dx = \begin{pmatrix} 2x_{[0]} \\ 2x_{[1]} \\ 2x_{[2]} \end{pmatrix}", None),
    (VECTOR, r"dL/dx = \begin{bmatrix} 2 & -4 & 1 \end{bmatrix}^{\top}", None),
    (MATRIX, r"\nabla_{w_1} L = 2 X^\top X w_1", "2*X.T @ X @ w1"),
    (MATRIX, r"dL/dw_1 = 2 \left(X^{\top} X\right) \mathbf{w}_1", None),
    (MATRIX, r"dL/dw_1 = 2 \bigl(X^\intercal X\bigr) w^{[1]}", None),
]


@pytest.mark.parametrize(("script", "text", "read"), RIGHT)
def test_it_is_read(script: str, text: str, read: str | None) -> None:
    for found in (check(script, text), *check_steps(script, text)):
        assert found.verdict in ("right", "right here"), found.formula
        assert read in (None, " ".join(found.formula.split()))
    left, _, right = text.partition(" = ")
    assert check(script, f"{left} = 1.5 ({right})").verdict == "wrong"


def test_cases_over_several_lines_of_a_file() -> None:
    choice = "\\begin{cases}\n  2x & x > 0 \\\\\n  0 & \\text{else}\n\\end{cases}"
    steps = f"\\begin{{align}}\nda &= 3 \\\\\ndx &= {choice} \\\\\n\\end{{align}}"
    script = "x = 1.5\na = relu(x)*x\nL = 3*a"
    found = check_steps(script, steps.replace("2x", "6x"))
    assert [one.verdict for one in found] == ["right", "right"]
    found = check_steps(script, "% the derivation\n" + steps)
    assert [(one.verdict, one.step and one.step[1]) for one in found] == [("right", 3), ("wrong", 4)]


def test_comments_behind_an_equation_say_what_names_stand_for() -> None:
    script = "x = [1., -2., 0.5]\nL = where(x > 0, x**2, 3*x).sum()"
    text = "dL/dx = \\begin{cases} 2x & t_{1} \\\\ 3 & \\text{otherwise} \\end{cases}\n% t1 = x > 0\n"
    assert check(script, text).verdict == "right"
    assert check(script, text.replace("x > 0", "x < 0")).verdict == "wrong"


@pytest.mark.parametrize(
    ("script", "text", "told", "way"),
    [
        (
            VECTOR,
            r"dL/dx = 2\sum_{i=2} x_i",
            "does not say over which entries",
            "write sum(...) of all entries",
        ),
        (VECTOR, r"dL/dx = \prod x_i", "does not say over which entries", "write prod(...)"),
        (VECTOR, r"dL/dx[1] = 2 x_{1}", "'x_1' is not defined", "an entry is written x[1], counted from 0"),
        (CHOICE, r"dy/dx = \begin{cases} 2x \\ 0 \end{cases}", "has no condition", "write rows such as"),
        (
            CHOICE,
            r"dy/dx = \begin{cases} 0 & \text{else} \\ 2x & x > 0 \end{cases}",
            "has no condition",
            "rows",
        ),
        (VECTOR, r"2 x_{[0]} \mathbf{e}_{[0]}", "known from a left side only", "eye(n)[k]"),
    ],
)
def test_what_may_mean_several_things_is_refused(script: str, text: str, told: str, way: str) -> None:
    with pytest.raises(UsageError) as raised:
        check(script, text)
    assert told in raised.value.message
    assert way in " ".join(raised.value.help)
