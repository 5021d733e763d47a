"""What a script is warned of: once a line, before what it prints next, and before an error as in torch."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.help.warnings import WARNING_HELP, warning_help
from autodiff.grammar.session.run import Settings

LEAF = "x = torch.tensor([2., 3.], requires_grad=True)\n"


def heard(text: str) -> list[str]:
    """What a script says in its order: the first words of warnings, what it prints, its error."""
    said: list[str] = []
    try:
        execute(
            Source(text),
            Settings(),
            lambda line: said.append(f"prints {line.strip()}"),
            lambda warning, span: said.append(f"warns {' '.join(warning.split()[:2])}"),
        )
    except AutodiffError as error:
        said.append(f"fails {error.code}")
    return [line for line in said if line != "prints"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("y = x * 2\nprint(y.grad)", ["warns The .grad", "prints None"]),
        ("y = x * 2\nz = y.grad", ["warns The .grad"]),
        ("y = x * 2\nz = y.grad\nz + 1", ["warns The .grad", "fails E0203"]),
        ("y = x * 2\nprint(y.grad * 2)", ["warns The .grad", "fails E0203"]),
        ("F.mse_loss(x, torch.ones(3))", ["warns Using a", "fails E0301"]),
        ("float(x)", ["warns Converting a", "fails E0305"]),
        ("int(x)", ["fails E0305"]),
        ("y = x * 2\nfor i in range(3): z = y.grad", ["warns The .grad"]),
        ("y = x * 2\nz = y.grad; z = torch.tensor(x)", ["warns The .grad", "warns To copy"]),
    ],
)
def test_what_is_heard(text: str, expected: list[str]) -> None:
    assert heard(LEAF + text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "(x * 2).grad",
        "float(x[0])",
        "torch.tensor(x)",
        "x.sum().backward(create_graph=True)",
        "F.softmax(x)",
        "F.mse_loss(x, torch.ones(2, 1))",
        "x.T",
        "torch.ones(1).std()",
        "torch.meshgrid(x, x)",
        "torch.cross(torch.ones(2, 3), torch.ones(2, 3))",
        "F.kl_div(x, x)",
    ],
)
def test_a_warning_is_explained(text: str) -> None:
    warnings: list[str] = []
    execute(Source(LEAF + text), Settings(), lambda line: None, lambda said, span: warnings.append(said))
    assert len(warnings) == 1
    assert len(warning_help(warnings[0])) == 1


def test_no_two_explanations_meet() -> None:
    assert all(len(warning_help(part)) == 1 for part in WARNING_HELP)
    assert warning_help("anything else") == ()


def test_a_leaf_that_was_scaled_is_explained_with_the_line_that_was_meant() -> None:
    text = "w = torch.randn(3, requires_grad=True) * 0.01\nprint(w.grad)\n"
    execution = execute(Source(text), write=lambda text: None)
    [(warning, span)] = execution.warnings
    [told] = warning_help(warning, execution.source, span)
    assert told.endswith("make the result the leaf: `w = (torch.randn(3) * 0.01).requires_grad_()`")


@pytest.mark.parametrize(
    ("call", "paired"),
    [
        ("F.mse_loss(pred, labels)", "labels.view_as(pred)"),
        ("F.l1_loss(pred.view(3, 1), target=labels*2)", "(labels*2).view_as(pred.view(3, 1))"),
        ("F.huber_loss(target=labels, input=pred)", "labels.view_as(pred)"),
        ("torch.nn.MSELoss()(pred, labels)", "labels.view_as(pred)"),
        ("F.mse_loss(pred, labels[:1])", None),
        ("F.mse_loss(*both)", None),
    ],
)
def test_what_is_broadcast_is_paired_in_the_words_of_the_call(call: str, paired: str | None) -> None:
    text = f"pred = torch.ones(3, 1)\nlabels = torch.ones(3)\nboth = [pred, labels]\nL = {call}"
    execution = execute(Source(text), write=lambda text: None)
    [(warning, span)] = execution.warnings
    [told] = warning_help(warning, execution.source, span)
    assert told.endswith(f"every pair is compared; `{paired}` pairs entry by entry" if paired else "compared")
    if paired:
        names = execute(Source(f"{text}\nmeant = {paired}")).names
        assert names["meant"].shape == (3, 1)
