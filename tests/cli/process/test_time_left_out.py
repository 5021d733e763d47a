"""When the time is over while something that only adds to an answer is searched for, the answer is shown."""

from __future__ import annotations

import json
import sys
import threading

import pytest
from autodiff.cli.process.supervisor import raise_in
from autodiff.core.base.errors import PartOverError
from autodiff.core.base.extra_work import end_extra_work, stopped, try_extra

#: The program, in which a function never ends.
PROGRAM = """\
import sys
from importlib import import_module
from autodiff.cli import main

def search(*given, **named):
    while True:
        pass

owner = import_module("autodiff." + sys.argv[1])
*classes, name = sys.argv[2].split(".")
for one in classes:
    owner = getattr(owner, one)
setattr(owner, name, search)
sys.argv[:3] = ["autodiff"]
main.main()
"""
CHECK = "x = 0.5\ny = 2.\nraw = x*y\nh = tanh(raw)\n"
WRONG = ("--formula", "dh/dx == (1 - raw**2)*y", "--formula", "dh/dy == (1 - h**2)*x")
CAUSE = "x = tensor([0., 1.], requires_grad=True)\ny = where(x > 0, log(x), x).sum()\ny.backward()\n"
SHAPES = "A = ones(2, 3)\nB = ones(2, 3)\nC = A @ B\n"
REASON = "the search for the reason and the comparison of later turns"
#: What is searched for ever, the command, its exit code, what is in its answer, and what was left out.
SEARCHES = {
    "grammar.by_hand.check reason_remarks": (CHECK, ("check", *WRONG), 1, "wrong: dh/dx", REASON),
    "grammar.by_hand.check look_further": (
        CHECK,
        ("check", *WRONG),
        1,
        "over before other values were",
        REASON,
    ),
    "grammar.by_hand.check explain_difference": (CHECK, ("check", *WRONG), 1, "before the mistake,", REASON),
    "cli.requests.make_report find_in_reruns": (CAUSE, ("explain",), 0, "x gets | nan |", "remedies"),
    "cli.requests.make_report note_remarks": (CAUSE, ("grad",), 0, "nan", "the search for remarks"),
    "core.derivation.derive Derivations.derive": (CHECK, ("explain",), 0, "0.839949", "the derivations"),
    "grammar.repair.try_repairs fix_works": (SHAPES, ("run",), 4, "", "the search for repairs"),
    "cli.requests.verify enter_cuts": (CHECK, ("check",), 0, "2 gradients", "the search for what left"),
}


def ran(start, *command):
    process = start(program=[sys.executable, "-c", PROGRAM, *command])
    out, err = process.communicate()
    return process.returncode, out.decode(), err.decode()


@pytest.mark.parametrize("searched", SEARCHES)
def test_what_is_known_is_shown(start, write, searched):
    text, command, status, answer, left_out = SEARCHES[searched]
    found, out, err = ran(start, *searched.split(), *command, str(write(text)), "--timeout", "1")
    assert (found, answer in out) == (status, True), (out, err)
    assert "E0505" not in err
    assert "note: stopped after 1 second: " in err
    assert left_out in err
    assert "--timeout 10 gives it more time" in err


def test_verdicts_for_programs_are_there_too(start, write):
    search = ("grammar.by_hand.check", "reason_remarks")
    command = ("check", str(write(CHECK)), *WRONG, "--timeout", "1", "--format")
    status, out, _ = ran(start, *search, *command, "verdict")
    assert (status, out) == (1, "dh/dx\twrong\ndh/dy\tundecided\n")
    status, out, _ = ran(start, *search, *command, "json")
    assert (status, [one["verdict"] for one in json.loads(out)["formulas"]]) == (1, ["wrong", "undecided"])


def test_of_several_scripts_each_has_its_verdict(start, write):
    names = [write(CHECK, name).name for name in ("a.ad", "b.ad")]
    command = ("check", *names, *WRONG[:2], "--timeout", "1")
    status, out, err = ran(start, "grammar.by_hand.check", "reason_remarks", *command)
    assert status == 1
    assert out.endswith("2 scripts: 2 wrong\n")
    assert err.count("note: stopped after 1 second: the search for the reason") == 2


def test_a_formula_that_is_needed_is_not_left_out(start, write):
    command = ("explain", str(write(CHECK)), "--format", "formula", "--timeout", "1")
    status, out, err = ran(start, "core.derivation.derive", "Derivations.derive", *command)
    assert (status, out) == (124, "")
    assert err.startswith("error[E0505]: stopped after 1 second")


def run_on_a_thread(work):
    """Run the work on a thread, and return that thread with the list of what the work returned."""
    made = []
    thread = threading.Thread(target=lambda: made.append(work()))
    thread.start()
    return thread, made


def test_the_innermost_work_ends_first():
    begun = threading.Event()

    def forever():
        begun.set()
        while True:
            pass

    def outer():
        inner = try_extra("the inner part", forever, "no inner part")
        begun.clear()
        return inner, try_extra("another part", forever, "no other part"), forever()

    thread, made = run_on_a_thread(lambda: try_extra("the outer part", outer, "no outer part"))
    for _ in range(2):
        assert begun.wait(60)
        begun.clear()
        assert end_extra_work()
        raise_in(thread, PartOverError)
    thread.join(60)
    assert made == ["no outer part"]
    assert stopped == ["the inner part", "another part", "the outer part"]
    assert not end_extra_work()
    stopped.clear()


def test_work_that_ends_by_itself_gives_its_result():
    def fail():
        raise ValueError("it failed")

    def interrupt():
        raise KeyboardInterrupt

    assert try_extra("it", lambda: 3, 0) == 3
    with pytest.raises(ValueError, match="it failed"):
        try_extra("it", fail, 0)
    with pytest.raises(KeyboardInterrupt):  # no Exception, as Ctrl-C and some limits
        try_extra("it", interrupt, 0)
    assert not stopped
    assert not end_extra_work()
