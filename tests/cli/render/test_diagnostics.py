"""Diagnostics for machines: JSON lines and GitHub's commands, of every command, on the right stream."""

from __future__ import annotations

import json

import pytest
from autodiff.cli.render.github import github_line, span_of_line_in
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source, Span

COMMANDS = ("run", "grad", "explain", "graph")
WARNS = "w = torch.tensor(1.0, requires_grad=True)\ny = w * 2\ny.backward()\nprint(y.grad)\n"


@pytest.mark.parametrize("command", COMMANDS)
def test_an_error_is_one_json_object_on_stderr(autodiff, write, command):
    write("x = tensor([1., 2.])\ny = x + ones(3)\n", "s.ad")
    done = autodiff(command, "s.ad", "--diagnostics", "json")
    assert done.returncode == 4
    entry = json.loads(done.err)
    assert done.err.count("\n") == 1
    assert entry["code"] == "E0301"
    assert entry["severity"] == "error"
    assert entry["filename"] == "s.ad"
    assert entry["location"] == {"line": 2, "column": 5}
    assert entry["end_location"] == {"line": 2, "column": 16}
    assert entry["message"].startswith("The size of tensor a (2) must match")
    assert [label["location"]["line"] for label in entry["labels"]] == [1, 2]


def test_every_mistake_is_an_object(autodiff):
    done = autodiff("grad", "-e", "x = = 3", "-e", "z = 1 +", "--diagnostics", "json")
    assert [json.loads(line)["code"] for line in done.err.splitlines()] == ["E0101", "E0101"]


def test_every_mistake_is_told_and_counted(autodiff):
    done = autodiff("grad", "-e", "x = = 3", "-e", "z = 1 +")
    assert done.returncode == 3
    assert done.err.count("error[E0101]") == 2
    assert done.err.endswith("\n\nfound 2 mistakes\n")
    assert "found" not in autodiff("grad", "-e", "x = = 3").err


def test_mistakes_stand_in_the_order_of_the_script(autodiff, write):
    write("x = 2.\ny = nowhere * x\nz = x +* 3\nw = ord(x)\n", "s.ad")
    said = autodiff("grad", "s.ad").err
    places = [line for line in said.split("\n") if "-->" in line]
    assert places == [f" --> s.ad:{at}" for at in ("2:5", "3:8", "4:5")]
    assert "count places in a string of your own" in said


@pytest.mark.parametrize("command", COMMANDS)
def test_a_warning_is_in_the_report_and_on_stderr(autodiff, write, command):
    write(WARNS, "s.ad")
    done = autodiff(command, "s.ad", "--diagnostics", "json", "--format", "json")
    (entry,) = json.loads(done.out)["diagnostics"]
    assert (entry["code"], entry["severity"]) == ("W0100", "warning")
    assert entry["location"] == {"line": 4, "column": 7}
    (line,) = [line for line in done.err.splitlines() if line.startswith("{")]
    assert json.loads(line) == entry


def test_a_warning_stands_in_the_document_of_a_failure(autodiff):
    done = autodiff("grad", "--format", "json", "-e", WARNS, "-e", "z = 1 / 0")
    severities = [entry["severity"] for entry in json.loads(done.out)["diagnostics"]]
    assert severities == ["warning", "error"]


def test_notes_are_objects_too(autodiff):
    done = autodiff("run", "-e", "print(1)", "--diagnostics", "json")
    assert done.returncode == 0
    assert [json.loads(line)["severity"] for line in done.err.splitlines()] == ["note", "help"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("grad", "--wrtt", "w", "-e", "w = 3"),
        ("grad", "--wrt", "v", "-e", "w = 3"),
        ("grad", "missing.ad"),
        ("grad", "--set", "w", "-e", "w = 3"),
        ("run", "--digits", "many", "-e", "w = 3"),
        ("grad", "--of"),
        ("run", "--show", "nothing", "-e", "w = 3"),
    ],
)
def test_a_usage_error_is_a_document_too(autodiff, arguments):
    command, *rest = arguments
    done = autodiff(command, "--format", "json", *rest)
    assert done.returncode == 2
    made = json.loads(done.out)
    assert made["schema"] == 2
    (entry,) = made["diagnostics"]
    assert entry["severity"] == "error"
    assert entry["code"].startswith("E06")
    assert done.err.startswith(f"error[{entry['code']}]: {entry['message']}\n")


def test_github_on_stderr(autodiff, write):
    write("x = q\n", "a,b.ad")
    done = autodiff("grad", "a,b.ad", "--diagnostics", "github")
    assert done.err.startswith(
        "::error file=a%2Cb.ad,line=1,col=5,endLine=1,endColumn=6,title=E0201::name 'q' is not defined%0A"
    )
    assert done.err.count("\n") == 1
    assert autodiff("grad", "--diagnostics=github", "--nope").err.startswith(
        "::error title=E0610::there is no"
    )


def test_github_escapes():
    error = AutodiffError("100% of\ra: b,\nc\x1b[2J", code="E0100", caret="here", span=Span(0, 1))
    line = github_line(error, Source("x = 1", "a:b%.ad"), "warning")
    assert line == (
        "::warning file=a%3Ab%25.ad,line=1,col=1,endLine=1,endColumn=2,title=E0100::"
        "100%25 of%0Da: b,%0Ac\\x1b[2J%0Ahere\n"
    )


def test_github_has_another_word_for_notes():
    error = AutodiffError("this", code="E0100")
    assert github_line(error, None, "note") == "::notice title=E0100::this\n"


def test_a_note_that_names_a_line_of_the_script_stands_there(autodiff, write):
    write("import math\nx = torch.tensor(2., requires_grad=True)\ny = x*math.exp(x.item())\n", "a.ad")
    done = autodiff("check", "a.ad", "--diagnostics", "github")
    assert done.err.startswith(
        "::notice file=a.ad,line=3,col=1,endLine=3,endColumn=25::`math.exp(x.item())` in line 3"
    )
    assert span_of_line_in("d.csv, line 2: `x` is no number", Source("a\nb", "a.ad")) is None


def test_github_over_several_lines_has_no_columns():
    error = AutodiffError("this", code="E0100", span=Span(0, 7))
    line = github_line(error, Source("x = 1\ny = 2\n", "a.ad"), "error")
    assert line == "::error file=a.ad,line=1,endLine=2,title=E0100::this\n"


def test_text_stays_the_default(autodiff):
    assert autodiff("grad", "-e", "x = q").err.startswith("error[E0201]")
