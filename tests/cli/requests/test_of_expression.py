"""``--of`` takes an expression, ``--formula`` a list; outputs that are no single number say what to type."""

from __future__ import annotations

import json

import pytest

VECTOR = "w = torch.tensor([1., 2.], requires_grad=True)\nv = w * w\n"


@pytest.mark.parametrize("ending", ["", "v.sum().backward()\n", "\n\n# the end"])
def test_an_entry_is_differentiated_alone(autodiff, write, ending) -> None:
    done = autodiff("grad", write(VECTOR + ending), "--of", "v[1]")
    assert (done.out, done.err, done.returncode) == ("0\t4\n", "", 0)


def test_every_command_takes_it(autodiff, write) -> None:
    script = write(VECTOR + "v.sum().backward()\n")
    asked = ("--of", "v[0] * 3")
    assert autodiff("explain", script, *asked).out.startswith("w gets | 6 |")
    assert autodiff("graph", script, *asked).out.splitlines()[1].startswith("v[0]*3 ")
    assert autodiff("check", script, *asked).out.startswith("v[0] * 3: 1 gradient checked")
    assert autodiff("check", script, *asked, "--formula", "[6 * w[0], 0]").returncode == 0
    assert "\nv[0] * 3 = 3 " in autodiff("run", script, *asked).out
    document = json.loads(autodiff("grad", script, *asked, "--format", "json").out)
    assert document["output"]["name"] == "v[0] * 3"
    assert document["gradients"][0]["grad"] == [6.0, 0.0]


def test_what_the_last_pass_used_up_is_there_still(autodiff) -> None:
    script = "w = torch.tensor(3., requires_grad=True); h = w*w; L = h*h; L.backward()"
    assert autodiff("grad", "-e", script, "--of", "h + L").out == "114\n"


@pytest.mark.parametrize(
    ("of", "words"),
    [
        ("v[0", "--of v[0: this `[` is never closed"),
        ("v[0]; w = 3", "--of v[0]; w = 3: `;` does not fit here"),
        ("w = 3", "--of w = 3: `=` assigns and cannot stand inside an expression"),
        ("v.shape", "--of v.shape: this is no tensor but of type torch.Size"),
    ],
)
def test_what_is_no_expression_of_a_tensor_is_refused(autodiff, write, of, words) -> None:
    done = autodiff("grad", write(VECTOR), "--of", of)
    assert (done.returncode, done.out) == (2, "")
    assert words in done.err.splitlines()[0]


def test_a_name_that_is_not_there_is_pointed_at(autodiff, write) -> None:
    done = autodiff("grad", write(VECTOR), "--of", "u[0]")
    assert done.returncode == 3
    assert "name 'u' is not defined" in done.err
    assert "script.ad + <--of>:3:1" in done.err


def test_a_vector_says_what_to_type(autodiff, write) -> None:
    script = write(VECTOR)
    done = autodiff("grad", script)
    assert done.returncode == 4
    assert "  = help: or take one entry, a row of the Jacobian: --of 'v[0]'" in done.err
    assert autodiff("grad", script, "--of", "v[0]").out == "2\t0\n"
    matrix = autodiff("explain", "-e", "w = ones(2, 3, requires_grad=True)", "-e", "m = w * w")
    assert "--of 'm[0, 0]'" in matrix.err


@pytest.mark.parametrize(
    ("formula", "code"),
    [("[2*w[0], 2*w[1]]", 0), ("(2*w[0], 3*w[1])", 1), ("[[1], [1, 2]]", 2), ("'x'", 2), ("print", 2)],
)
def test_a_formula_may_list_its_entries(autodiff, formula: str, code: int) -> None:
    script = "w = torch.tensor([1., 2.], requires_grad=True); L = (w*w).sum()"
    done = autodiff("check", "-e", script, "--formula", formula)
    assert done.returncode == code
    assert (f"--formula: `{formula}` gives no number but " in done.err) == (code == 2)
