"""The articles' small graphs: four leaves, two sums and a product, and graphs that control flow shapes."""

from __future__ import annotations

import numpy as np
import pytest
from article_scripts import (
    FOUR_LEAVES,
    NON_LEAF_WARNING,
    OLAH,
    autodiff,
    derivation_of,
    gradients_of,
    graph_of,
    local_derivatives,
    report_of,
)
from script_runner import printed, run_script

# -- four leaves: properties before and after backward ----------------------------------------------------

PROPERTIES = (
    "for n in (a, e, t):\n"
    "    name = None if n.grad_fn is None else n.grad_fn.name()\n"
    "    print(n.is_leaf, name, n.grad)\n"
)


def test_the_worked_example_has_its_value() -> None:
    assert printed(FOUR_LEAVES + "print(e.data)") == "tensor([17.5129])\n"


def test_before_backward_there_are_no_gradients() -> None:
    script = FOUR_LEAVES + "t.retain_grad()\n" + PROPERTIES
    assert printed(script) == "True None None\nFalse AddBackward0 None\nFalse LogBackward0 None\n"


def test_after_backward_leaves_and_kept_tensors_have_gradients() -> None:
    script = FOUR_LEAVES + "t.retain_grad()\ne.backward()\n" + PROPERTIES
    assert printed(script) == (
        "True None tensor([3.])\nFalse AddBackward0 None\nFalse LogBackward0 tensor([5.])\n"
    )


def test_without_retain_grad_an_inner_gradient_stays_none() -> None:
    script = FOUR_LEAVES + "e.backward()\n" + PROPERTIES
    assert printed(script) == "True None tensor([3.])\nFalse AddBackward0 None\nFalse LogBackward0 None\n"


def test_the_four_gradients_of_the_worked_example() -> None:
    script = FOUR_LEAVES + "e.backward()\nprint(a.grad.item(), b.grad.item(), c.grad.item(), d.grad.item())"
    assert printed(script) == "3.0 2.0 2.302585092994046 0.5\n"
    assert printed(script, dtype="float32") == "3.0 2.0 2.3025851249694824 0.5\n"


def test_reading_grad_of_an_inner_tensor_warns_in_torchs_words() -> None:
    outcome = run_script(FOUR_LEAVES + "e.backward()\nprint(e.grad)")
    assert outcome.stdout == "None\n"
    assert len(outcome.warnings) == 1
    assert outcome.warnings[0].startswith(NON_LEAF_WARNING)


def test_reading_grad_of_a_leaf_or_a_kept_tensor_is_silent() -> None:
    outcome = run_script(FOUR_LEAVES + "t.retain_grad()\ne.backward()\nprint(a.grad, t.grad)")
    assert outcome.error is None
    assert outcome.warnings == []


def test_the_root_is_no_input_and_leaves_have_no_inputs() -> None:
    graph = graph_of(FOUR_LEAVES)
    used = {edge.input for edge in graph.edges}
    assert [node.name for node in graph.nodes if node.id not in used] == ["e"]
    assert graph.nodes[graph.root].name == "e"
    assert sorted(node.name for node in graph.nodes if not node.inputs) == ["a", "b", "c", "d"]


def test_the_gradients_follow_from_the_chain_rule() -> None:
    derivation = derivation_of(FOUR_LEAVES, "d")
    assert [path.chain for path in derivation.paths] == [("de/dv", "dv/dt", "dt/dd")]
    assert np.asarray(derivation.value).item() == 0.5
    assert derivation.difference == 0


def test_formulas_can_be_displayed() -> None:
    script = "e.backward()\nm = Math(fr'\\frac{{\\partial e}}{{\\partial a}} = {a.grad.item()}')\ndisplay(m)"
    outcome = run_script(FOUR_LEAVES + script)
    assert outcome.error is None
    assert outcome.stdout == "<IPython.core.display.Math object>\n"
    assert outcome.names["m"].data == r"\frac{\partial e}{\partial a} = 3.0"


def test_f_strings_read_attributes_and_an_empty_print_ends_a_line() -> None:
    script = 'print(f"a is leaf: {a.is_leaf}")\nprint(f"a grad_fn: {a.grad_fn}")\nprint()\n'
    script += 'print(f"{e.item():.2f}")'
    assert printed(FOUR_LEAVES + script) == "a is leaf: True\na grad_fn: None\n\n17.51\n"


def test_item_takes_the_number_out_of_one_entry() -> None:
    assert printed("print(torch.tensor([[2.5]]).item(), torch.tensor(3).item())") == "2.5 3\n"


def test_tensors_print_as_torch_prints_them() -> None:
    script = "print(torch.tensor([3.]))\nprint(torch.tensor([0.5, 2.]))\nprint(torch.tensor([1e-5, 1e5]))"
    assert printed(script) == "tensor([3.])\ntensor([0.5000, 2.0000])\ntensor([1.0000e-05, 1.0000e+05])\n"


# -- the example of two sums and a product ----------------------------------------------------------------


def test_a_result_prints_with_its_grad_fn() -> None:
    assert printed(OLAH + "print(e)") == "tensor([8.], grad_fn=<MulBackward0>)\n"


def test_gradients_are_kept_where_asked_even_at_the_output() -> None:
    script = "c.retain_grad()\nd.retain_grad()\ne.retain_grad()\ne.backward()\n"
    script += "print(a.grad, b.grad, c.grad, d.grad, e.grad)"
    assert printed(OLAH + script) == "tensor([2.]) tensor([6.]) tensor([2.]) tensor([4.]) tensor([1.])\n"


def test_the_edges_carry_the_partial_derivatives() -> None:
    assert local_derivatives(graph_of(OLAH)) == {
        ("c", "a"): 1,
        ("c", "b"): 1,
        ("d", "b"): 1,
        ("e", "c"): 2,
        ("e", "d"): 4,
    }


def test_changing_an_input_a_little_changes_the_output_as_the_gradient_says() -> None:
    def e(a: float, b: float) -> float:
        names = run_script(OLAH.replace("3.", f"{a:.3f}").replace("1.", f"{b:.3f}")).names
        return float(names["e"].item())

    assert (e(3.001, 1) - e(3, 1)) / 0.001 == pytest.approx(1 * 2)
    assert (e(3, 1.001) - e(3, 1)) / 0.001 == pytest.approx(6, abs=2e-3)


def test_one_path_of_speeds_one_and_two_leads_to_a() -> None:
    (path,) = derivation_of(OLAH, "a").paths
    assert path.nodes == ("e", "c", "a")
    assert np.asarray(path.contribution).item() == 2 * 1


def test_two_paths_lead_to_b_and_add_up_to_six() -> None:
    derivation = derivation_of(OLAH, "b")
    contributions = {path.nodes: np.asarray(path.contribution).item() for path in derivation.paths}
    assert contributions == {("e", "c", "b"): 1 * 2, ("e", "d", "b"): 1 * 4}
    assert np.asarray(derivation.value).item() == 6
    assert derivation.simplified == "d + c"


def test_the_sum_of_paths_verifies_every_gradient() -> None:
    for derivation in report_of(OLAH).derivations:
        assert derivation.difference == 0
        total = sum(np.asarray(path.contribution).item() for path in derivation.paths)
        assert total == np.asarray(derivation.backward).item()


def test_the_numbers_of_the_original_example() -> None:
    script = OLAH.replace("[3.]", "[2.]")
    assert gradients_of(script) == {"a": [2.0], "b": [5.0]}
    assert printed(script + "print(e.item())") == "6.0\n"


def test_inputs_can_be_set_from_the_command_line() -> None:
    script = "a = 3\nb = 1\ne = (a + b) * (b + 1)\n"
    assert autodiff("grad", "--wrt", "b", script=script) == "6\n"
    assert autodiff("grad", "--wrt", "b", "--set", "a=2", script=script) == "5\n"


# -- dynamic graphs ---------------------------------------------------------------------------------------


def test_operations_return_values_at_once() -> None:
    script = "a = torch.tensor([1.], requires_grad=True)\nb = a + 1\nprint(b.item())\nc = b * b\n"
    script += "print(c.item())"
    assert printed(script) == "2.0\n4.0\n"


@pytest.mark.parametrize(("x", "gradient", "op"), [(2.0, 4.0, "pow"), (-2.0, 3.0, "mul")])
def test_only_the_branch_taken_is_differentiated(x: float, gradient: float, op: str) -> None:
    script = f"x = torch.tensor({x}, requires_grad=True)\nif x > 0:\n    L = x ** 2\nelse:\n    L = 3 * x\n"
    assert gradients_of(script) == {"x": gradient}
    assert [node.op for node in graph_of(script).nodes] == ["leaf", op]


@pytest.mark.parametrize("times", [1, 2, 5])
def test_a_loop_makes_the_graph_as_long_as_it_runs(times: int) -> None:
    script = f"x = torch.tensor(2., requires_grad=True)\ny = x\nfor _ in range({times}):\n    y = y * x\n"
    assert gradients_of(script) == {"x": (times + 1) * 2.0**times}
    assert sum(node.op == "mul" for node in graph_of(script).nodes) == times


def test_the_data_may_decide_how_long_a_loop_runs() -> None:
    script = "x = torch.tensor(3., requires_grad=True)\ny = x\nwhile y < 100:\n    y = y * 3\n"
    assert printed(script + "y.backward()\nprint(y.item(), x.grad)") == "243.0 tensor(81.)\n"


def test_every_iteration_builds_its_own_graph() -> None:
    script = (
        "w = torch.tensor(1., requires_grad=True)\n"
        "for n in range(1, 4):\n"
        "    L = w\n"
        "    for _ in range(n):\n"
        "        L = 2 * L\n"
        "    w.grad = None\n"
        "    L.backward()\n"
        "    print(w.grad)"
    )
    assert printed(script) == "tensor(2.)\ntensor(4.)\ntensor(8.)\n"


def test_tensors_have_any_number_of_dimensions() -> None:
    script = (
        "x = torch.ones(2, 3, 4, requires_grad=True)\n"
        "(x * 2).sum().backward()\n"
        "print(x.ndim, x.shape, x.cpu().grad_fn, x.grad.shape, x.grad.sum().item())"
    )
    assert printed(script) == "3 torch.Size([2, 3, 4]) None torch.Size([2, 3, 4]) 48.0\n"
