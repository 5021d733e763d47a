"""What reports do on pages of 40 columns and with long names: nothing is cut that there is room for."""

from __future__ import annotations

import pytest

LONG_NAMES = """\
X = torch.tensor([[1., 2.], [3., 4.]])
hidden_weights = torch.tensor([[1., -2.], [0.5, 1.]], requires_grad=True)
hidden_activations = torch.relu(X @ hidden_weights)
predictions = hidden_activations * 2
mean_squared_error = ((predictions - X) ** 2).mean()
"""
DEAD = """\
weights_of_layer_one = torch.tensor([-3., -2.], requires_grad=True)
hidden_layer = torch.relu(weights_of_layer_one)
total_loss = (hidden_layer * 2).sum()
"""


@pytest.mark.parametrize("command", ["run", "explain", "graph", "trace", "check"])
@pytest.mark.parametrize("script", [LONG_NAMES, DEAD])
def test_no_line_is_wider_than_a_narrow_page(autodiff, command, script):
    out = autodiff(command, "-e", script, env={"COLUMNS": "40"}).out
    assert [line for line in out.split("\n") if len(line) > 40] == []


def test_a_tree_on_a_narrow_page_has_whole_names(autodiff):
    out = autodiff("graph", "-e", LONG_NAMES, env={"COLUMNS": "40"}).out
    assert "mean_squared_error\n        mean\n" in out
    assert "\n   [5] X @ hidden_weights\n" in out


def test_names_are_not_shortened_where_there_is_room(autodiff):
    out = autodiff("graph", "-e", LONG_NAMES, env={"COLUMNS": "100"}).out
    assert "`- (predictions - X)**2" in out
    assert "`- X @ hidden_weights  mm " in out
    assert "hid..." not in out


def test_a_title_has_whole_names_where_they_fit(autodiff):
    out = autodiff("explain", "-e", DEAD, env={"COLUMNS": "40"}).out
    assert out.startswith("weights_of_layer_one gets | 0 |\n")


def test_a_long_call_is_broken_at_its_brackets_and_dots(autodiff):
    script = (
        "weights_of_layer_one = torch.tensor([1000., 1.], requires_grad=True)\n"
        "total_loss = torch.log(1 + torch.exp(weights_of_layer_one)).sum()\n"
    )
    out = autodiff("explain", "-e", script, env={"COLUMNS": "40"}).out
    assert "torch.nn.functional\n              .softplus(\n              weights_of_layer_one)\n" in out
