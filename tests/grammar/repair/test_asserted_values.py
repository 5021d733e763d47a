"""What a failed assertion says: the values of the two sides that it compares."""

from __future__ import annotations

import pytest
from script_runner import run_script

BEGIN = """\
x = torch.tensor([3., 1.], requires_grad=True)
y = (x**2).sum()
y.backward()
def three_times(a):
    print("called")
    return 3*a
"""
ENTRIES = "entry [0] of `x.grad` is 6.0, entry [0] of `3*x` is 9.0"


@pytest.mark.parametrize(
    ("test", "says"),
    [
        ("y == 3*y + 1", "`y` is 10.0, `3*y + 1` is 31.0"),
        ("y.item() * 2 == 7", "`y.item() * 2` is 20.0"),
        ("(x.grad == 3*x).all()", ENTRIES),
        ("torch.allclose(x.grad, 3*x)", ENTRIES),
        ("(x.grad - 3*x).abs().max() < 1e-6", ENTRIES),
        ("torch.max(torch.abs(x.grad - 3*x)) < 1e-6", ENTRIES),
        ("((x.grad - 3*x)**2).sum() < 1e-6", ENTRIES),
        ("abs(x.grad[0] - 3*x[0]) < 1e-6", "`x.grad[0]` is 6.0, `3*x[0]` is 9.0"),
        ("y > 0 and x.grad.sum() > 100", "`x.grad.sum()` is 8.0"),
        ("x.grad.sum() > 100 and y > 0", "`x.grad.sum()` is 8.0"),
    ],
)
def test_the_two_sides_have_their_values(test: str, says: str) -> None:
    error = run_script(f"{BEGIN}assert {test}\n").error
    assert error is not None
    assert error.caret == f"this does not hold: {says}"


@pytest.mark.parametrize(
    ("test", "says"),
    [
        ("torch.allclose(x.grad, three_times(x))", ""),
        ("[4].pop() == 3", ""),
        ("torch.rand(1) > 2*y", ": `y` is 10.0"),
        ("y.add_(1) < 3", ": `y` is 11.0"),
    ],
)
def test_what_may_change_is_not_computed_again(test: str, says: str) -> None:
    """A function of the script may print, a method may change its value, and random numbers are others."""
    done = run_script(f"{BEGIN}with torch.no_grad():\n    assert {test}\n")
    assert done.error is not None
    assert done.error.caret == f"this does not hold{says}"
    assert done.stdout == "called\n" * ("three_times" in test)
