"""Repairs are tried by running them: what such a run may cost, and that it leaves nothing behind."""

from __future__ import annotations

import pytest
from autodiff.core.base.errors import AutodiffError, Edit, Fix, LimitError, ScriptError
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source, Span
from autodiff.core.graph import dtypes
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.repair import try_repairs
from autodiff.grammar.session.run import Settings
from script_runner import run_script


def tried(text: str, *replacements: str, code: str = "E0200") -> AutodiffError:
    """An error at MISTAKE whose proposals put each of the replacements there, after they were tried."""
    at = text.index("MISTAKE")
    span = Span(at, at + len("MISTAKE"))
    fixes = tuple(Fix(new, Edit(span, new)) for new in replacements)
    error = ScriptError("a mistake", code=code, span=span, fixes=fixes)
    try_repairs.keep_working_fixes(error, Source(text), Settings())
    return error


def kept(error: AutodiffError) -> list[str]:
    return [fix.text for fix in error.fixes]


def test_a_repaired_import_leaves_what_stands_before_it() -> None:
    text = 'print("numppy is misspelt")\nimport numppy\nx = numppy.sqrt(4.0)\n'
    error = run_script(text).error
    assert error is not None
    (fix,) = (fix for fix in error.fixes if "did you mean" in fix.text)
    assert fix.apply(text) == 'print("numppy is misspelt")\nimport numpy\nx = numpy.sqrt(4.0)\n'


def test_only_what_holds_is_kept():
    assert kept(tried("x = MISTAKE\n", "nothing", "1", "1 / 0")) == ["1"]


def test_no_more_than_two_are_kept():
    assert kept(tried("x = MISTAKE\n", "1", "2", "3")) == ["1", "2"]


@pytest.mark.parametrize("code", ["E0201", "E0204", "E0310"])
def test_a_name_is_right_when_backward_complains_in_its_line(code):
    text = "w = torch.tensor(1.)\ny = (w * MISTAKE).backward()\n"
    assert kept(tried(text, "2", code=code)) == ["2"]
    assert kept(tried(text, "2", code="E0203")) == []


def test_a_name_is_not_right_when_something_else_fails_in_its_line():
    assert kept(tried("y = torch.ones(2) + MISTAKE\n", "torch.ones(3)", code="E0204")) == []


@pytest.mark.parametrize(
    ("name", "expected"), [("loos", ["did you mean `loss` (line 2)?"]), ("los_function", [])]
)
def test_where_an_earlier_line_fails_a_name_needs_to_be_all_but_certain(name, expected):
    error = run_script(f"x = torch.ones(2)\nloss = torch.epx(x)\nprint({name})\n").error
    assert error is not None
    assert (error.code, kept(error)) == ("E0201", expected)


def test_another_unknown_name_has_to_stand_behind_the_mended_one():
    assert kept(tried("y = MISTAKE + b\n", "1", "a", code="E0201")) == ["1"]


def test_a_mended_word_may_uncover_what_is_wrong_further_on_in_its_line():
    assert kept(tried("y = MISTAKE ) 2\n", "1", "(1", "+", ")", code="E0101")) == ["1", "(1"]


def test_nothing_is_said_of_what_does_not_hold():
    for code in ("E0101", "E0203"):
        error = tried("x = MISTAKE\n", ")" if code == "E0101" else "nothing", code=code)
        assert (error.fixes, error.help) == ((), ())


def test_a_script_that_goes_on_for_ever_is_stopped():
    assert kept(tried("x = MISTAKE\nwhile True: pass\n", "1")) == ["1"]
    assert kept(tried("while MISTAKE: pass\n", "True")) == ["True"]  # in the line of the mistake too


def test_no_trial_begins_after_so_many_steps(monkeypatch):
    script = "for i in range(100): pass\nx = MISTAKE\n"
    assert kept(tried(script, "1", "2")) == ["1", "2"]
    monkeypatch.setattr(try_repairs, "MOST_STEPS", 50)
    assert kept(tried(script, "1", "2")) == ["1"]


def test_trials_get_less_memory(monkeypatch):
    monkeypatch.setattr(try_repairs, "MOST_MEMORY", 1 << 20)
    assert kept(tried("x = MISTAKE\n", "torch.zeros(10**6)", "torch.zeros(10)")) == ["torch.zeros(10)"]


def test_trials_print_nothing(capsys):
    tried("print('loud')\nx = MISTAKE\nprint('loud')\n", "1")
    assert capsys.readouterr().out == ""


def test_trials_leave_the_engine_as_it_was():
    before = limits.steps, limits.memory, mode.enabled, mode.recorder, runtime.write, dtypes.default_dtype()
    script = "torch.set_default_dtype(torch.float32)\nx = MISTAKE\ntorch.set_grad_enabled(False)\n"
    tried(script, "1", "oops")
    after = limits.steps, limits.memory, mode.enabled, mode.recorder, runtime.write, dtypes.default_dtype()
    assert after == before


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit])
def test_an_interruption_passes_through(monkeypatch, kind):
    def interrupted(*_: object) -> None:
        raise kind

    before = limits.steps, limits.memory
    monkeypatch.setattr(try_repairs, "run_once", interrupted)
    with pytest.raises(kind):
        tried("x = MISTAKE\n", "1")
    assert (limits.steps, limits.memory) == before


def test_limits_of_the_command_line_hold_for_trials(monkeypatch):
    monkeypatch.setattr(limits, "steps", 5)
    error = tried("x = MISTAKE\nfor i in range(10): pass\n", "1")
    assert kept(error) == ["1"]
    assert limits.steps == 5
    assert not isinstance(error, LimitError)


MIXED = (
    "X = torch.ones(4, 2)\nD = torch.float64\n"
    "W = torch.randn(2, 1, dtype=torch.float32, requires_grad=True)\n"
)
NARROW = "run it with PyTorch's default numbers: --dtype float32"


def test_a_script_for_float32_is_to_be_run_with_it() -> None:
    error = run_script(MIXED + "L = (X @ W).sum()").error
    assert error is not None
    assert error.advice == (NARROW, "convert it: W.to(X.dtype)")
    assert run_script(MIXED + "L = (X @ W).sum()", dtype="float32").error is None


@pytest.mark.parametrize(
    "text",
    [
        "X = torch.ones(4, 2, dtype=torch.float64)\nW = torch.ones(2, 1, dtype=torch.float32)\nL = X @ W",
        "X = torch.ones(4, 2)\nW = torch.ones(2, 1, dtype=torch.int64)\nL = X @ W",
    ],
)
def test_float32_is_not_proposed_where_the_script_fails_with_it(text: str) -> None:
    error = run_script(text).error
    assert error is not None
    assert error.code == "E0312"
    assert NARROW not in error.advice


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("text", "proposed"),
    [
        (
            "w = tensor(3., requires_grad=True)\nL = w * 2\nprint(w.grad + 1)\nL.backward()\n",
            "move line 3 below line 4",
        ),
        ("L = w * 2\nw = tensor(3., requires_grad=True)\nL.backward()\n", "move line 2 above line 1"),
        (
            "w = tensor([1.0], requires_grad=True)\nif True:\n    w += 1\n    w *= 2\nL = w.sum()\n",
            "update leaves outside of the graph:\nwith torch.no_grad():\n    w += 1 ...",
        ),
        ("for i in range(3):\n    total += i\n", "start it before the loop: total = 0"),
    ],
)
def test_every_line_ending_ends_a_line_of_a_repair(text: str, proposed: str, ending: str) -> None:
    written = text.replace("\n", ending)
    error = run_script(written).error
    assert error is not None
    fix = next(fix for fix in error.fixes if fix.text.partition("\r")[0] == proposed)
    assert run_script(fix.apply(written)).error is None


def test_a_method_that_is_called_as_a_function_is_no_misspelling() -> None:
    error = run_script("x = torch.tensor(2., requires_grad=True)\ny = x*2\nz = detach(y)\n").error
    assert error is not None
    assert [fix.text for fix in error.fixes] == ["it is a method: `y.detach()`"]


def test_a_repair_holds_if_a_function_fails_in_a_later_call() -> None:
    """The optimizer's repair gets to the loop, where the model's line before it meets float32 numbers."""
    text = (
        "import torch\nprint(torch.float64)\nw = torch.ones(1, 1, requires_grad=True)\n"
        "def model(x):\n    return x @ w\n\n"
        "optimizer = torch.optim.SGD([w], lr=0.1)\nx = torch.ones(2, 1, dtype=torch.float32)\n"
        "for step in range(2):\n    loss = model(x).sum()\n    optimizer.zero_grad()\n    loss.backward()\n"
        "    optimizer.step()\n"
    )
    error = run_script(text).error
    assert error is not None
    [fix] = error.fixes
    after = run_script(fix.apply(text)).error
    assert (after.code, after.advice[0]) == ("E0312", NARROW)
