"""How scripts run: limits, depth, where errors stand, what in-place statements do."""

from __future__ import annotations

import subprocess
import sys

import pytest
from autodiff import grammar
from autodiff.core.base.errors import LimitError
from autodiff.core.base.limits import limits
from autodiff.core.graph.state import mode
from autodiff.grammar.objects import value_text
from script_runner import printed, run_script
from seeds import MORE

DEEP = 10_000 if MORE >= 1 else 3_000


@pytest.fixture
def few_steps():
    """A budget that runs out at once."""
    before, limits.steps = limits.steps, 10_000
    yield
    limits.steps = before


@pytest.mark.parametrize(
    "text",
    [
        "x = 1.0\ny = " + " + ".join(["x"] * DEEP),
        "x = torch.tensor(1.)\ny = " + " * ".join(["x"] * DEEP),
        "y = " + "-" * DEEP + "1",
        "y = " + "not " * DEEP + "1",
        "y = " + "(" * DEEP + "1" + ")" * DEEP,
        "y = " + "[" * DEEP + "]" * DEEP,
        "y = " + "abs(" * DEEP + "1" + ")" * DEEP,
        "x = torch.tensor(1.)\ny = x" + ".data" * DEEP,
        "y = " + "1 < " * DEEP + "2",
        "y = " + "1 and " * DEEP + "2",
        "y = " + "1 if 0 else " * DEEP + "2",
        "y = " + "lambda: " * DEEP + "2",
        "".join(" " * i + "if 1:\n" for i in range(1000)) + " " * 1000 + "y = 1",
        "def f(n):\n    return 0 if n == 0 else 1 + f(n - 1)\ny = f(10000)",
        "x = []\nfor i in range(10000): x = [x]\ny = str(x) == str(x)",
    ],
    ids=lambda text: text[:12],
)
def test_depth_is_no_problem(text: str) -> None:
    assert run_script(text).error is None


@pytest.fixture
def shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A depth that is soon reached."""
    monkeypatch.setattr(limits, "depth", DEEP)


def test_what_is_too_deep_says_so(shallow: None) -> None:
    error = run_script("y = " + "abs(" * (DEEP + 1) + "1" + ")" * (DEEP + 1)).error
    assert isinstance(error, LimitError)
    assert error.code == "E0501"


@pytest.mark.parametrize(
    "text",
    [
        "def f(n): return f(n + 1)\nf(0)",
        "def f(n): return g(n)\ndef g(n): return f(n)\nf(0)",
        "def f(n): return sorted([n], key=lambda k: f(k))\nf(0)",
        "def f(n): return max([n], key=f)\nf(0)",
        "def f(x): return jacobian(f, x)\nf(torch.tensor(1.))",
        "class A(Function):\n    @staticmethod\n    def forward(ctx, x): return A.apply(x)\n"
        "    @staticmethod\n    def backward(ctx, g): return g\nA.apply(torch.tensor(1.))",
    ],
)
def test_recursion_without_end(text: str, shallow: None) -> None:
    error = run_script(text).error
    assert isinstance(error, LimitError)
    assert (error.code, error.message) == ("E0501", "maximum recursion depth exceeded")


def test_all_calls_that_led_to_an_error_are_counted() -> None:
    error = run_script("def f(n): return f(n - 1) if n else torch.tensor(q)\nq = 'w'\nf(300)").error
    assert error is not None
    assert (error.calls, len(error.frames)) == (301, 20)


@pytest.mark.parametrize(
    "text",
    [
        "while True: pass",
        "for i in range(10**12): pass",
        "[i for i in range(10**12)]",
        "sum(range(10**12))",
        "x = [1]\nfor i in x: x.append(i)",
        "list(zip(range(10**12)))",
        "print(*range(10**8))",
        "x = []\ny = []\nfor i in range(50):\n    x = [x, x]\n    y = [y, y]\nx == y",
        "def f(n):\n    while n: n = n + 1\nf(1)",
        "for i, j in enumerate(range(10**12)): pass",
    ],
)
def test_work_without_end(text: str, few_steps: None) -> None:
    error = run_script("torch.tensor(0)\n" + text).error
    assert isinstance(error, LimitError)
    assert error.code == "E0503"


@pytest.mark.parametrize(
    "text",
    [
        "'a' * 10**12",
        "[0] * 10**12",
        "list(range(10**12))",
        "a, *b = range(10**12)",
        "torch.zeros(10**6, 10**6)",
        "','.join(['a' * 10**6] * 10**6)",
        "'a'.ljust(10**12)",
        "x = [0]\nfor i in range(40): x = x + x",
        "f'{1:{10**9}}'",
        "'%1000000000d' % 1",
        "x = []\nfor i in range(40): x = [x, x]\nprint(x)",
    ],
)
def test_memory_without_end(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "memory", 16 << 20)
    monkeypatch.setattr(value_text, "MAX_TEXT_LENGTH", 1_000_000)
    error = run_script("torch.tensor(0)\n" + text).error
    assert isinstance(error, LimitError)
    assert error.code == "E0502"


def test_everything_is_put_back_after_an_error() -> None:
    before = sys.getrecursionlimit()
    assert run_script("torch.set_grad_enabled(False)\nx = torch.ones(2)\n1 / 0").error is not None
    assert mode.enabled
    assert mode.site is None
    assert mode.recorder is None
    assert sys.getrecursionlimit() == before


def test_an_error_inside_a_function_tells_the_way_there() -> None:
    text = "def inner(x):\n    return x @ x\ndef outer(x):\n    return inner(x)\nouter(torch.ones(2, 3))\n"
    error = run_script(text).error
    assert error is not None
    assert error.span is not None
    assert text[error.span.start : error.span.end] == "x @ x"
    assert [(name, text[site.start : site.end]) for name, site in error.frames] == [
        ("inner", "inner(x)"),
        ("outer", "outer(torch.ones(2, 3))"),
    ]


def test_shapes_are_labelled_with_the_scripts_names() -> None:
    error = run_script("X = torch.ones(2, 3)\nW = torch.ones(2, 2)\na = X @ W\n").error
    assert error is not None
    assert [label.text for label in error.labels] == ["X has shape (2, 3)", "W has shape (2, 2)"]
    assert error.advice[0] == "X.T @ W fits: (3, 2) @ (2, 2) gives (3, 2)"


@pytest.mark.parametrize(
    ("product", "mended"),
    [
        ("X @ (P - 1)", "X.T @ (P - 1)"),
        ("(X + 1) @ P", "(X + 1).T @ P"),
        ("( X+1 ) @ (P * 1)", "(X+1).T @ (P * 1)"),
        ("2 * X @ P", "(2 * X).T @ P"),
        ("(X) @ P[:, :2]", "X.T @ P[:, :2]"),
    ],
)
def test_a_transposed_product_keeps_its_brackets(product: str, mended: str) -> None:
    text = f"X = torch.ones(5, 3)\nP = torch.ones(5, 2)\nL = ({product}).sum()\n"
    error = run_script(text).error
    assert error is not None
    assert error.advice[0] == f"{mended} fits: (3, 5) @ (5, 2) gives (3, 2)"
    assert error.fixes[0].apply(text).splitlines()[-1] == f"L = ({mended}).sum()"


def test_a_transposed_argument_is_shown_as_an_operand() -> None:
    error = run_script("X = torch.ones(5, 3)\nP = torch.ones(5, 2)\nL = X.matmul(P - 1)\n").error
    assert error is not None
    assert error.advice[0].startswith("X.T @ (P - 1) fits: ")


@pytest.mark.parametrize("made", ["torch.ones(2, requires_grad=True)", "torch.ones(2).requires_grad_()"])
def test_an_input_is_added_up_where_the_pass_starts(made: str) -> None:
    error = run_script(f"x = {made}\nx.backward()\n").error
    assert error is not None
    assert error.advice == (
        "add them up:        x.sum().backward()",
        "or give a weight:   x.backward(torch.ones_like(x))",
    )


def test_backward_of_many_numbers_shows_both_ways_out() -> None:
    error = run_script("d = torch.ones(3, 3, requires_grad=True)\nL = 10 - d\nL.backward()\n").error
    assert error is not None
    assert error.message == "grad can be implicitly created only for scalar outputs"
    assert error.advice == (
        "add them up:        L = (10 - d).sum()",
        "or give a weight:   L.backward(torch.ones_like(L))",
    )


def test_proposals_work() -> None:
    start = "d = torch.ones(3, 3, requires_grad=True)\nL = 10 - d\n"
    assert run_script(start + "L = (10 - d).sum()\nL.backward()").error is None
    assert run_script(start + "L.backward(torch.ones(3, 3))").error is None


def test_nodes_carry_the_scripts_names() -> None:
    names = run_script("w = 3.0\nL = w * w\ndef f(x):\n    y = x * 2\n    return y\nz = f(w)\n").names
    assert names["L"].node.name == "L"
    assert names["w"].node.name == "w"
    assert names["z"].node.name == "y"


def test_in_place_statements_change_the_tensor_and_rebind_numbers() -> None:
    assert printed("x = torch.tensor([1.])\ny = x\nx += 1\nprint(y)\na = b = 1\na += 1\nprint(a, b)\n") == (
        "tensor([2.])\n2 1\n"
    )


def test_a_star_takes_what_the_others_leave_of_rows() -> None:
    names = grammar.run("x, *y = torch.tensor([1., 2., 3.])\n*u, v = zip([1, 2], [3, 4])")
    assert [row.item() for row in (names["x"], *names["y"])] == [1.0, 2.0, 3.0]
    assert (names["u"], names["v"]) == ([(1, 3)], (2, 4))


def test_with_restores_grad_mode_on_every_way_out() -> None:
    text = (
        "torch.tensor(0)\ndef f():\n    with torch.no_grad():\n        return 1\n"
        "f()\nprint(torch.is_grad_enabled())\n"
        "for i in range(2):\n    with torch.no_grad():\n        break\nprint(torch.is_grad_enabled())\n"
    )
    assert printed(text) == "True\nTrue\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("break", "'break' outside loop"),
        ("if 1:\n    continue", "'continue' not properly in loop"),
        ("for i in range(2):\n    def f():\n        break", "'break' outside loop"),
        ("while 1: break\nelse:\n    break", "'break' outside loop"),
        ("return 3", "'return' outside function"),
    ],
)
def test_jumps_that_mean_nothing(text: str, message: str) -> None:
    error = run_script(f"print(1)\n{text}").error
    assert error is not None
    assert (error.code, error.message) == ("E0102", message)


@pytest.mark.parametrize(
    ("text", "value"), [("1e400", "inf"), ("1e-400", "0.0"), ("0e5", None), ("0.00", None)]
)
def test_literals_that_do_not_fit(text: str, value: str | None) -> None:
    outcome = run_script(f"torch.tensor(0)\nprint({text})")
    expected = [] if value is None else [f"{text} does not fit in a float: it is taken as {value}"]
    assert outcome.warnings == expected
    assert outcome.stdout == f"{value or 0.0}\n"


@pytest.mark.parametrize("call", ["exp(x)", "softmax(x, 0)", "x.exp()", "exp(-x)"])
def test_the_argument_of_a_call_may_have_no_value_yet(call):
    for text in (f"y = {call}\nx = ones(2)", f"def f():\n    y = {call}\n    x = ones(2)\nf()"):
        error = run_script(text).error
        assert error is not None
        assert error.code == "E0202"
        assert text[error.span.start : error.span.end] == "x"


def test_the_argument_of_a_call_is_worked_out_once():
    text = "calls = []\ndef f():\n    calls.append(1)\n    print(len(calls))\n    return VALUE\nexp(f())"
    assert printed(text.replace("VALUE", "ones(2)")) == "1\n"
    outcome = run_script(text.replace("VALUE", '"text"'))
    assert outcome.stdout == "1\n"
    assert outcome.error is not None
    assert "must be array" in outcome.error.message


COMPILED_ALONE = """\
import sys
from autodiff.grammar import execution  # what every script loads
from autodiff.grammar.interpret.compiler import EXPRESSIONS, STATEMENTS
for table in (EXPRESSIONS, STATEMENTS):
    for kind in [*table, *table.later]:
        assert callable(table[kind]), kind
names = {name for table in (EXPRESSIONS, STATEMENTS) for name in table}
from autodiff.grammar import lints
from autodiff.grammar.interpret import comprehensions, definitions, imports, script_functions
from autodiff.grammar.objects import nn_modules
assert names == {name for table in (EXPRESSIONS, STATEMENTS) for name in table}
"""


def test_what_few_scripts_have_is_compiled_by_modules_that_load_when_it_is_met() -> None:
    subprocess.run([sys.executable, "-c", COMPILED_ALONE], check=True)
