"""``run --show tensors``: torch's attributes of every tensor, and its gradient before and after backward."""

from __future__ import annotations

import json

import pytest
from autodiff.cli.render.page import Page, length
from autodiff.cli.render.states import state_lines
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.core.report.tensor_states import TensorStates
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from autodiff.grammar.session.tensor_states import collect_tensor_states
from conftest import REPOSITORY

from tests.cli.reports import texts

ROOT = REPOSITORY
SCRIPTS = sorted([*ROOT.glob("examples/**/*.ad"), *ROOT.glob("tests/pasted/*.ad")])

CODE = """\
x = torch.tensor([1., 2.], requires_grad=True)
w = torch.tensor(3., requires_grad=True)
c = torch.ones(2)
y = w * x
y.retain_grad()
L = (y + c).sum()
L.backward()
"""


def states_of(code: str) -> TensorStates:
    execution = execute(Source(code), write=lambda text: None)
    try:
        subject = differentiate(execution, Settings())
    except AutodiffError:
        subject = None
    return collect_tensor_states(execution, subject)


def around(code: str) -> dict[str, tuple[object, object]]:
    """The gradients before and after, as lists."""

    def plain(value):
        return value.tolist() if hasattr(value, "tolist") else value

    return {state.name: (plain(state.before), plain(state.after)) for state in states_of(code).entries}


ONE_TABLE = """\
  tensor   line   shape    is_leaf   requires_grad   grad_fn        grad before   grad after
  x           1   2        True      True            None           None          [3 3]
  w           2   number   True      True            None           None          3
  c           3   2        True      False           None           None          None
  y           4   2        False     True            MulBackward0   None          [1 1]
  L           6   number   False     True            SumBackward0   None          None
  grad before and after the script's last backward(), from L
  None after: c has requires_grad=False
  None after: L is not a leaf, and retain_grad() was not called
"""

TWO_TABLES = """\
  tensor   line   shape    is_leaf   requires_grad   grad_fn
  x           1   2        True      True            None
  w           2   number   True      True            None
  c           3   2        True      False           None
  y           4   2        False     True            MulBackward0
  L           6   number   False     True            SumBackward0

  tensor   grad before   grad after
  x        None          [3 3]
  w        None          3
  c        None          None
  y        None          [1 1]
  L        None          None
  grad before and after the script's last backward(), from L
  None after: c has requires_grad=False
  None after: L is not a leaf, and retain_grad() was not called
"""

NARROW = """\
  x                              2 entries, line 1
    is_leaf True  requires_grad True  grad_fn None
    grad before None  after [3 3]
"""


@pytest.mark.parametrize(("width", "text"), [(100, ONE_TABLE), (80, TWO_TABLES)])
def test_tables(width, text):
    assert texts(state_lines(states_of(CODE), Page(width))) == text


def test_on_a_narrow_page_every_tensor_has_lines_of_its_own():
    assert texts(state_lines(states_of(CODE), Page(50))).startswith(NARROW)


def test_before_is_what_earlier_passes_left():
    code = "w = torch.tensor(3., requires_grad=True)\n(w * w).backward()\n(5 * w).backward()"
    assert around(code) == {"w": (6.0, 11.0)}


def test_what_happens_after_the_pass_does_not_change_what_it_did():
    code = "w = torch.tensor([3.], requires_grad=True)\n(w * w).backward()\nw.grad.zero_()"
    assert around(code)["w"] == (None, [6.0])


def test_a_tensor_the_last_pass_did_not_reach_keeps_its_gradient():
    code = (
        "a = torch.tensor(2., requires_grad=True)\nb = torch.tensor(2., requires_grad=True)\n"
        "(a * a).backward()\n(b * b).backward()"
    )
    assert around(code) == {"a": (4.0, 4.0), "b": (None, 4.0)}


def test_without_a_backward_of_its_own_one_is_made_and_told():
    states = states_of("w = torch.tensor(3., requires_grad=True)\nL = w * w")
    assert [(state.before, state.after) for state in states.entries] == [(None, 6.0), (None, None)]
    assert "a backward() from L, which the script does not call itself" in texts(
        state_lines(states, Page(120))
    )


EVERY_REASON = """\
x = torch.tensor([1., 2.], requires_grad=True)
u = torch.tensor([1., 2.], requires_grad=True)
i = torch.tensor([1, 2])
c, d = torch.ones(2), torch.ones(2)
y = x * c
y.retain_grad()
z = y * 2
L = (z + d).sum()
L.backward(inputs=[y])
z.retain_grad()
"""
REASONS = {
    "x": "not asked for",
    "u": "not used",
    "i": "no floats",
    "c": "requires_grad=False",
    "d": "requires_grad=False",
    "y": None,
    "z": "retain_grad() came later",
    "L": "not a leaf",
}


def test_why_a_gradient_is_none(autodiff):
    told = texts(state_lines(states_of(EVERY_REASON), Page(120)))
    assert told.endswith(
        "  None after: x is on a path, but got nothing: inputs= names others, or a custom backward returned\n"
        "  None\n"
        "  None after: u is not on any path from L\n"
        "  None after: i holds no floats, so it has no gradient\n"
        "  None after: c and d have requires_grad=False\n"
        "  None after: z got retain_grad() only after backward()\n"
        "  None after: L is not a leaf, and retain_grad() was not called\n"
    )
    document = json.loads(autodiff("run", "--format", "json", "--show", "tensors", "-e", EVERY_REASON).out)
    assert {state["name"]: state["why_none"] for state in document["tensors"]} == REASONS


def test_a_graph_that_is_kept_was_passed_too():
    code = EVERY_REASON.replace("inputs=[y]", "inputs=[y], retain_graph=True")
    assert {state.name: state.no_grad_reason or None for state in states_of(code).entries} == REASONS


def test_without_any_pass_that_is_the_reason():
    states = states_of("x = torch.ones(2, requires_grad=True)\ny = x * 2\n")
    assert [state.no_grad_reason for state in states.entries] == ["no backward()", "no backward()"]


def test_of_many_tensors_the_first_are_named():
    code = "".join(f"x{at} = torch.ones(1)\n" for at in range(9))
    told = texts(state_lines(states_of(code), Page(120)))
    assert told.endswith("  None after: x0, x1, x2, x3, x4, x5 and 3 more have requires_grad=False\n")


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore:The .grad attribute")
def test_torch_leaves_none_at_the_same_places():
    from torch_prelude import run_with_torch

    names = run_with_torch(EVERY_REASON).names
    assert {name: names[name].grad is None for name in REASONS} == {
        name: reason is not None for name, reason in REASONS.items()
    }


def test_a_script_without_gradients_has_its_tensors_shown(autodiff):
    done = autodiff("run", "-e", "x = torch.ones(2)\nn = (x > 0).sum()", "--show", "tensors")
    assert done.returncode == 0
    assert "  n           2   number   True      False           None\n" in done.out
    assert "no backward() ran" in done.out
    assert "there is no gradient to show" in done.err


def test_what_left_the_graph_is_noted_with_its_line(autodiff):
    done = autodiff("run", "-e", "x = torch.ones(2, requires_grad=True)\ny = (x > 1).float()\nL = y.sum()")
    assert done.returncode == 0
    assert "note: there is no gradient to show: the graph was left on the way to `L`\n" in done.err
    assert "note: line 2, `x > 1`: a comparison has no gradient\n" in done.err


def test_tensors_kept_in_lists_are_there():
    code = "ws = [torch.tensor(1., requires_grad=True), (torch.tensor(2.),)]"
    assert [state.name for state in states_of(code).entries] == ["ws[0]", "ws[1][0]"]


def test_rows_left_out_are_counted():
    text = texts(state_lines(states_of(CODE), Page(100, rows=2)))
    assert "  ... 3 more tensors (--all)\n" in text
    assert "\n  c " not in text


def test_json(autodiff):
    done = autodiff("run", "-", "--show", "tensors", "--format", "json", input=CODE)
    document = json.loads(done.out)
    assert "graph" not in document
    assert document["tensors"][3] == {
        "name": "y",
        "line": 4,
        "shape": [2],
        "dtype": "float64",
        "is_leaf": False,
        "requires_grad": True,
        "grad_fn": "MulBackward0",
        "grad_before": None,
        "grad_after": [1.0, 1.0],
        "why_none": None,
    }


def test_they_are_shown_only_when_asked_for(autodiff):
    assert "requires_grad" not in autodiff("run", "-", input=CODE).out
    assert "tensors" not in json.loads(autodiff("run", "-", "--format", "json", input=CODE).out)
    both = autodiff("run", "-", "--show", "gradients,tensors", input=CODE).out
    assert both.index("dL/d leaf") < both.index("is_leaf")


@pytest.mark.parametrize("width", [60, 80, 120])
def test_lines_keep_to_the_width(width):
    for path in SCRIPTS:
        try:
            states = states_of(path.read_text())
        except AutodiffError:
            continue
        for line in state_lines(states, Page(width)):
            assert length(line) <= width, (path.name, line)


@pytest.mark.oracle
@pytest.mark.parametrize(
    "code",
    [
        CODE,
        "x = torch.ones(2, requires_grad=True)\ny = x.detach()\nz = x.exp() @ x\nz.backward()",
        "x = torch.ones(2, 2)\nx.requires_grad_()\ny = x[0]\nz = (y * x).mean(0).sum()\nz.backward()",
        "a = torch.eye(2, requires_grad=True)\nwith torch.no_grad(): b = a * 2\n(a @ b).sum().backward()",
    ],
)
def test_it_says_what_torch_says(code):
    torch = pytest.importorskip("torch")
    torch.set_default_dtype(torch.float64)
    try:
        names = {"torch": torch}
        exec(code, names)
    finally:
        torch.set_default_dtype(torch.float32)
    for state in states_of(code).entries:
        x = names[state.name]
        said = (state.is_leaf, state.requires_grad, state.grad_fn, list(state.shape))
        grad_fn = None if x.grad_fn is None else type(x.grad_fn).__name__
        assert said == (x.is_leaf, x.requires_grad, grad_fn, list(x.shape)), state.name
        grad = x.grad if x.is_leaf or x.retains_grad else None
        assert (state.after is None) == (grad is None)
        if grad is not None:
            assert torch.tensor(state.after, dtype=torch.float64).allclose(grad)
