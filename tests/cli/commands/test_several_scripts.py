"""``check`` and ``lint`` with several files and folders: a line for each, and the worst exit code."""

from __future__ import annotations

import json
import sys

import pytest
from program import quick_program

RIGHT = "w = 3.\nL = w**2\n"
WRONG = """\
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return 2*x
    @staticmethod
    def backward(ctx, g): return 3*g
x = torch.tensor(3., requires_grad=True)
L = Double.apply(x)
"""
FAILS = "w = 3.\nx = ones(2)\nL = w*x\n"
BROKEN = "x = (\n"
LIKELY = "x = 1.\nx == 2\nprint(x)\n"


@pytest.fixture
def folder(tmp_path):
    """A folder with scripts in it and below it, and files that are no scripts or hidden."""
    made = tmp_path / "scripts"
    for name, text in {
        "b.ad": RIGHT,
        "a.ad": RIGHT,
        "deep/er/c.ad": RIGHT,
        "notes.txt": BROKEN,
        ".hidden/d.ad": BROKEN,
    }.items():
        path = made / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return made


def test_a_folder_is_its_scripts_in_order(autodiff, folder):
    for command, words in (("check", "1 gradient right"), ("lint", "ok")):
        done = autodiff(command, "scripts")
        assert (done.returncode, done.err) == (0, "")
        assert done.out.splitlines() == [
            f"scripts/a.ad: {words}",
            f"scripts/b.ad: {words}",
            f"scripts/deep/er/c.ad: {words}",
            "3 scripts: 3 ok",
        ]


def test_python_files_that_import_torch_or_numpy_and_nothing_that_scripts_lack_are_scripts(
    autodiff, tmp_path
):
    torch = "import torch\n{}x = torch.tensor(2., requires_grad=True)\nL = x**2\nL.backward()\n"
    numpy = "import numpy as np\n{}x = np.array([2., 3.])\nL = np.sum(x**2)\n"
    for name, text in {
        "net.py": torch.format("import math\nfrom torch.nn import functional as F\n"),
        "curve.py": numpy.format("import matplotlib.pyplot as plt\nfrom tqdm import tqdm\n"),
        "program.py": torch.format("import argparse\n"),
        "test_net.py": numpy.format("    from unittest import mock\n"),
        "numbers.py": "import math\nx = math.sin(2)\n",
        "latin.py": "import torch\n# caf\u00e9\n",
    }.items():
        path = tmp_path / "mixed" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode("latin-1"))
    done = autodiff("check", "mixed")
    lines = ["mixed/curve.py: 1 gradient right", "mixed/net.py: 1 gradient right", "2 scripts: 2 ok"]
    assert (done.returncode, done.out.splitlines()) == (0, lines)
    note = (
        "note: 2 files of torch or numpy were left out for another import: mixed/program.py (argparse),"
        " mixed/test_net.py (unittest); name them to have them read too\n"
    )
    assert done.err == note
    lint = autodiff("lint", "mixed")
    assert (lint.out.splitlines()[-1], lint.err) == ("2 scripts: 2 ok", note)
    by_hand = autodiff("check", "--formula", "@", "mixed")
    assert by_hand.out.splitlines()[-1] == "2 scripts: 2 with nothing to check"
    named = autodiff("check", "mixed", "mixed/program.py", "mixed/test_net.py")
    assert "left out" not in named.err
    assert named.out.splitlines()[-1].startswith("4 scripts: ")
    for name in ("net.py", "curve.py"):
        (tmp_path / "mixed" / name).unlink()
    done = autodiff("lint", "mixed")
    assert done.err.startswith("error[E0611]: there is no script in mixed\n")
    assert "2 files of torch or numpy were left out" in done.err


def test_files_of_a_folder_that_compute_nothing_are_no_mistakes(autodiff, folder):
    (folder / "library.py").write_text("import numpy as np\n\ndef f(x):\n    return np.exp(x)\n")
    done = autodiff("check", "scripts")
    assert (done.returncode, done.out.splitlines()[-1]) == (0, "4 scripts: 3 ok, 1 with nothing to check")
    assert done.err.startswith("note: scripts/library.py: nothing to check: the script computes nothing")
    assert done.err.count("\n") == 1
    named = autodiff("check", "scripts", "scripts/library.py")
    assert (named.returncode, "error[E0604]" in named.err) == (2, True)


def test_an_error_beside_steps_by_hand_has_its_repair(autodiff, write):
    text = "T = 3\nhs = {}\nhs[0] = 0.5\nfor t in range(T):\n    hs[t+1] = hs[t]*2\n"
    assert "hs = [None]*(T + 1)" in autodiff("check", "--formula", "@", write(text)).err


def test_a_folder_with_one_script_is_told_as_a_folder(autodiff, folder):
    assert autodiff("check", "scripts/deep").out == "scripts/deep/er/c.ad: 1 gradient right\n1 script: 1 ok\n"


@pytest.mark.parametrize("command", ["check", "lint"])
def test_a_folder_without_scripts_is_an_error(autodiff, tmp_path, command):
    (tmp_path / "empty").mkdir()
    done = autodiff(command, "empty")
    assert (done.returncode, done.out) == (2, "")
    assert done.err.startswith("error[E0611]: there is no script in empty\n  = help: ")


def test_what_cannot_be_decided_is_not_counted_as_ok(autodiff, folder):
    (folder / "b.ad").write_text("x = 0.\ny = abs(x)\n")
    done = autodiff("check", folder)
    assert (done.returncode, done.out.splitlines()[-1]) == (0, "3 scripts: 2 ok, 1 undecided")
    (folder / "a.ad").write_text(WRONG)
    done = autodiff("check", folder)
    assert (done.returncode, done.out.splitlines()[-1]) == (1, "3 scripts: 1 ok, 1 undecided, 1 wrong")


def test_what_is_wrong_is_shown_below_its_line_and_nothing_else(autodiff, folder):
    (folder / "b.ad").write_text(WRONG)
    done = autodiff("check", folder / "a.ad", folder / "b.ad", folder / "deep")
    assert done.returncode == 1
    assert done.out.count("gradient checked") == 1
    assert f"{folder}/b.ad: 1 gradient wrong\n\nL: 1 gradient checked\n" in done.out
    assert done.out.endswith("\n3 scripts: 2 ok, 1 wrong\n")


@pytest.mark.parametrize(
    ("texts", "status"),
    [
        ((RIGHT, WRONG), 1),
        ((WRONG, FAILS, RIGHT), 4),
        ((BROKEN, FAILS, WRONG), 3),
        ((FAILS, None, BROKEN), 2),
        (("while True: pass\n", WRONG, RIGHT), 5),
    ],
)
def test_the_worst_exit_code_counts(autodiff, tmp_path, texts, status):
    names = [f"{at}.ad" for at in range(len(texts))]
    for name, text in zip(names, texts, strict=True):
        if text is not None:
            (tmp_path / name).write_text(text)
    done = autodiff("check", *names, "--max-steps", "1000")
    assert done.returncode == status
    assert [line.partition(":")[0] for line in done.out.splitlines() if line[1:4] == ".ad"] == names


def test_an_error_has_its_diagnostic_on_stderr(autodiff, write):
    right, fails = write(RIGHT, "right.ad"), write(FAILS, "fails.ad")
    done = autodiff("check", fails.name, right.name, "missing.ad")
    assert done.returncode == 2
    first, second, third, last = done.out.splitlines()
    assert first == "fails.ad: error[E0401]"
    assert second == "right.ad: 1 gradient right"
    assert third == "missing.ad: error[E0611]"
    assert last == "3 scripts: 1 ok, 1 failed, 1 unreadable"
    assert " --> fails.ad:3:5\n" in done.err
    assert done.err.count("error[") == 2


def test_one_document_for_each_script(autodiff, write):
    paths = [write(text, name) for name, text in (("a.ad", RIGHT), ("b.ad", WRONG), ("c.ad", BROKEN))]
    done = autodiff("check", *(path.name for path in paths), "--format", "json", "--diagnostics", "json")
    documents = list(map(json.loads, done.out.splitlines()))
    assert [document.get("right") for document in documents] == [True, False, None]
    assert documents[2]["diagnostics"][0]["code"] == "E0103"


def test_annotations_name_the_file_and_the_line(autodiff, write):
    paths = [write(text, name) for name, text in (("a.ad", RIGHT), ("b.ad", WRONG), ("c.ad", FAILS))]
    done = autodiff("check", *(path.name for path in paths), "--diagnostics", "github")
    wrong, failed = done.err.splitlines()
    assert wrong.startswith(
        "::error file=b.ad,line=5,col=5,endLine=5,endColumn=37,title=wrong gradient::wrong gradient: x: back"
    )
    assert failed.startswith("::error file=c.ad,line=3,")
    likely = write(LIKELY, "likely.ad")
    done = autodiff("lint", paths[0].name, likely.name, "--diagnostics", "github")
    assert (done.returncode, done.err) == (1, "")
    assert done.out.startswith("::warning file=likely.ad,line=2,")
    assert done.out.count("\n") == 1


def test_a_wrong_formula_is_an_annotation_too(autodiff, write):
    path = write("w = 3.\nL = w**2\n", "a.ad")
    done = autodiff("check", path.name, "--formula", "dL/dw == w", "--diagnostics", "github")
    assert done.returncode == 1
    assert done.err.startswith(
        "::error file=a.ad,line=2,col=1,endLine=2,endColumn=9,title=wrong::wrong: dL/dw == w"
    )
    done = autodiff(
        *("check", path.name, "--formula", "dL/dw == 6", "--fail-on", "here", "--diagnostics", "github")
    )
    assert done.err.startswith(
        "::error file=a.ad,line=2,col=1,endLine=2,endColumn=9,title=--fail-on here::--fail-on here: dL/dw"
    )


def test_a_wrong_step_is_annotated_in_its_file(autodiff, write):
    path, steps = write("w = 3.\nh = w**2\nL = h*2\n", "a.ad"), write("dh = 2\n\ndw = dh*w\n", "own.steps")
    for form, place in (
        ("github", f"::error file={steps.name},line=3,col=1,endLine=3,endColumn=10,title=wrong::wrong: "),
        ("json", f'"filename": "{steps.name}", "location": {{"line": 3, "column": 1}}'),
    ):
        done = autodiff("check", path.name, "--formula", f"@{steps.name}", "--diagnostics", form)
        assert done.returncode == 1
        assert place in done.err


def test_differences_of_two_scripts_are_annotations_of_the_new_one(autodiff, write):
    write("w = 3.\nb = 1.\nL = w**2 + b\n", "old.ad")
    write("b = 1.\nw = 4.\nL = w**2 + b\n", "new.ad")
    done = autodiff("diff", "old.ad", "new.ad", "--diagnostics", "github")
    assert done.returncode == 1
    assert done.err.splitlines() == [
        "::error file=new.ad,line=3,col=1,endLine=3,endColumn=13,title=L differs (41.2 %25)::"
        "L differs (41.2 %25): 10 before, 17 now",
        "::error file=new.ad,line=2,col=1,endLine=2,endColumn=7,title=dL/dw differs (25 %25)::"
        "dL/dw differs (25 %25): 6 before, 8 now",
    ]
    assert autodiff("diff", "old.ad", "old.ad", "--diagnostics", "github").err == ""


def test_warnings_of_one_script_are_not_those_of_the_next(autodiff, write):
    warns = "x = torch.tensor(2., requires_grad=True)\ny = x*x\ny.grad\nL = y*y\n"
    paths = [write(warns, "a.ad"), write(RIGHT, "b.ad")]
    done = autodiff("check", *(path.name for path in paths), "--format", "json")
    first, second = map(json.loads, done.out.splitlines())
    assert (len(first["diagnostics"]), len(second["diagnostics"])) == (1, 0)


def test_code_and_standard_input_belong_to_one_script(autodiff, folder):
    for options, what in (
        (("-e", "x = 1"), "-e belongs to one script, and several are given"),
        (("--formula", "@-"), "standard input can be read only once, and several scripts are given"),
    ):
        done = autodiff("check", "scripts", *options)
        assert (done.returncode, done.out) == (2, "")
        assert what in done.err


def test_a_formula_is_judged_for_every_script(autodiff, folder):
    (folder / "b.ad").write_text("w = 3.\nL = w**3\n")
    done = autodiff("check", "scripts", "--formula", "dL/dw == 2*w")
    assert (done.returncode, done.out.splitlines()[-1]) == (1, "3 scripts: 2 ok, 1 wrong")
    assert "scripts/b.ad: 1 formula wrong\n\nwrong: dL/dw == 2*w\n" in done.out


def test_a_number_that_is_right_at_the_values_only_is_told_in_the_line(autodiff, folder):
    done = autodiff("check", "scripts/a.ad", "scripts/b.ad", "--formula", "6", "-q")
    line = "1 formula right here only"
    assert done.out == f"scripts/a.ad: {line}\nscripts/b.ad: {line}\n2 scripts: 2 ok\n"
    done = autodiff("check", "scripts/deep", "--formula", "6", "--formula", "2*w", "-q")
    assert done.out.startswith("scripts/deep/er/c.ad: 2 formulas right, 1 of them here only\n")


@pytest.mark.parametrize(
    ("lines", "words", "counted"),
    [
        ("dL/dw == 2*w\ndL/dq == 1", "1 of 2 formulas cannot be read", "1 unreadable"),
        (
            "dL/dw == w\ndL/dq == 1\ndL/dw == 2*w",
            "1 of 3 formulas wrong, 1 of 3 formulas cannot be read",
            "1 wrong",
        ),
    ],
)
def test_formulas_that_cannot_be_read_are_counted(autodiff, write, lines, words, counted):
    (write("w = 3.; L = w**2\n", "a.ad"), write("w = 2.; L = w\n", "b.ad"))
    (write(lines, "a.txt"), write("dL/dw == 1", "b.txt"))
    done = autodiff("check", "a.ad", "b.ad", "--formula", "@.")
    assert done.returncode == 2
    assert f"a.ad: {words}; ./a.txt:" in done.out
    assert done.out.endswith(f"b.ad: 1 formula right\n2 scripts: 1 ok, {counted}\n")


def test_a_folder_of_formulas_has_a_file_for_each_script(autodiff, folder, tmp_path):
    steps = tmp_path / "steps"
    steps.mkdir()
    (steps / "a.txt").write_text("dL/dw == 2*w\n")
    (steps / "c.txt").write_text("dL/dw == w\n\ndL/dw == 2*w\n")
    done = autodiff("check", "scripts", "--formula", "@steps", "--format", "verdict")
    assert done.returncode == 2
    assert done.out.splitlines() == [
        "scripts/a.ad\t1\tdL/dw\tright",
        "scripts/b.ad\t\t\tunreadable",
        "scripts/deep/er/c.ad\t1\tdL/dw\twrong",
        "scripts/deep/er/c.ad\t3\tdL/dw\tright",
    ]
    assert "error[E0611]: cannot read steps/b.txt: there is no such file\n" in done.err
    done = autodiff("check", "-", "--formula", "@steps", input=RIGHT)
    assert (done.returncode, done.out) == (2, "")
    assert "steps is a folder, and the script has no name to look for there" in done.err


def test_a_script_whose_time_is_over_does_not_end_the_others(autodiff, start, write):
    """In every form, at once: the time has to be enough for the other script on a busy machine."""
    write("while True: i = 0\n", "a.ad")
    write(BROKEN, "b.ad")
    asked = ("check", "a.ad", "b.ad", "--max-steps", "0", "--timeout", "2", "--format")
    forms = ("plain", "json", "verdict")
    processes = [start(*asked, form, program=quick_program()) for form in forms]
    answers = {}
    for form, process in zip(forms, processes, strict=True):
        answers[form], err = process.stdout.read().decode(), process.stderr.read().decode()
        assert process.wait() == 3
        assert "error[E0505]: stopped after 2 seconds\n" in err
        assert "error[E0103]" in err
    assert answers["plain"].splitlines() == [
        "a.ad: error[E0505]",
        "b.ad: error[E0103]",
        "2 scripts: 1 out of time, 1 with errors",
    ]
    found = [json.loads(line)["diagnostics"][0]["code"] for line in answers["json"].splitlines()]
    assert found == ["E0505", "E0103"]
    assert answers["verdict"] == "a.ad\t\tout of time\nb.ad\t\twith errors\n"
    assert autodiff("check", "a.ad", "a.ad", "--timeout", "0.3", "-qq").returncode == 124


#: The program, with a lint that takes a minute and cannot be interrupted, as a product of large matrices.
NOT_INTERRUPTED = """\
import sys, time
from autodiff.cli import main
from autodiff.cli.process import supervisor
from autodiff.grammar import lint
supervisor.GRACE = 0.1
lint.lint = lambda source: time.sleep(60)
sys.argv = ["autodiff", "lint", "a.ad", "b.ad", "c.ad", "--timeout", "1"]
main.main()
"""


def test_what_cannot_be_interrupted_ends_the_command(start, write):
    for name in ("a.ad", "b.ad", "c.ad"):
        write(RIGHT, name)
    process = start(program=[sys.executable, "-c", NOT_INTERRUPTED])
    out, err = process.communicate()
    assert (process.returncode, out) == (124, b"")
    first, second, *_ = err.decode().splitlines()
    assert first == "warning: what runs cannot be interrupted, and 2 scripts after it had no turn"
    assert second == "error[E0505]: stopped after 1 second"


def test_what_several_scripts_print_is_left_out(autodiff, write):
    first, second = (write(f"print('{name}')\n{RIGHT}", f"{name}.ad") for name in ("one", "two"))
    assert autodiff("check", first.name).err == "one\n"
    assert autodiff("check", first.name, second.name).err == ""


def test_the_files_of_this_folder_have_plain_names(autodiff, folder):
    done = autodiff("lint", ".", cwd=folder)
    assert done.out.startswith("a.ad: ok\nb.ad: ok\ndeep/er/c.ad: ok\n")


def test_quiet_twice_says_nothing(autodiff, folder):
    (folder / "b.ad").write_text(WRONG)
    done = autodiff("check", "-qq", "scripts")
    assert (done.returncode, done.out, done.err) == (1, "", "")


@pytest.mark.parametrize("form", ["plain", "json"])
def test_a_file_has_the_answers_for_every_script(autodiff, folder, tmp_path, form):
    shown = autodiff("check", "scripts", "--format", form)
    done = autodiff("check", "scripts", "--format", form, "-o", "answers")
    assert (done.returncode, done.out) == (0, "")
    assert (tmp_path / "answers").read_text() == shown.out != ""


def test_a_name_with_a_d_in_a_function_without_a_loss_is_no_step_of_a_folder(autodiff, write):
    """``dx`` is a difference that goes on into the result: nothing says that it is a gradient."""
    write(
        "import numpy as np\ndef h(x, lm):\n    dx = lm[0] - x[0]\n    dy = lm[1] - x[1]\n"
        "    return np.array([np.sqrt(dx**2 + dy**2), np.arctan2(dy, dx)])\n"
        "x = np.array([1.0, 2.0])\nlm = np.array([4.0, 6.0])\nz = h(x, lm)\n",
        "ekf.py",
    )
    write("import numpy as np\nw = np.array([1., 2.])\nloss = np.sum(w**2)\ndw = 2*w\n", "right.py")
    done = autodiff("check", "ekf.py", "right.py", "--formula", "@")
    assert (done.returncode, done.out.splitlines()[-1]) == (0, "2 scripts: 1 ok, 1 with nothing to check")
    assert "warning[W0100]: ekf.py: nothing to check" in done.err
    assert "if `dx` is no gradient, there is nothing to check here" in " ".join(done.err.split())
    alone = autodiff("check", "ekf.py", "--formula", "@")
    assert alone.returncode == 2
    assert "if `dx` is no gradient, there is nothing to check here" in " ".join(alone.err.split())
