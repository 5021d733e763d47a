"""Outputs that are no single number: ``run`` and ``graph`` show them, others refuse."""

from __future__ import annotations

import json
import shlex

import pytest
from conftest import REPOSITORY

SEEDS = REPOSITORY / "examples" / "seeds"
#: Scripts of the articles that end in a tensor with several entries.
MATRICES = (
    *("2_contagion", "2_dynamic_graph", "2_grad_fn", "4_contagion", "5_computation_graph", "5_variables"),
    *("5_data_and_max", "5_data_and_max_as_shown"),
)
SUM = "the gradients are those of their sum (--grad-output ones)"
VECTOR = "w = torch.tensor([1., 2.], requires_grad=True)\ny = w * 3\n"


@pytest.mark.parametrize("name", MATRICES)
def test_run_shows_what_it_shows_with_ones(autodiff, name) -> None:
    script = SEEDS / f"{name}.ad"
    assumed, asked = (autodiff("run", script, *flags) for flags in ((), ("--grad-output", "ones")))
    assert (assumed.returncode, assumed.out) == (0, asked.out)
    assert SUM in assumed.err
    assert SUM not in asked.err


@pytest.mark.parametrize("name", MATRICES)
def test_the_graph_is_drawn(autodiff, name) -> None:
    script = SEEDS / f"{name}.ad"
    done = autodiff("graph", script)
    assert done.returncode == 0
    assert "dS/d node" in done.out.split("\n\n")[0]
    assert "S is the sum of the entries of" in done.out
    made = json.loads(autodiff("graph", script, "--format", "json").out)
    assert made["weight"].startswith("ones(")
    assert made["graph"]["nodes"]


def test_the_graph_of_the_article(autodiff) -> None:
    done = autodiff("graph", SEEDS / "2_dynamic_graph.ad")
    rows = [line.split()[:3] for line in done.out.splitlines()[1:4]]
    assert rows == [["b", "mul", "3x3"], ["|-", "w1", "leaf"], ["`-", "a", "leaf"]]
    assert done.err == f"note: `b` holds 9 numbers; {SUM}\n"


def test_a_given_weight_is_told_below_the_tree(autodiff, write) -> None:
    told = autodiff("graph", write(VECTOR), "--grad-output", "[2, 5]").out
    assert "\nS is the sum of the entries of y, each times its entry of [2.0, 5.0].\n" in told


def test_the_pass_of_the_script_counts(autodiff, write) -> None:
    done = autodiff("run", write(VECTOR + "y.backward(torch.tensor([2., 5.]))\n"))
    assert "[2.0, 5.0]" in done.out
    assert done.err == ""


@pytest.mark.parametrize("command", ["grad", "explain", "check"])
def test_one_gradient_needs_one_number(autodiff, write, command) -> None:
    done = autodiff(command, write(VECTOR))
    assert done.returncode == 4
    assert "error[E0401]: grad can be implicitly created only for scalar outputs" in done.err


def test_a_hint_can_be_pasted(autodiff, write) -> None:
    done = autodiff("run", write("w = torch.tensor([0., 2.], requires_grad=True)\ny = torch.relu(w) * 3\n"))
    [command] = [line for line in done.err.splitlines() if "autodiff explain" in line]
    words = shlex.split(command.split("`")[1])[1:]
    assert autodiff(*words).returncode == 0


def test_an_entry_of_several_outputs_can_be_asked_for_as_the_help_says(autodiff, write) -> None:
    script = write("x = 3.\nb = x**2\nm = 2*x\n")
    for asked in "b,m", "b, m", "(b, m)":
        told = autodiff("grad", script, "--of", asked).err
        [line] = [one for one in told.splitlines() if "one of its" in one]
        done = autodiff("grad", script, *shlex.split(line.partition("entries: ")[2]))
        assert (done.out, done.err) == ("6\n", ""), line


def test_a_list_of_results_is_added_up(autodiff, write) -> None:
    done = autodiff("run", write("w = torch.tensor(2., requires_grad=True)\nys = [w * 3, w**2]\n"))
    assert done.returncode == 0
    assert "`ys` holds 2 numbers" in done.err
    [row] = [line.split() for line in done.out.splitlines() if line.startswith("  w ")]
    assert row[:3] == ["w", "2", "7"]
