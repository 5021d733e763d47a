"""From settings to subjects: leaves of scripts without tensors, --set, --wrt, target, weight, notes."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from autodiff.core import Tensor, tensor
from autodiff.core.base.errors import GradientError, UsageError
from autodiff.core.base.fast_paths import is_fast
from autodiff.core.base.source import Source
from autodiff.core.report.records import ReportedPass
from autodiff.grammar import run
from autodiff.grammar.execution import execute
from autodiff.grammar.session import number_expressions
from autodiff.grammar.session.run import Execution, Settings, differentiate

SEED = (
    "x1 = 1\nx2 = 2\nw1 = 1\nw2 = 2\nw3 = 3\nx3 = w1 * x1\nx4 = w1 * x2\nx5 = w2 * x3 + w3 * x4\nL = 1 - x5\n"
)


def subject(text: str, **settings: object) -> ReportedPass:
    asked = Settings(**settings)
    return differentiate(execute(Source(text), asked, lambda text: None), asked)


def gradients(text: str, **settings: object) -> dict[str, object]:
    made = subject(text, **settings)
    return {
        name: np.asarray(g).tolist() if (g := made.cotangents.get(node)) is not None else None
        for name, node in made.wrt
    }


def executed(text: str, **settings: object) -> Execution:
    return execute(Source(text), Settings(**settings), lambda text: None)


# -- scripts without tensors ------------------------------------------------------------------------


def test_the_first_seed_runs_as_printed() -> None:
    assert gradients(SEED) == {"x1": -2, "x2": -3, "w1": -8, "w2": -1, "w3": -2}


def test_whether_a_name_is_a_constant_is_asked_once_for_all_terms_of_a_sum(monkeypatch) -> None:
    asked = []
    is_named_constant = number_expressions.is_named_constant
    monkeypatch.setattr(
        number_expressions,
        "is_named_constant",
        lambda node, names: asked.append(node) or is_named_constant(node, names),
    )
    terms = " + ".join(f"w*{k}.0" for k in range(50))
    assert gradients(f"w = 2.0\nL = {terms}\n") == {"w": sum(range(50))}
    assert [node.id for node in asked] == ["w"]


def test_an_expression_without_calls_is_no_number_from_its_first_name_on(monkeypatch) -> None:
    """Where nothing is called, no name can be the size of an array: the other terms need no look."""
    asked = []
    is_size = number_expressions.is_size
    monkeypatch.setattr(number_expressions, "is_size", lambda node: asked.append(node) or is_size(node))
    assert gradients("a = 2.0\nb = 3.0\nL = a*2.0 + a*b\n") == {"a": 5, "b": 2}
    assert [node.id for node in asked] == ["b"]


@pytest.mark.parametrize(("length", "exceeds"), [(40, False), (60, True)])
def test_that_a_pass_over_a_tape_has_many_nodes_is_seen_without_them(length: int, exceeds: bool) -> None:
    made = subject(
        f"w = 2.0\ny = w\nfor i in range(100):\n    y = y*w\nL = sum(w*k for k in range({length}))"
    )
    assert made.size > 100 or not is_fast
    assert made.exceeds(2 * 50) == exceeds
    assert made.has_nodes == (not is_fast or not exceeds)
    assert made.exceeds(2 * 50) == (len(made.order) > 2 * 50) == exceeds


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("w = 3\nL = w**2", {"w"}),
        ("w = -3.5\nv = 1/3\nL = w * v", {"w", "v"}),
        ("a, b = 1, 2\nL = a * b", {"a", "b"}),
        ("a = b = 2\nL = a * b", {"a", "b"}),
        ("w = pi\nL = w * 2", {"w"}),
        ("w = [1, [2]]\nL = 'a'", set()),
        ("w = [[1, 2], [3, 4]]\nL = w * 2", {"w"}),
        ("w = 1\nw = 2\nL = w", set()),
        ("w = 1\nw += 1\nL = w", set()),
        ("xs = [1, 2]\nxs.append(3)", set()),
        ("xs = [1, 2]\nxs[0] = 3", set()),
        ("for i in range(3): pass\nx = 2.0", {"x"}),
        ("if 1:\n    x = 2\ny = x * 1", set()),
        ("x = True\ny = 'a'\nz = None", set()),
        ("x = 2\nt = torch.ones(2)", set()),
        ("x = 2\ndef f(): return randn(2)", set()),
    ],
)
def test_which_assignments_are_leaves(text: str, leaves: set[str]) -> None:
    names = executed(text).names
    made = {n for n, v in names.items() if isinstance(v, Tensor) and v.is_leaf and v.requires_grad}
    assert made == leaves


def test_an_integral_leaf_counts() -> None:
    assert run("n = 3\ns = 0.0\nfor i in range(n): s = s + n\n")["s"].item() == 9.0


def test_no_numpy_for_scalars() -> None:
    program = f"import sys; from autodiff.grammar import run; run({SEED!r}); print('numpy' in sys.modules)"
    fast = {**os.environ, "AUTODIFF_FAST": "1"}  # the plain engine computes numbers with numpy
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=fast
    )
    assert done.stdout == "False\n"


# -- --set and inputs -------------------------------------------------------------------------------


def test_set_replaces_the_first_assignment() -> None:
    assert gradients("w = 3\nL = w**2", sets={"w": 5}) == {"w": 10}
    text = "w = torch.tensor(2., requires_grad=True)\nL = w**2"
    assert gradients(text, sets={"w": 5.0}) == {"w": 10}


def test_set_keeps_dtype_and_marks() -> None:
    text = "w = torch.tensor([2.], dtype=torch.float32, requires_grad=True)\nn = 1"
    w = executed(text, sets={"w": [3.0, 4.0]}).names["w"]
    assert (w.dtype.name, w.requires_grad, w.tolist()) == ("float32", True, [3.0, 4.0])


def test_set_defines_what_is_only_read() -> None:
    assert gradients("w = 1\nL = (x * w).sum()", sets={"x": [1.0, 2.0]})["x"] is not None
    assert executed("print(n)", sets={"n": "text"}).names["n"] == "text"


def test_set_of_an_unknown_name() -> None:
    with pytest.raises(UsageError) as caught:
        executed("weight = 3", sets={"wieght": 5})
    assert caught.value.advice == ("did you mean `weight`?",)


@pytest.mark.parametrize("line", ["a, b = w.tolist()", "a = 1 / (len(w) - 3)", "a = math.sqrt(2 - len(w))"])
def test_a_shape_given_by_set_is_the_cause_of_an_error(line: str) -> None:
    text = f"import math\nw = torch.tensor([1., 2.], requires_grad=True)\n{line}\nL = (w * a).sum()\n"
    with pytest.raises(
        UsageError, match=r"`w` has shape \(2,\) in the script and has shape \(3,\) now"
    ) as caught:
        executed(text, sets={"w": [1.0, 2.0, 3.0]})
    assert caught.value.code == "E0618"


def test_inputs_of_run() -> None:
    x = tensor([1.0, 2.0], requires_grad=True)
    names = run("L = (x * x).sum()\nL.backward()", inputs={"x": x})
    assert x.grad is not None
    assert x.grad.tolist() == [2.0, 4.0]
    assert names["L"].item() == 5.0


# -- target and inputs ------------------------------------------------------------------------------

MARKED = "w = torch.tensor(2., requires_grad=True)\nx = torch.tensor(3.)\ny = w * x\nL = y**2\n"


def test_target_is_what_backward_ran_on() -> None:
    made = subject(MARKED + "y.backward()\n")
    assert (made.name, made.seed) == ("y", 1.0)
    assert gradients(MARKED + "y.backward()\n") == {"w": 3.0}


def test_target_is_else_the_last_assignment_or_expression() -> None:
    assert subject(MARKED).name == "L"
    assert subject(MARKED + "y * 3").name == "y * 3"
    assert subject(MARKED, of="y").name == "y"


@pytest.mark.parametrize(
    "text",
    [
        "x = 2; y = 3; L = x*y; z = 1",
        "x = 2; y = 3; k = x*y; L = k*x\na, z = 10., [1., 2.]",
        "x = torch.tensor(2.); L = x*3; z = torch.tensor(1.)",
        "x = torch.tensor(2., requires_grad=True); L = x*3; z = torch.ones((), requires_grad=True)",
    ],
)
def test_an_input_assigned_last_is_refused_where_something_is_computed(text: str) -> None:
    with pytest.raises(GradientError) as caught:
        subject(text)
    assert caught.value.caret == "`z` is an input, and nothing is computed from it"
    assert caught.value.advice[0] == "choose another output: --of L"
    assert subject(text, of="L").name == "L"


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("x = torch.tensor(2., requires_grad=True); L = x*3; z = x", "z"),
        ("x = 2; y = 3", "y"),
        ("x = 2; x", "x"),
    ],
)
def test_an_input_can_be_the_target(text: str, target: str) -> None:
    assert subject(text).name == target


def test_an_input_alone_is_no_result() -> None:
    with pytest.raises(UsageError, match="`x` is an input, and nothing is computed from it"):
        subject("x = 2")
    assert subject("x = 2", of="x").name == "x"


def test_target_that_is_not_there() -> None:
    with pytest.raises(UsageError) as caught:
        subject(MARKED, of="LL")
    assert "LL" in caught.value.message


def test_wrt_names_globs_and_inner_results() -> None:
    assert gradients(MARKED, wrt=["x"]) == {"x": 24.0}
    assert gradients(MARKED, wrt=["y"]) == {"y": 12.0}
    assert gradients(SEED, wrt=["w*"]) == {"w1": -8, "w2": -1, "w3": -2}


def test_wrt_of_what_the_target_does_not_need() -> None:
    assert gradients("a = 2\nb = 3\nL = a * 2", wrt=["b"]) == {"b": None}


def test_wrt_that_is_not_there() -> None:
    with pytest.raises(UsageError) as caught:
        gradients(SEED, wrt=["w9"])
    assert caught.value.code == "E0601"
    assert caught.value.advice


def test_wrt_of_a_number_in_a_script_with_tensors() -> None:
    text = "lr = 0.5\nx = torch.tensor([1., 2.])\nL = (x * lr).sum()\n"
    assert gradients(text, wrt=["lr"]) == {"lr": 3.0}


def test_marked_leaves_come_first_and_all_float_leaves_else() -> None:
    assert set(gradients(MARKED)) == {"w"}
    assert set(gradients("a = torch.tensor(2.)\nb = torch.tensor(3.)\nL = a * b")) == {"a", "b"}


def test_tracking_is_not_seen_by_the_script() -> None:
    outputs: list[str] = []
    text = "a = torch.tensor(2.)\nL = a * 3\nprint(L, L.requires_grad, L.grad_fn, L.is_leaf)"
    for settings in (Settings(), Settings(wrt=["a"]), Settings(track=False)):
        written: list[str] = []
        execute(Source(text), settings, written.append)
        outputs.append("".join(written))
    assert set(outputs) == {"tensor(6.) False None True\n"}


def test_rebound_name_means_its_latest_version() -> None:
    assert gradients("x = torch.tensor(2., requires_grad=True)\nx = x * 3\nL = x**2", wrt=["x"]) == {
        "x": 12.0
    }


# -- weight -----------------------------------------------------------------------------------------

MANY = "w = torch.tensor([1., 2.], requires_grad=True)\nL = w * 3\n"


def test_many_numbers_need_a_weight() -> None:
    with pytest.raises(GradientError) as caught:
        subject(MANY)
    assert caught.value.code == "E0401"
    assert any("--grad-output ones" in line for line in caught.value.advice)
    assert gradients(MANY, grad_output="ones") == {"w": [3.0, 3.0]}
    assert gradients(MANY, grad_output=[1.0, 10.0]) == {"w": [3.0, 30.0]}
    assert subject(MANY, grad_output="ones").weight == "ones(2)"


def test_the_weight_of_the_scripts_own_backward_is_kept() -> None:
    assert gradients(MANY + "L.backward(torch.tensor([1., 10.]))") == {"w": [3.0, 30.0]}


# -- after the script's own backward ----------------------------------------------------------------


@pytest.mark.parametrize("taken", ["g = {}", "g, = {}", "g = {}[0]", "print({})"])
def test_the_weight_of_the_scripts_own_grad_is_kept(taken: str) -> None:
    call = taken.format("torch.autograd.grad(Q, a, torch.tensor([1., 3.]))")
    found = subject(f"a = torch.tensor([1., 2.], requires_grad=True)\nQ = a*2\n{call}")
    assert (found.name, np.asarray(found.seed).tolist()) == ("Q", [1.0, 3.0])
    assert [np.asarray(g).tolist() for g in found.received.values()][-1] == [2.0, 6.0]


@pytest.mark.parametrize("x", ["2.0", "[2.0]"], ids=["a number", "an array"])
@pytest.mark.parametrize("of", [None, "y"])
def test_the_weight_of_grad_is_kept_of_a_single_number(x: str, of: str | None) -> None:
    text = f"x = torch.tensor({x}, requires_grad=True)\ny = (x**3).sum()\n"
    found = subject(text + "g = torch.autograd.grad(y, x, torch.tensor(5.))", of=of)
    assert (found.name, found.seed) == ("y", 5.0)
    assert [np.asarray(g).item() for g in found.received.values()][-1] == 60.0


def test_a_training_loop_can_be_explained() -> None:
    text = (
        "w = torch.tensor(1., requires_grad=True)\n"
        "for i in range(3):\n"
        "    L = (w - 3) ** 2\n"
        "    L.backward()\n"
        "    with torch.no_grad():\n"
        "        w -= 0.1 * w.grad\n"
        "    w.grad.zero_()\n"
    )
    (grad,) = gradients(text).values()
    assert grad == pytest.approx(2 * (3 - 2 * 0.8**2 - 3))


def test_accumulated_gradients_are_noted() -> None:
    text = "w = torch.tensor(2., requires_grad=True)\nfor i in range(2):\n    L = w**2\n    L.backward()\n"
    made = subject(text)
    assert len(made.notes) == 1
    assert "w.grad" in made.notes[0]


def test_seeded_random_numbers_repeat() -> None:
    text = "x = torch.randn(3)"
    first, second = executed(text).names["x"], executed(text).names["x"]
    assert first.tolist() == second.tolist()
    assert executed(text, seed=1).names["x"].tolist() != first.tolist()


def test_default_dtype() -> None:
    assert executed("x = torch.ones(2)", dtype="float32").names["x"].dtype.name == "float32"


def test_a_target_cut_off_by_item_is_an_error_and_not_another_target() -> None:
    script = "w = torch.tensor(2.0, requires_grad=True)\nz = w*3\nL = math.exp(z.item())"
    with pytest.raises(GradientError) as caught:
        subject(script)
    assert caught.value.caret == "`L` is a plain number that nothing connects to the inputs"
    assert "choose another output: --of z" in caught.value.advice


def test_a_number_taken_from_an_input_is_an_error_and_not_the_input_itself() -> None:
    script = "x = torch.tensor(3.0, requires_grad=True)\ny = x.item()\nL = y * 5"
    with pytest.raises(GradientError) as caught:
        subject(script)
    assert caught.value.code == "E0410"
    assert caught.value.caret == "`L` is a plain number that nothing connects to the inputs"
    assert [fix.apply(script) for fix in caught.value.fixes] == [script.replace("x.item()", "x")]
    assert subject("lr = 0.1\nx = torch.tensor(3.0, requires_grad=True)").name == "x"


def test_another_output_is_proposed_where_the_last_one_has_no_gradient() -> None:
    script = "w = torch.tensor([1., 2.], requires_grad=True)\nloss = (w*w).sum()\npred = (loss > 0).double()"
    with pytest.raises(GradientError) as caught:
        subject(script)
    assert caught.value.advice[0] == "choose another output: --of loss"


def test_inner_results_can_be_asked_about_after_the_scripts_own_backward() -> None:
    script = "w = torch.tensor(3., requires_grad=True)\nh = w*w\nloss = h*h\nloss.backward()"
    assert gradients(script, of="h") == {"w": 6.0}


def test_a_change_through_data_is_what_the_next_report_shows() -> None:
    script = (
        "w = torch.tensor(1., requires_grad=True)\n((w*2 - 1)**2).backward()\n"
        "w.data -= 0.1*w.grad\nw.grad = None\nloss = (w*2 - 1)**2\nloss.backward()"
    )
    asked = subject(script)
    ((name, node),) = asked.wrt
    assert (name, node.out, asked.cotangents[node]) == ("w", 0.6, pytest.approx(0.8))


def test_an_operation_in_place_may_use_the_value_it_replaces() -> None:
    script = (
        "v = torch.tensor([1., 2., 3.], requires_grad=True)\ny = v*2\ny *= v\ny **= 2\ny.sum().backward()"
    )
    assert np.array_equal(gradients(script)["v"], [16.0, 128.0, 432.0])


# -- what the command line asks for changes nothing of the script -----------------------------------

CONSTANT_IN_TWO_GRAPHS = """
x = torch.tensor([2.0, 3.0])
y = torch.tensor([3.0, 4.0], requires_grad=True)
c = x * x
(c * y).sum().backward()
L = (c * c * y).sum()
L.backward()
"""
THREE_GRAPHS = """
y = torch.tensor([3.0, 4.0], requires_grad=True)
A = (y * y).sum()
B = (y ** 3).sum()
C = A * 2
A.backward()
B.backward()
(y * 5).sum().backward()
"""


def test_following_a_constant_uses_nothing_up_that_the_script_shares() -> None:
    """``c`` is in two graphs; torch keeps nothing of it, so neither pass can use it up."""
    assert gradients(CONSTANT_IN_TWO_GRAPHS, wrt=["x"]) == {"x": [96.0, 432.0]}
    assert gradients(CONSTANT_IN_TWO_GRAPHS, wrt=["x", "y"]) == {"x": [96.0, 432.0], "y": [16.0, 81.0]}


def test_a_graph_used_up_stays_so_for_the_script() -> None:
    text = CONSTANT_IN_TWO_GRAPHS + "L.backward()"
    with pytest.raises(GradientError) as caught:
        gradients(text, wrt=["x"])
    assert caught.value.code == "E0402"


@pytest.mark.parametrize(("of", "expected"), [("A", [6.0, 8.0]), ("B", [27.0, 48.0]), ("C", [12.0, 16.0])])
def test_a_graph_that_earlier_passes_used_up_can_be_asked_for(of: str, expected: list[float]) -> None:
    assert gradients(THREE_GRAPHS, of=of) == {"y": expected}


LEAF_AND_CUBE = "x = torch.tensor([1.0, 2.0], requires_grad=True)\nL = (x ** 3).sum()\n"
CUBE = {"x": [3.0, 12.0]}


@pytest.mark.parametrize(
    ("text", "target", "expected"),
    [
        (LEAF_AND_CUBE + "J = jacobian(lambda v: v * 7, x)\nM = L * 2", "M", {"x": [6.0, 24.0]}),
        (LEAF_AND_CUBE + "(g,) = grad((x * 5).sum(), x)", "(x * 5).sum()", {"x": [5.0, 5.0]}),
        (LEAF_AND_CUBE + "L.backward()\nv = hvp(lambda v: (v ** 4).sum(), x, x)[1]", "L", CUBE),
    ],
)
def test_derivatives_of_functions_leave_the_target_alone(text: str, target: str, expected: dict) -> None:
    assert subject(text).name == target
    assert gradients(text) == expected


@pytest.mark.parametrize("more", ["", "step = H @ x.detach()"])
def test_derivatives_that_a_script_ends_in_are_not_those_of_another_result(more: str) -> None:
    text = LEAF_AND_CUBE + "H = hessian(lambda v: (v ** 2).sum(), x)\n" + more
    with pytest.raises(GradientError) as caught:
        subject(text)
    assert "choose another output: --of L" in caught.value.advice
    assert gradients(text, of="L") == CUBE


def test_where_only_a_function_is_differentiated_the_report_is_about_it() -> None:
    text = "def f(v):\n    return (v ** 3).sum()\nx = torch.ones(2, requires_grad=True)\nJ = jacobian(f, x)"
    assert list(gradients(text).values()) == [[3.0, 3.0]]
