"""``autodiff lint`` as a process: what it prints where, for whom, and its exit codes."""

from __future__ import annotations

import json

CLEAN = "w = 3\nL = w**2\n"
STEP = (
    "w = torch.tensor(1.0, requires_grad=True)\nL = w * w\nL.backward()\nw = w - 0.1 * w.grad\nprint('ran')\n"
)


def test_on_a_terminal_nothing_found_is_said(on_terminal):
    seen = on_terminal("lint", "-e", "w = 3.; L = w**2")
    assert seen == (0, "\nno likely mistake found; what only a run shows is not looked for\n")
    assert on_terminal("lint", "-q", "-e", "w = 3.; L = w**2") == (0, "")


def test_a_clean_script_prints_nothing(autodiff, write):
    done = autodiff("lint", write(CLEAN))
    assert (done.returncode, done.out, done.err) == (0, "", "")


def test_findings_are_the_result_and_nothing_runs(autodiff, write):
    done = autodiff("lint", write(STEP, "step.ad"), cwd=None)
    assert done.returncode == 1
    assert done.err == ""
    assert done.out.startswith("warning[L001]: ")
    assert done.out.endswith("\nfound 1 likely mistake; `autodiff help CODE` explains each\n")
    assert "ran" not in done.out.splitlines()


def test_quiet_and_silent(autodiff, write):
    path = write(STEP)
    assert "found" not in autodiff("lint", "-q", path).out
    done = autodiff("lint", "-qq", path)
    assert (done.returncode, done.out, done.err) == (1, "", "")


def test_every_mistake_of_a_script_that_does_not_compile(autodiff):
    done = autodiff("lint", input="x = = 3\ny = 2\nz = y +\n")
    assert done.returncode == 3
    assert done.err == ""
    assert [line[:12] for line in done.out.splitlines() if line.startswith("error")] == ["error[E0101]"] * 2
    assert "found 2 mistakes;" in done.out


def test_names_bound_nowhere_with_repairs_that_compile(autodiff):
    done = autodiff("lint", "--diagnostics", "json", "-e", "alpha = 1", "-e", "x = alhpa + 1")
    assert done.returncode == 3
    (entry,) = map(json.loads, done.out.splitlines())
    assert entry["code"] == "E0201"
    assert entry["fixes"][0]["edits"][0]["text"] == "alpha"


def test_several_scripts_and_the_worst_of_their_codes(autodiff, write):
    step, clean, broken = write(STEP, "step.ad"), write(CLEAN, "clean.ad"), write("x = (", "broken.ad")
    assert autodiff("lint", clean, clean).returncode == 0
    assert autodiff("lint", clean, step).returncode == 1
    done = autodiff("lint", step, broken, clean)
    assert done.returncode == 3
    lines = done.out.splitlines()
    assert [line for line in lines if line.startswith(str(step.parent))] == [
        f"{step}: 1 likely mistake",
        f"{broken}: 1 mistake",
        f"{clean}: ok",
    ]
    assert lines[-1] == "3 scripts: 1 ok, 1 with likely mistakes, 1 with errors"
    done = autodiff("lint", step, "missing.ad", broken)
    assert done.returncode == 2
    assert done.err.startswith("error[E0611]: cannot read missing.ad")
    assert "L001" in done.out
    assert "E0103" in done.out


def test_what_makes_no_sense(autodiff, write):
    path = write(CLEAN)
    for arguments in (("missing.ad",), (path, path, "-e", "x = 1"), ("-", "-"), ("--wrt", "w", path)):
        done = autodiff("lint", *arguments, input="")
        assert done.returncode == 2
        assert done.out == ""
        assert "= help: " in done.err


def test_code_on_the_line_and_standard_input(autodiff, write):
    assert autodiff("lint", "-e", "x = 1", "-e", "x == 2", "-e", "print(x)").returncode == 1
    assert autodiff("lint", "-", input=STEP).returncode == 1
    assert "<stdin>:4:1" in autodiff("lint", input=STEP).out
    assert autodiff("lint", write("x = 1\n"), "-e", "x == 2", "-e", "print(x)").returncode == 1


def test_json_is_one_object_per_line(autodiff, write):
    done = autodiff("lint", "--diagnostics", "json", write(STEP, "step.ad"), write("x = (", "broken.ad"))
    first, second = map(json.loads, done.out.splitlines())
    assert (first["code"], first["severity"]) == ("L001", "warning")
    assert (second["code"], second["severity"]) == ("E0103", "error")
    assert first["location"] == {"line": 4, "column": 1}
    assert set(first) == set(second)


def test_on_a_narrow_terminal_nothing_is_wider_than_it(autodiff, write, on_terminal):
    from autodiff.cli.process.streams import cells

    path = write(STEP, "s.ad")
    status, seen = on_terminal("lint", path.name, columns=60, env={"NO_COLOR": "1"})
    assert status == 1
    lines = seen.splitlines()
    assert all(cells(line) <= 60 for line in lines if "|" in line and "^" in line)


def test_help_explains_a_lint_and_its_repair(autodiff):
    text = autodiff("help", "l001").out
    assert text.startswith("L001: A leaf is replaced")
    assert "    w = w - 0.1 * w.grad\n" in text
    assert "        w -= 0.1 * w.grad\n" in text
    codes = [line.split()[0] for line in autodiff("help", "lints").out.splitlines()]
    assert "L044" in codes
    assert codes == sorted(codes)


def test_what_is_not_there_is_an_error_beside_the_warnings(autodiff, write):
    missing = STEP + "torch.simgoid(w)\nL.bakward()\n"
    done = autodiff("lint", write(missing, "missing.ad"))
    assert done.returncode == 3
    assert done.err == ""
    heads = [
        line.partition(":")[0] for line in done.out.splitlines() if line.startswith(("error", "warning"))
    ]
    assert heads == ["warning[L001]", "error[E0204]", "error[E0204]"]
    assert done.out.endswith("\nfound 2 mistakes and 1 likely mistake; `autodiff help CODE` explains each\n")
    done = autodiff("lint", "--diagnostics", "github", write(missing, "missing.ad"))
    assert done.returncode == 3
    warning, *errors = done.out.splitlines()
    assert warning.startswith("::warning file=")
    assert all(line.startswith("::error file=") for line in errors)
    assert "did you mean `torch.sigmoid`?" in errors[0]
    done = autodiff("lint", "--diagnostics", "json", write(missing, "missing.ad"))
    first, *others = map(json.loads, done.out.splitlines())
    assert [first["severity"], *(one["severity"] for one in others)] == ["warning", "error", "error"]
    assert first["fixes"][0]["edits"][0]["text"] == "with torch.no_grad():\n    w -= 0.1 * w.grad"


def test_a_handler_that_ends_in_a_character_of_no_meaning(autodiff):
    for last in ("!", "$x", "'open"):
        done = autodiff("lint", "-e", f"try:\n    x = 1.0\nexcept {last}")
        assert done.returncode == 3, last
        assert "E0900" not in done.err + done.out
        assert "error[E01" in done.err + done.out
