"""Repairs are tried by running them: what such a run may cost, and that it leaves nothing behind."""

from __future__ import annotations

import pytest
from autodiff.core import dtypes
from autodiff.core.errors import AutodiffError, Edit, Fix, LimitError, ScriptError
from autodiff.core.limits import limits
from autodiff.core.mode import mode
from autodiff.core.span import Source, Span
from autodiff.grammar import repair
from autodiff.grammar.run import Settings
from autodiff.grammar.runtime import runtime


def tried(text: str, *replacements: str, mistake: str = "MISTAKE") -> AutodiffError:
    """An error at MISTAKE whose proposals put each of the replacements there, after they were tried."""
    at = text.index(mistake)
    span = Span(at, at + len(mistake))
    fixes = tuple(Fix(new, Edit(span, new)) for new in replacements)
    error = ScriptError("a mistake", code="E0200", span=span, fixes=fixes)
    repair.keep_what_holds(error, Source(text), Settings())
    return error


def kept(error: AutodiffError) -> list[str]:
    return [fix.text for fix in error.fixes]


def test_only_what_holds_is_kept():
    assert kept(tried("x = MISTAKE\n", "nothing", "1", "1 / 0")) == ["1"]


def test_no_more_than_two_are_kept():
    assert kept(tried("x = MISTAKE\n", "1", "2", "3")) == ["1", "2"]


def test_a_script_that_goes_on_for_ever_is_stopped():
    assert kept(tried("x = MISTAKE\nwhile True: pass\n", "1")) == ["1"]


def test_no_trial_begins_when_time_is_over(monkeypatch):
    monkeypatch.setattr(repair, "MOST_SECONDS", -1.0)
    assert kept(tried("x = MISTAKE\n", "1")) == []


def test_trials_get_less_memory(monkeypatch):
    monkeypatch.setattr(repair, "MOST_MEMORY", 1 << 20)
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
    monkeypatch.setattr(repair, "attempt", interrupted)
    with pytest.raises(kind):
        tried("x = MISTAKE\n", "1")
    assert (limits.steps, limits.memory) == before


def test_limits_of_the_command_line_hold_for_trials(monkeypatch):
    monkeypatch.setattr(limits, "steps", 5)
    error = tried("x = MISTAKE\nfor i in range(10): pass\n", "1")
    assert kept(error) == ["1"]
    assert limits.steps == 5
    assert not isinstance(error, LimitError)
