"""What ``why`` says of leaves that the script itself has spoiled, and of the turn in which it did."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.grammar.execution import execute
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.repair import gradient_remedies, nan_history
from autodiff.grammar.repair.gradient_remedies import add_remedies
from autodiff.grammar.session.run import Settings, differentiate
from why_scripts import LEAF, LOOP, causes


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (  # the gradient is spoiled by what was nan all along, not by the leaf
            "w = torch.tensor(2., requires_grad=True)\nx = torch.tensor([1., float('nan')])\n"
            + LOOP.format("(w * x).sum()", "w -= 0.1 * w.grad"),
            "2: x holds nan itself; the gradient becomes nan at w*x in line 5;"
            " then w became nan in line 8, at its 1st change there",
        ),
        (  # in the fourth pass; the two before it were thrown away
            "w = torch.tensor([3., 1.], requires_grad=True)\n"
            + LOOP.format("torch.sqrt(w[0]) + w[1]", "w[0] -= 1.0 if i < 3 else w.grad[0]"),
            "4: the slope of sqrt is 1/(2*sqrt(w[0])), which has no bound at 0: w[0] = 0;"
            " then w became -inf in line 7, at its 4th change there",
        ),
        (  # a gradient that was not finite, but was not used
            "w = torch.tensor(1., requires_grad=True)\n"
            + LOOP.format("w * 2 if i else torch.sqrt(w - 1)", "w -= 1e308 if i > 2 else 0.0"),
            "7: w becomes -inf at its 5th change here; it was -1e+308 before",
        ),
        (
            "w = torch.tensor(float('nan'), requires_grad=True)\n"
            + LOOP.format("w ** 2", "w -= 0.1 * w.grad"),
            "1: w holds nan itself; the gradient becomes nan at loss in line 4",
        ),
    ],
)
def test_where_a_leaf_was_spoiled(script: str, words: str) -> None:
    assert causes(script) == [words]


def test_all_gradients_of_a_graph_have_the_leaf_that_was_spoiled_first_as_their_cause() -> None:
    script = (
        "a = torch.tensor(2., requires_grad=True)\nb = torch.tensor(0.5, requires_grad=True)\n"
        "for i in range(20):\n    a.grad = b.grad = None\n    loss = (a * b - 7) ** 2\n    loss.backward()\n"
        "    with torch.no_grad():\n        b -= 1.5 * b.grad\n        a -= 1.5 * a.grad"
    )
    settings, source = Settings(wrt=["a", "b"]), Source(script, "script.ad")
    execution = execute(source, settings, discard_text, discard_warning)
    report = describe(differentiate(execution, settings), source, graph=False)
    add_remedies(report, execution, settings)
    [[of_a], [of_b]] = [derivation.causes for derivation in report.derivations]
    assert of_a.text == of_b.text
    assert of_a.line in (8, 9)


def test_a_run_too_long_to_be_repeated_is_not_said_to_have_begun_with_nan(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gradient_remedies, "MOST_STEPS", 3)
    script = "w = torch.tensor(0., requires_grad=True)\n" + LOOP.format("torch.sqrt(w)", "w -= w.grad * 0")
    assert causes(script) == [
        "1: w holds nan, having been changed in place since this line;"
        " the gradient becomes nan at loss in line 4"
    ]


ANEW = """data = 3.0
val = {}
for i in range({}):
    w = torch.tensor(val, requires_grad=True)
    loss = {}
    loss.backward()
    val = w.item() - {} * w.grad.item()
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (
            ANEW.format("2.0", 8, "(w * data - 1) ** 4", "0.5"),
            "4: w grows faster and faster with each turn (-748, 6.79e+10, -5.07e+34, ..., 2.11e+106) and"
            " becomes -inf the 6th time it is made here, nan the 7th: the steps are too large",
        ),
        (
            ANEW.format("1.0", 4, "torch.sqrt(w - i / 2)", "1"),
            "5: the slope of sqrt is 1/(2*sqrt(w - i/2)), which has no bound at 0: w - i/2 = 0; then w became"
            " -inf in line 4, the 3rd time it is made there",
        ),
        (
            ANEW.format("1.0", 4, "w * data", "1e308"),
            "4: w becomes -inf the 2nd time it is made here; it was 1 before",
        ),
        (  # the first one was nan already
            ANEW.format("float('nan')", 3, "w * data", "1"),
            "4: w holds nan itself; the gradient has a value all the same",
        ),
    ],
)
def test_the_turn_is_told_in_which_a_leaf_made_anew_was_spoiled(script: str, words: str) -> None:
    assert causes(script) == [words]


def test_leaves_that_one_line_has_made_are_looked_at_once(monkeypatch) -> None:
    made = []

    class Counted(nan_history.LeafHistory):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)

    monkeypatch.setattr(nan_history, "LeafHistory", Counted)
    loop = "for i in range(50):\n    w = torch.tensor(math.nan, requires_grad=True)\n    L = L + w*x\n"
    causes(LEAF.format("0.") + f"L = 0.\n{loop}L.backward()")
    assert 51 <= len(made) <= 53
