"""A script without ``backward()`` that left the graph is explained as one whose ``backward()`` fails."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import GradientError
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from script_runner import run_script

X = "x = torch.tensor([1., 2.], requires_grad=True)\n"


def lost(text: str, **asked: str) -> GradientError:
    settings = Settings(**asked)
    with pytest.raises(GradientError) as caught:
        differentiate(execute(Source(text), settings, lambda text: None), settings)
    assert caught.value.code == "E0410"
    return caught.value


def pointed_at(error: GradientError, text: str) -> list[tuple[str, str]]:
    return [(text[label.span.start : label.span.end], label.text) for label in error.labels]


CUTS = [
    ("y = (x > 1).float()\nL = (y*5).sum()", [("x > 1", "a comparison has no gradient")]),
    (
        "i = torch.argmax(x)\nL = i*5",
        [("torch.argmax(x)", "argmax() gives a position, which has no gradient")],
    ),
    ("y = x.detach()\nL = (y*5).sum()", [("x.detach()", "detach() leaves the graph")]),
    (
        "with torch.no_grad():\n    y = x*2\nL = y.sum()",
        [("torch.no_grad()", "nothing is recorded under this")],
    ),
    (
        "y = x[0].item()\nL = torch.tensor(y*5)",
        [
            ("x[0].item()", "a number has no graph"),
            ("torch.tensor(y*5)", "this copies the numbers and leaves the graph"),
        ],
    ),
]


@pytest.mark.parametrize(("rest", "cuts"), CUTS)
def test_it_points_where_a_failed_backward_points(rest: str, cuts: list[tuple[str, str]]) -> None:
    text = X + rest
    error = lost(text)
    failed = run_script(text + "\nL.backward()").error
    assert failed is not None
    assert pointed_at(error, text) == [label for label in cuts if label[0] != excerpt(error, text)]
    assert set(cuts) <= set(pointed_at(failed, text))
    assert error.advice == failed.advice
    assert [fix.apply(text) for fix in error.fixes] == [fix.apply(text) for fix in failed.fixes]
    for fix in error.fixes:
        assert differentiate(execute(Source(fix.apply(text))), Settings()).wrt[0][0] == "x"


def excerpt(error: GradientError, text: str) -> str:
    assert error.span is not None
    return text[error.span.start : error.span.end]


def test_a_cut_that_is_the_target_itself_stands_at_the_caret() -> None:
    text = X + "L = x > 1"
    error = lost(text)
    assert (excerpt(error, text), error.caret) == ("x > 1", "a comparison has no gradient")
    assert not error.labels


def test_the_last_expression_and_a_target_asked_for_are_explained_too() -> None:
    text = X + "y = x.detach()\nL = x.sum()\ny * 2"
    assert pointed_at(lost(text), text) == [("x.detach()", "detach() leaves the graph")]
    error = lost(text, of="y")
    assert (excerpt(error, text), error.caret) == ("x.detach()", "detach() leaves the graph")


def test_another_output_is_still_offered() -> None:
    error = lost(X + "L = x.sum()\ny = (x > 1).float()")
    assert error.advice[0] == "choose another output: --of L"


def test_what_was_made_from_constants_is_told_as_before() -> None:
    error = lost("x = torch.zeros(2, requires_grad=True)\ny = torch.tensor([1, 2])")
    assert error.caret == "nothing `y` was made from can be differentiated"


# -- lines moved out of a block -----------------------------------------------------------------------------

MOVED = [
    ("with torch.no_grad():\n    y = x*2\n", "y = x*2\n"),
    ("with torch.no_grad(): y = x*2\n", "y = x*2\n"),
    ("with torch.no_grad():\n    a = x*2\n    y = (a *\n         3)\n", "a = x*2\ny = (a *\n     3)\n"),
    ("with torch.no_grad():\n    y = x*2\n    print(y)\n", "y = x*2\nwith torch.no_grad():\n    print(y)\n"),
    ("with torch.no_grad():\n    k = 3\n    y = x*k\n", "with torch.no_grad():\n    k = 3\ny = x*k\n"),
    (
        "for i in range(2):\n    with torch.no_grad():\n        print(i)\n        y = x*2\n",
        "for i in range(2):\n    with torch.no_grad():\n        print(i)\n    y = x*2\n",
    ),
    (
        "with torch.no_grad():\n    k = 3\n    y = x*k\n    print(y)\n",
        "with torch.enable_grad():\n    k = 3\n    y = x*k\n    print(y)\n",
    ),
]


@pytest.mark.parametrize(("block", "mended"), MOVED)
def test_lines_are_moved_out_of_a_block_where_their_order_stays(block: str, mended: str) -> None:
    [fix] = lost(f"{X}{block}L = y.sum()\n").fixes
    assert fix.apply(f"{X}{block}L = y.sum()\n") == f"{X}{mended}L = y.sum()\n"


# -- numbers that are no inputs ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("script", "caret", "mended"),
    [
        (
            "x = 2.\nfor i in range(3):\n    x = x * 0.5 + x * 0.5\n",
            "`x` is assigned more than once, and a number is an input only where it is assigned once",
            "x0 = 2.\nx = x0\nfor i in range(3):\n    x = x * 0.5 + x * 0.5\n",
        ),
        (
            "x0 = [1, 2]\nx = 2.\nx = x + 1\nfor i in x0:\n    y = x * 3\n",
            "`y` is made from plain numbers: `x` is assigned more than once, and a number is an input only"
            " where it is assigned once",
            "x0 = [1, 2]\nx1 = 2.\nx = x1\nx = x + 1\nfor i in x0:\n    y = x * 3\n",
        ),
        (
            "x = 2.\nif x > 1:\n    x = x * 3\ny = x * 2\n",
            "`y` is made from plain numbers: `x` is assigned more than once, and a number is an input only"
            " where it is assigned once",
            "x0 = 2.\nx = x0\nif x > 1:\n    x = x * 3\ny = x * 2\n",
        ),
    ],
)
def test_a_number_that_is_assigned_again_is_no_input(script: str, caret: str, mended: str) -> None:
    error = lost(script)
    assert error.caret == caret
    assert not any("math.exp" in text for text in error.help)
    [fix] = error.fixes
    assert fix.apply(script) == mended
    assert fix.text.startswith("give the input a name of its own: x")


def test_the_name_of_the_target_means_the_input_it_began_with() -> None:
    script = "x = 2.\nfor i in range(3):\n    x = x * 0.5 * x\n"
    subject = differentiate(execute(Source(script), Settings(wrt=["x"])), Settings(wrt=["x"]))
    [(_, node)] = subject.wrt
    assert (node.out, subject.cotangents[node]) == (2.0, pytest.approx(8.0))


def test_a_name_that_is_not_the_targets_means_its_latest_version() -> None:
    script = "x = torch.tensor(2.)\nx = x * 5\ny = x * 3\n"
    subject = differentiate(execute(Source(script), Settings(wrt=["x"])), Settings(wrt=["x"]))
    [(_, node)] = subject.wrt
    assert (node.out, subject.cotangents[node]) == (10.0, 3.0)


@pytest.mark.parametrize("ending", ["", "y.backward()\n"])
def test_a_branch_that_did_not_run_is_neither_pointed_at_nor_rewritten(ending: str) -> None:
    script = (
        f"{X}if x.sum() > 5:\n    h = x.detach() * 3\nelse:\n    h = torch.tensor(x.tolist())\n"
        f"y = (h * 2).sum()\n{ending}"
    )
    error = run_script(script).error if ending else lost(script)
    assert error is not None
    assert "x.detach()" not in [text for text, _ in pointed_at(error, script)]
    [fix] = error.fixes
    assert "    h = x.detach() * 3\nelse:\n    h = x\n" in fix.apply(script)


@pytest.mark.parametrize(
    ("call", "chosen", "mended"),
    [
        ("max(x, 2)", "2", "torch.clamp(x, min=2)"),
        ("max(2, x)", "2", "torch.clamp(x, min=2)"),
        ("min(x, n)", "n", "torch.clamp(x, max=n)"),
        ("min(1.9999, x)", "1.9999", "torch.clamp(x, max=1.9999)"),  # of equal values the first
    ],
)
@pytest.mark.parametrize("end", ["", "*3"])
def test_a_number_that_max_or_min_chose_is_named(call: str, chosen: str, mended: str, end: str) -> None:
    script = f"x = torch.tensor(1.9999, requires_grad=True)\nn = 1\nL = {call}{end}\n"
    error = lost(script)
    words = f"{call[:3]}() chooses {chosen} here, a number that nothing connects to the inputs"
    assert words in [error.caret, *(text for _, text in pointed_at(error, script))]
    [fix] = error.fixes
    assert f"L = {mended}{end}\n" in fix.apply(script)
    assert error.help == ()


@pytest.mark.parametrize("call", ["max(x, 1)", "min(x, 1.9999)", "max([x, 1])"])
def test_a_choice_that_stays_in_the_graph_is_not_blamed(call: str) -> None:
    error = lost(f"x = torch.tensor(1.9999, requires_grad=True)\nL = {call}.item()*3\n")
    assert "chooses" not in str([error.caret, *(label.text for label in error.labels)])


UNMARKED = (
    "x = torch.tensor([0.5, 2.0])\na = torch.tensor(0.3)\nfor t in range(2):\n    p = a*x\n"
    "    loss = (p - 1).pow(2).sum().item()\n    if t == 1:\n        print(t, loss)\n"
    "    a = a - 0.1*(2*(p - 1)*x).sum()\n"
)


@pytest.mark.parametrize("asked", [{"wrt": ("a",)}, {"wrt": ("x",)}, {"wrt": ("a*",)}, {}])
def test_a_cut_behind_tensors_without_requires_grad_is_named(asked: dict[str, tuple[str, ...]]) -> None:
    settings = Settings(of="loss", **asked)
    with pytest.raises(GradientError) as caught:
        differentiate(execute(Source(UNMARKED), settings, lambda text: None), settings)
    error = caught.value
    assert excerpt(error, UNMARKED) == "(p - 1).pow(2).sum().item()"
    assert [fix.text for fix in error.fixes] == [
        "stay in the graph: write (p - 1).pow(2).sum() for (p - 1).pow(2).sum().item()"
    ]


LOGITS = """import torch
import torch.nn.functional as F
X = torch.tensor([[1., 2.], [3., -1.], [0.5, 1.]])
W = torch.tensor([[1., 0.5, 2.], [0.1, -0.4, 1.]], requires_grad=True)
y = torch.tensor([0, 2, 1])
logits = X @ W
"""
MSE = "\nL = F.mse_loss(pred.float(), y.float())"


@pytest.mark.parametrize(
    ("chosen", "scores"),
    [
        ("pred = torch.argmax(logits, 1)", "logits"),
        ("pred = logits.argmax(dim=-1)", "logits"),
        ("pred = torch.argmax(F.softmax(logits, dim=1), dim=1)", "logits"),
        ("p = torch.softmax(X @ W, 1)\npred = p.argmax(1)", "X @ W"),
        ("_, pred = torch.max(logits, 1)", "logits"),
        ("pred = logits.max(dim=1)[1]", "logits"),
        ("pred = torch.max(logits, 1).indices", "logits"),
    ],
)
def test_a_loss_of_chosen_classes_is_cross_entropy(chosen: str, scores: str) -> None:
    for labels, written in (("y", "y"), ("y.double()", "t.long()")):
        text = (
            LOGITS if labels == "y" else LOGITS.replace("y = torch", "t = torch").replace("2, 1]", "2., 1.]")
        )
        error = lost(text + chosen + (MSE if labels == "y" else MSE.replace("y.float()", "t")))
        loss = f"F.cross_entropy({scores}, {written})"
        assert error.advice[-1:] == (f"a loss for classes takes the scores themselves: `{loss}`",)
        assert differentiate(execute(Source(f"{text}{chosen}\nL = {loss}")), Settings()).wrt[0][0] == "W"


@pytest.mark.parametrize(
    "chosen",
    [
        "pred = torch.argmin(logits, 1)",
        "pred = torch.argmax(logits, 0)",
        "y = None\npred = torch.argmax(logits, 1)",
        "y = torch.tensor([0, 3, 1])\npred = torch.argmax(logits, 1)",
    ],
)
def test_other_positions_are_no_classes(chosen: str) -> None:
    advice = lost(f"{LOGITS}{chosen}\nL = (pred * 2.).sum()").advice
    assert "is differentiable: it gives the entry itself" in advice[-1]
