"""Inputs that are kept in lists, entries, shapes and scripts that are not there: what to write instead."""

import json

import pytest

PARAMS = """\
params = [torch.tensor([1., 2.], requires_grad=True), torch.tensor(0.5, requires_grad=True)]
x = torch.tensor([1., 3.])
for i in range(3):
    L = ((params[0] * x).sum() + params[1] - 1) ** 2
    for p in params:
        p.grad = None
    L.backward()
    with torch.no_grad():
        for p in params:
            p -= 0.01 * p.grad
"""
SLOPE = "2*(sum(params[0]*x) + params[1] - 1)*x"


@pytest.mark.parametrize(
    "formula",
    [
        f"dL/dparams[0]={SLOPE}",
        f"dL/d(params[0]) == {SLOPE}",
        f"params[0].grad = {SLOPE}",
        "dL/dparams[0][1] = 6*(sum(params[0]*x) + params[1] - 1)",
        "dL/dparams[-1] = 2*(sum(params[0]*x) + params[1] - 1)",
        "d2L/dparams[1]2 = 2",
        "d2L/dparams[1] dparams[0][0] = 2*x[0]",
    ],
)
def test_derivatives_by_what_a_list_holds_are_read(autodiff, formula):
    done = autodiff("check", "-e", PARAMS, "--formula", formula)
    assert (done.returncode, done.err) == (0, "")
    assert done.out.startswith("right: ")
    assert "the same here and at 5 points" in done.out


@pytest.mark.parametrize("right_side", ["params[0]", "params[0]*params[1]", f"-{SLOPE}"])
def test_wrong_derivatives_by_what_a_list_holds_are_called_wrong(autodiff, right_side):
    done = autodiff("check", "-e", PARAMS, "--formula", f"dL/dparams[0]={right_side}")
    assert (done.returncode, done.err) == (1, "")
    assert done.out.startswith("wrong: dL/dparams[0] == ")


def test_a_formula_may_name_what_nobody_marked(autodiff):
    code = "ps = [torch.tensor(2.), torch.tensor(3.)]; L = ps[0]*ps[1]"
    assert autodiff("check", "-e", code, "--formula", "dL/dps[0] = ps[1]").out.startswith("right: ")
    assert autodiff("check", "-e", code, "--formula", "dL/dps[0] = ps[0]").returncode == 1


def test_a_list_is_told_to_be_one_with_what_it_holds(autodiff):
    done = autodiff("grad", "-e", PARAMS, "--wrt", "params")
    assert done.returncode == 2
    assert "it holds params[0] and params[1]: name one, or write --wrt 'params*' for all" in done.err
    every = autodiff("grad", "-e", PARAMS, "--wrt", "params*", "--format", "json")
    assert [entry["name"] for entry in json.loads(every.out)["gradients"]] == ["params[0]", "params[1]"]


def test_a_glob_tracks_what_nobody_marked_in_a_list(autodiff):
    code = "ps = [torch.tensor(2.), torch.tensor(3.)]; L = ps[0]*ps[1]"
    assert autodiff("grad", "-e", code, "--wrt", "ps*").out == "ps[0]\t3\nps[1]\t2\n"


@pytest.mark.parametrize("entry", ["W[0,1]", "W[0, 1]", "W[0][1]"])
def test_an_entry_is_told_to_be_one(autodiff, entry):
    code = "W = torch.ones(2, 2, requires_grad=True); L = (W**2).sum()"
    done = autodiff("grad", "-e", code, "--wrt", entry)
    assert done.returncode == 2
    assert done.err == (
        f"error[E0603]: --wrt {entry}: this is an entry of `W`, and an input is a whole tensor\n"
        "  = help: --wrt W gives the gradients of all entries\n"
        "  = help: `autodiff explain --wrt W --entry 0,1` derives this one\n"
    )
    assert autodiff("explain", "-e", code, "--wrt", "W", "--entry", "0,1").returncode == 0


def test_commas_outside_of_brackets_still_separate(autodiff):
    asked = ("--wrt", "params[0], x", "--wrt", "i,L", "--format", "json")
    code = PARAMS.replace("for i", "i = torch.tensor(1.)\nfor j")
    names = [entry["name"] for entry in json.loads(autodiff("grad", "-e", code, *asked).out)["gradients"]]
    assert names == ["params[0]", "x", "i", "L"]


@pytest.mark.parametrize("command", ["run", "grad", "explain", "graph", "check", "lint"])
@pytest.mark.parametrize("given", ["", "\n \n"])
def test_nothing_at_all_is_no_script(autodiff, command, given):
    done = autodiff(command, input=given)
    assert (done.returncode, done.out) == (2, "")
    assert done.err == (
        "error[E0610]: there is no script to run: none is named, and standard input is empty\n"
        "  = help: give a file, or -e 'CODE'\n"
    )


def test_pictures_are_made_of_dot(autodiff):
    done = autodiff("graph", "-e", "x = 2.; y = x*x", "--format", "pdf")
    assert done.returncode == 2
    assert "Graphviz makes one: `autodiff graph ... --format dot | dot -Tpdf > graph.pdf`" in done.err
    assert "dot" not in autodiff("run", "-e", "x = 2.; y = x*x", "--format", "png").err


def test_a_file_with_the_suffix_of_a_picture_is_not_filled_with_text(autodiff, tmp_path):
    for command in ("graph", "explain"):
        done = autodiff(command, "-e", "x = 2.; y = x*x", "-o", "graph.pdf")
        assert (done.returncode, done.out) == (2, "")
        assert f"-o graph.pdf: `autodiff {command}` cannot write pdf pictures" in done.err
        assert ("--format dot | dot -Tpdf > graph.pdf`" in done.err) == (command == "graph")
        assert list(tmp_path.iterdir()) == []


PRODUCT = "w = tensor([1., 2.], requires_grad=True); x = tensor([3., 4.]); L = (w*x).sum(); L.backward()"


@pytest.mark.parametrize(
    ("code", "given", "first", "help"),
    [
        (
            PRODUCT,
            "w=[1,2,3]",
            "--set w: `w` has shape (2,) in the script and has shape (3,) now, and so the script fails:",
            "give it a value of shape (2,), as in --set 'w=[0.0, 0.0]'",
        ),
        (
            "w = tensor(1., requires_grad=True); L = w*w; L.backward()",
            "w=[1,2,3]",
            "--set w: `w` is one number in the script and has shape (3,) now, and so the script fails:",
            "give it one number, as in --set w=0.5",
        ),
    ],
)
def test_a_shape_that_does_not_fit_is_the_options_fault(autodiff, code, given, first, help):
    done = autodiff("grad", "-e", code, "--set", given)
    assert (done.returncode, done.out) == (2, "")
    assert done.err.startswith(f"error[E0618]: {first}")
    assert done.err.endswith(f"  = help: {help}\n")


@pytest.mark.parametrize(
    ("line", "helps"),
    [
        ("y = V**2 if V > 2 else V", ["choose in every row: where(condition, a, b) in place of the branch"]),
        ("print(f'{V:.2f}'); y = V**2", []),
    ],
)
def test_a_column_that_does_not_fit_is_named(autodiff, write, line, helps):
    write("V\n1.5\n2.5\n", "d.csv")
    script = str(write(f"V = 2.0\n{line}\n", "s.py"))
    done = autodiff("grad", script, "--data", "d.csv")
    assert (done.returncode, done.out) == (2, "")
    assert done.err.startswith(
        "error[E0618]: --data V: `V` is one number in the script and has shape (2,) now"
    )
    *given, by_row = [text.split(": ", 1)[1] for text in done.err.splitlines() if "= help: " in text]
    assert given == helps
    assert by_row == "run the script once for every row: `autodiff grad SCRIPT --each FILE`"
    assert autodiff("grad", script, "--each", "d.csv").out.splitlines()[-1] == "5"


def test_a_script_that_fails_anyway_is_at_fault_itself(autodiff):
    done = autodiff("grad", "-e", PRODUCT + "; w @ tensor([1.])", "--set", "w=[1,2,3]")
    assert done.returncode == 4
    assert "--set" not in done.err


def test_another_shape_that_fits_is_no_fault(autodiff):
    done = autodiff(
        "grad", "-e", "w = tensor([1., 2.], requires_grad=True); L = (w*w).sum()", "--set", "w=[1,2,3]"
    )
    assert (done.returncode, done.out, done.err) == (0, "2\t4\t6\n", "")
