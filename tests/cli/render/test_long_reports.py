"""Long derivations: what is shown of them, what is said to be left out, and how to get it all."""

from __future__ import annotations

import json
import re

import pytest
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.render.derivation import number_lines
from autodiff.cli.render.page import Page
from autodiff.cli.render.reports import explain_lines
from autodiff.cli.requests import make_report
from autodiff.cli.requests.session import Session

from tests.cli.reports import texts, w1_derivation

RECURRENT = """torch.manual_seed(0)
W = torch.randn(4, 4, requires_grad=True)
U = torch.randn(4, 3, requires_grad=True)
b = torch.zeros(4, requires_grad=True)
c = torch.zeros(4, requires_grad=True)
V = torch.randn(2, 4, requires_grad=True)
xs = torch.randn(12, 3)
h = torch.zeros(4)
for t in range(12):
    h = torch.tanh(W @ h + U @ xs[t] + b * c)
loss = ((V @ h) ** 2).sum()
loss.backward()
"""
LEFT = re.compile(r"\.\.\. [\d,]+ more (lines|terms|line|term) of this step \(--all\)")


def test_a_long_report_is_cut_and_says_so(autodiff, write) -> None:
    script = write(RECURRENT)
    done, whole = autodiff("explain", script), autodiff("explain", script, "--all")
    assert len(done.out.splitlines()) < 340 < 700 < len(whole.out.splitlines())
    assert LEFT.search(done.out)
    assert not LEFT.search(whole.out)
    assert re.search(
        r"\n\.\.\. the derivations for .* are left out: --wrt NAME shows one, --all all\n$", done.out
    )
    assert "are left out" not in whole.out


def test_every_gradient_keeps_its_value_and_its_reasons(autodiff, write) -> None:
    done = autodiff("explain", write(RECURRENT))
    for name in ("W", "U", "b", "c", "V"):
        assert re.search(rf"^{name} gets \|", done.out, re.MULTILINE)
    said = done.out.replace("\n              ", " ")
    assert re.search(r"^why .*b \(0 in all entries\) is multiplied by c", said, re.MULTILINE)


def test_what_was_asked_for_is_derived(autodiff, write) -> None:
    names = ["W", "U", "b", "c", "V"]
    done = autodiff("explain", write(RECURRENT), "--wrt", ",".join(names))
    assert done.out.count("\n5 value ") == len(names)


@pytest.mark.parametrize(("flags", "is_cut"), [((), False), (("--show", "paths"), False)])
def test_run_in_a_pipe_shows_its_whole_report(autodiff, write, flags, is_cut) -> None:
    assert bool(LEFT.search(autodiff("run", write(RECURRENT), *flags).out)) == is_cut


def test_run_on_a_terminal_cuts_steps(on_terminal, write) -> None:
    code, seen = on_terminal("run", "--color", "never", "--show", "paths", write(RECURRENT))
    assert code == 0
    assert LEFT.search(seen)


def test_terms_are_not_cut_in_two(autodiff, write) -> None:
    out = autodiff("explain", write(RECURRENT), "--wrt", "W").out
    chain = out[out.index("\n1 chain") : out.index("\n2 local")].splitlines()
    assert re.search(r"\.\.\. \d+ more terms of this step \(--all\)", chain[-1])
    assert chain[-2].endswith("/dW")
    asked = autodiff("explain", write(RECURRENT), "--wrt", "W", "--top", "5").out
    assert "of this step" not in asked[: asked.index("\n2 local")]


@pytest.mark.parametrize("flags", [(), ("--all",)])
def test_a_matrix_is_not_cut_inside(autodiff, flags) -> None:
    script = "x = torch.rand(4, 6); W1 = torch.rand(6, 8, requires_grad=True); W2 = torch.rand(8, 3)"
    loss = "L = ((tanh(x @ W1) @ W2 - 1)**2).sum()"
    out = autodiff("explain", "-e", script, "-e", loss, "--wrt", "W1", *flags).out
    assert "4 numbers     as in step 3: the arrays are too large to be written into it\n" in out
    assert all(line.count("|") % 2 == 0 for line in out.splitlines())


def test_the_sign_of_or_is_no_cut_matrix(autodiff) -> None:
    script = "Z = torch.tensor([[1., 2.], [4., 3.]]); W = torch.tensor([[0.3, 0.1]]*2, requires_grad=True)"
    loss = "S = Z @ W; L = ((S - S.amax(1, keepdim=True)).exp().sum(1)*tensor([1., 2.])).sum()"
    out = autodiff("explain", "-e", script, "-e", loss, "--all").out
    assert "isnan(" in (numbers := out[out.index("\n4 numbers") : out.index("\n5 value")])
    assert "| 1  2 |" in numbers


def test_numbers_that_stayed_names_are_not_written_out_twice(autodiff) -> None:
    script = "torch.manual_seed(0); x = torch.randn(20, 20); w = torch.randn(20, 20, requires_grad=True)"
    done = autodiff("explain", "-e", script, "-e", "L = (x @ w).tanh().sum()")
    assert "4 numbers     as in step 3: the arrays are too large to be written into it\n" in done.out
    small = autodiff("explain", "-e", "w = torch.ones(2, requires_grad=True); L = (w * 3).sum()").out
    assert "as in step 3" not in small


def test_matrices_of_one_row_stay_in_one_piece(autodiff):
    code = (
        "h = x = torch.tensor([[0.123456, -1.56789, 0.987654]])\nW = torch.tensor([[0.1, 2., 3.]]*3,"
        " requires_grad=True)\nfor t in range(2): h = torch.tanh(h @ W + x)\nL = h.sum()\nL.backward()"
    )
    said = autodiff("explain", "-e", code).out
    numbers = said[said.index("\n4 numbers") : said.index("\n5 value")].split("\n")[1:]
    assert [line for line in numbers if line.count("|") % 2] == []
    assert "| 0.123456" in "".join(numbers)


def test_paths_by_which_nothing_comes_are_told_once(autodiff):
    code = (
        "w = torch.tensor(0.01, requires_grad=True)\nh = torch.tensor(1.)\n"
        "for t in range(200):\n    h = torch.tanh(w * h)\nL = h * h"
    )
    out = autodiff("explain", "-e", code).out
    assert "\npaths         0  by each of 10 of 400 paths\n\n" in out
    assert "\nuses          0  in each of 200 uses\n\n" in out
    out = autodiff("explain", "-e", code.replace("200", "20")).out
    assert re.search(r"\npaths         \S+e-79  2.5 %  by each of 10 of 40 paths\n", out)


POWER = "w = tensor(1.0001, requires_grad=True)\nL = w\nfor i in range({count}):\n    L = L * w\n"


def test_of_very_many_inputs_some_are_derived(monkeypatch, write) -> None:
    monkeypatch.setattr(make_report, "MOST_WORK_OF_EXPLAIN", 0)
    script = str(write("ws = [tensor(1.5, requires_grad=True) for i in range(30)]\nL = sum(ws) * 2\n"))
    last = "... 10 more inputs (--wrt NAME shows one, --all all)"
    for arguments, count, ends in (([], 20, [last]), (["--all"], 30, []), (["--format", "json"], 20, [last])):
        session = Session(read_arguments(["explain", script, *arguments]))
        report = session.report(derivations=True)
        assert len(report.derivations) == count
        lines = texts(explain_lines(report, Page(step=20), asked=False)).splitlines()
        assert [line for line in lines if "more inputs" in line] == ends


def test_values_without_their_derivations_are_a_list(write) -> None:
    script = str(
        write(
            "".join(f"a{i} = {i + 1}; " for i in range(9))
            + "\nL = a0"
            + "".join(f"*a{i}" for i in range(1, 9))
        )
    )
    report = Session(read_arguments(["explain", script])).report(derivations=True)
    lines = texts(explain_lines(report, Page(step=3), asked=False)).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("dL/da2 ="))
    assert [line.partition(" = ")[0] for line in lines[first : first + 7]] == [
        f"dL/da{i}" for i in range(2, 9)
    ]
    assert lines[first - 1] == lines[first + 7] == ""
    assert lines[first + 8].startswith("... the derivations for a2, a3, a4, a5, a6, a7, a8 are left out")


SINES = POWER.replace("L * w", "sin(L) * w")


def test_equal_factors_of_a_long_path_are_a_power(autodiff, write) -> None:
    out = autodiff("explain", write(POWER.format(count=1000))).out
    local = out[out.index("\n2 local") : out.index("\n3 simplified")]
    assert "(w)**5 * ... * (w)**4 * (L_" in local
    assert "(w) * (w) * (w) * (w)" not in local


def test_paths_that_contribute_the_same_are_not_told_one_by_one(autodiff, write) -> None:
    out = autodiff("explain", write(POWER.format(count=1000))).out
    steps = out[out.index("1 chain") : out.index("3 simplified")]
    assert steps.count("\n            + ") == 2
    assert "... 999 more paths, together 1104.06; steps 3 to 5 sum all 1,001" in steps
    assert "\n3 simplified  1001*w**1000\n4 numbers     1001*1.0001**1000\n" in out
    assert re.search(r"check: backward\(\) gives 1106.27, the formula of step 3 differs by \d", out)
    assert "\npaths         1.10517  0.0999 %  by each of 10 of 1,001 paths\n" in out
    out = autodiff("explain", "-e", "w = 2; L = w + w + w + w + w + w + w").out
    assert "... 5 more paths, together 5; steps 3 to 5 sum all 7" in out
    assert "\npaths         1  14.3 %  by each path\n" in out
    out = autodiff("explain", "-e", "w = 2; L = w + w + w + w + w + w + 2*w").out
    assert "more paths" not in out


VECTORS = (
    "w = tensor([1.0, 2.0], requires_grad=True)\nv = w\nfor i in range(5):\n    v = v * w\nL = v.sum()\n"
)


@pytest.mark.parametrize(
    ("script", "flags", "says"),
    [
        (SINES.format(count=1000), (), "106 of 1,001 paths (no more, because they are long)"),
        (VECTORS, ("--max-paths", "4"), "4 of 6 paths (--max-paths)"),
    ],
)
def test_why_not_all_paths_were_followed(autodiff, write, script, flags, says) -> None:
    out = " ".join(autodiff("explain", write(script), *flags).out.split())
    assert f"check: {says}; the value is backward()'s" in out


DESCENT = """x = tensor([0.0, 1.0, 2.0], requires_grad=True)
y = tensor([1.1, 2.9, 5.2])
w = torch.tensor(0.0)
for epoch in range({count}):
    error = w*x - y
    w = w - 0.05*2*(error*x).mean()
"""


def test_dots_of_a_formula_are_explained_and_have_no_numbers(autodiff, write) -> None:
    out = autodiff("explain", write(DESCENT.format(count=60))).out
    steps = out[out.index("3 simplified") : out.index("5 value")]
    formula, numbers = steps.split("\n4 numbers")
    says = " ".join(formula.split("not written: ")[1].split())
    assert re.fullmatch(r"factors of long paths \(`...`\) and \S+ more paths", says)
    assert numbers.strip() == "what is left out of step 3 has no numbers"
    whole = autodiff("explain", write(DESCENT.format(count=3))).out
    assert "not written" not in whole
    assert "what is left out" not in whole


def test_of_a_sum_that_is_too_long_to_read_the_strongest_terms_are_written(autodiff, write) -> None:
    """The dots say that there are more, and how many; with all paths there are none."""
    script = write(
        "a = tensor([1.1, 0.9, 1.2, 0.8, 1.3, 0.7, 1.05, 0.95], requires_grad=True)\np = 1.0\n"
        "for k in range(8):\n    for j in range(k):\n        p = p * (a[k] - a[j])\n"
    )
    for options, terms in ((["--top", "2"], 2), ([], 10), (["--top", "56"], 56)):
        told = autodiff("explain", script, "--rows", "500", *options).out
        [derivation] = json.loads(autodiff("explain", script, "--format", "json", *options).out)[
            "derivations"
        ]
        steps = derivation["steps"]
        assert steps["simplified"].count("one_hot") == len(steps["numbers"]) == terms
        assert steps["simplified"].endswith(" + ...") == (terms < 56)
        assert (f"not written: {56 - terms} more paths" in told) == (terms < 56)
        assert ("+ ...\n" in told.split("4 numbers")[1].split("5 value")[0]) == (terms == 2)  # others are cut


def test_the_last_part_of_step_4_is_not_left_out_alone() -> None:
    """It is the formula that the matrices above it were named for."""
    named = tuple(f"     | 1 |\nx{at} = | 2 |" for at in range(4))
    made = w1_derivation(named=named, numbers=("| 3 |\n| 4 |",), is_scalar=False)
    for most, left in ((1, 4), (2, 3), (3, 2), (4, 0), (5, 0)):
        said = texts(number_lines(made, Page(step=most)))
        assert (f"... {left} more lines of this step (--all)" in said) == (left > 0)
        assert said.endswith("| 4 |\n") == (left == 0)
