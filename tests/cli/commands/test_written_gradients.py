"""``check --formula @``: the gradients that a script computes by hand, of one script and of a folder."""

from __future__ import annotations

import json

import pytest

DATA = "x = torch.tensor([[1., 2.], [3., -1.]])\ny = torch.tensor([1., 0.])\n"
FORWARD = (
    f"import torch\n{DATA}w = torch.tensor([0.5, -0.3], requires_grad=True)\nL = ((x @ w - y)**2).mean()\n"
)
BESIDE = FORWARD + "L.backward()\ndw = 2 * x.T @ (x @ w - y) / 2\n"
ALONE = """\
import numpy as np
x = np.array([[1., 2.], [3., -1.]])
y = np.array([1., 0.])
w1 = np.array([0.5, -0.3])
b = 0.1
e = x @ w1 + b - y
loss = (e**2).mean()
grad_w1 = 2 * x.T @ e
grad_b = 2 * e.mean()
"""
TRAINING = """\
import numpy as np
x = np.array([1., 2., 3.])
y = np.array([2., 4., 6.5])
w = 0.
for i in range(5):
    e = w*x - y
    loss = (e**2).mean()
    dw = (2*e*x).mean()
    w -= 0.05*dw
"""


@pytest.mark.parametrize(
    ("script", "names"),
    [
        (BESIDE, "gradient written in it: `dw`"),
        (TRAINING, "gradient written in it: `dw`"),
        (ALONE, "2 gradients written in it: `grad_w1`, `grad_b`"),
    ],
)
def test_a_note_says_which_gradients_are_not_checked(autodiff, tmp_path, script: str, names: str) -> None:
    (tmp_path / "net.py").write_text(script)
    done = autodiff("check", "net.py", cwd=tmp_path)
    assert f"note: `autodiff check net.py --formula @` judges the {names}\n" in done.err
    document = json.loads(autodiff("check", "net.py", "--format", "json", cwd=tmp_path).out)
    assert any(names in note for note in document["notes"])


@pytest.mark.parametrize("left", ["dloss/dw", "dw", "w.grad"])
@pytest.mark.parametrize("start", ["w = 0.", "w = np.zeros(())", "w = np.random.randn()"])
def test_a_formula_is_about_the_last_turn_of_training(autodiff, tmp_path, left: str, start: str) -> None:
    (tmp_path / "net.py").write_text(TRAINING.replace("w = 0.", start))
    document = json.loads(autodiff("grad", "net.py", "--format", "json", cwd=tmp_path).out)
    [gradient] = document["gradients"]
    for right, verdict in (("(2*e*x).mean()", "right"), ("dw", "right"), ("(e*x).mean()", "wrong")):
        done = autodiff("check", "net.py", "--formula", f"{left} == {right}", cwd=tmp_path)
        assert done.out.startswith(f"{verdict}: dloss/dw_4 == {right}\n")
        assert f"the gradient is    {gradient['grad']:.6g}\n" in done.out
        assert "note: the output is `loss` by w_4, in the last turn of the loop in line 5" in done.err
    done = autodiff("check", "net.py", "--formula", "dloss/dw_2 == dw", cwd=tmp_path)
    assert done.out.startswith("wrong: dloss/dw_2 == dw\n")


@pytest.mark.parametrize(
    "lines",
    [
        "L.backward()\ndw = 2 * x.T @ (x @ w - y) / 2\nassert torch.allclose(dw, w.grad)\n",
        "L.backward()\ndw = 2 * x.T @ (x @ w - y) / 2\ntorch.testing.assert_close(dw, w.grad)\n",
        "L.backward()\ndw = torch.ones(3)\n",
        "L.backward()\nt = 1.0\ndt = 0.1\n",
        "t = w.sum()\ndt = 0.1*t\nE = L*dt\nE.backward()\n",
    ],
)
def test_no_note_says_it_of_other_values(autodiff, tmp_path, lines: str) -> None:
    """An assertion checks ``dw`` already; it has not the shape of ``w``; a step ``dt`` makes the output."""
    (tmp_path / "net.py").write_text(FORWARD + lines)
    done = autodiff("check", "net.py", cwd=tmp_path)
    assert (done.returncode, "written in it" in done.err) == (0, False)


def test_the_script_is_its_own_file_of_steps(autodiff, tmp_path) -> None:
    (tmp_path / "net.py").write_text(ALONE)
    done = autodiff("check", "net.py", "--formula", "@", cwd=tmp_path)
    assert done.returncode == 1
    assert "wrong: dloss/dw1 == 2 * x.T @ e\n" in done.out
    assert "1 of 2 steps is wrong\n" in done.out
    assert done.out == autodiff("check", "net.py", "--formula", "@net.py", cwd=tmp_path).out
    piped = autodiff("check", "-", "--formula", "@", input=ALONE, cwd=tmp_path)
    assert (piped.returncode, piped.out) == (1, done.out.replace("net.py", "<stdin>"))


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "work"
    made.mkdir()
    for name, text in {"a.py": BESIDE, "b.py": ALONE, "c.py": FORWARD + "L.backward()\n"}.items():
        (made / name).write_text(text)
    return made


def test_each_script_of_a_folder_is_judged_by_its_own(autodiff, folder) -> None:
    done = autodiff("check", "work", "--formula", "@", cwd=folder.parent)
    assert done.returncode == 1
    assert done.out.startswith("work/a.py: 1 formula right\nwork/b.py: 1 of 2 formulas wrong\n")
    assert done.out.endswith(
        "work/c.py: nothing to check\n3 scripts: 1 ok, 1 with nothing to check, 1 wrong\n"
    )
    words = autodiff("check", "work", "--formula", "@", "--format", "verdict", cwd=folder.parent)
    assert words.out == (
        "work/a.py\t7\tdL/dw\tright\n"
        "work/b.py\t8\tdloss/dw1\twrong\n"
        "work/b.py\t9\tdloss/db\tright\n"
        "work/c.py\t\t\tnothing to check\n"
    )


def test_a_folder_without_such_gradients_is_no_success(autodiff, folder) -> None:
    for name in ("a.py", "b.py"):
        (folder / name).unlink()
    (folder / "d.ad").write_text("w = 3.\nL = w**2\n")
    done = autodiff("check", "work", "--formula", "@", cwd=folder.parent)
    assert (done.returncode, done.out.splitlines()[-1]) == (2, "2 scripts: 2 with nothing to check")


def test_numpy_files_of_a_folder_are_scripts_for_every_command(autodiff, folder) -> None:
    assert "b.py: 4 gradients right\n" in autodiff("check", "work", cwd=folder.parent).out
    assert "b.py: ok\n" in autodiff("lint", "work", cwd=folder.parent).out
    for path in folder.glob("*.py"):
        path.unlink()
    none = autodiff("check", "work", cwd=folder.parent)
    assert (none.returncode, "torch or numpy and nothing" in " ".join(none.err.split())) == (2, True)


def test_random_data_has_a_loss_too(autodiff, tmp_path) -> None:
    """No gradient is recorded for it: the loss is the last number before the gradient by hand."""
    text = "import numpy as np\nx = np.random.randn(3, 2)\nw = 0.5\nloss = (w*x**2).mean()\ndx = 2*w*x/6\n"
    (tmp_path / "net.py").write_text(text)
    done = autodiff("check", "net.py", cwd=tmp_path)
    assert "`dx` looks like dloss/dx: differentiate loss with --of loss" in done.err
    assert "step by step: autodiff check net.py --of loss --formula @" in done.err


CHAIN = "w = 2.0\nx = 3.0\nz = w*x\nL = (z - 1)**2\n"


@pytest.mark.parametrize("loss", ["L", "loss"])
@pytest.mark.parametrize(
    "name", ["dL_dw", "dLdw", "dL_by_dw", "w_grad", "dloss_dw", "dL_d_w"], ids=lambda name: name
)
def test_names_with_both_names_are_steps(autodiff, tmp_path, name: str, loss: str) -> None:
    for factor, code in (("x", 0), ("z", 1)):
        text = f"{CHAIN.replace('L =', f'{loss} =')}{name} = 2*(z - 1)*{factor}\n"
        (tmp_path / "chain.py").write_text(text)
        done = autodiff("check", "chain.py", "--formula", "@", cwd=tmp_path)
        assert done.returncode == code
        assert f"d{loss}/dw" in done.out


def test_a_local_derivative_is_a_step_of_its_own(autodiff, tmp_path) -> None:
    """The steps behind it read its right value, and ``dw`` is by the loss, not by the last output."""
    for name in ("dL_dw", "dw"):
        lines = f"dL_dz = 2*(z - 1)\ndz_dw = z\n{name} = dL_dz*dz_dw\n"
        (tmp_path / "chain.py").write_text(CHAIN + lines)
        done = autodiff("check", "chain.py", "--formula", "@", "--format", "verdict", cwd=tmp_path)
        assert done.returncode == 1
        assert done.out == "5\tdL/dz\tright\n6\tdz/dw\twrong\n7\tdL/dw\tright\n"


def test_a_local_derivative_of_an_array_is_no_step(autodiff, tmp_path) -> None:
    """``1 - a**2`` is the diagonal of a Jacobian, which the steps that use it take for granted."""
    forward = "import numpy as np\nz = np.array([0.3, -0.2])\na = np.tanh(z)\nL = np.sum(a**2)\n"
    steps = "dL_da = 2*a\nda_dz = 1 - a{}\ndL_dz = dL_da*da_dz\n"
    for power, verdict in (("**2", "right"), ("", "wrong")):
        (tmp_path / "net.py").write_text(forward + steps.format(power))
        done = autodiff("check", "net.py", "--formula", "@", "--format", "verdict", cwd=tmp_path)
        assert done.out == f"5\tdL/da\tright\n7\tdL/dz\t{verdict}\n"
        told = " ".join(done.err.split())
        assert "net.py:6: `da_dz` is not compared: `a` has 2 entries" in told
        assert "a Jacobian of shape (2, 2): --formula 'da/dz == diag(da_dz)' compares its diagonal" in told
        assert done.err.count("`da_dz`") == 1
        way = autodiff("check", "net.py", "--formula", "da/dz == diag(da_dz)", cwd=tmp_path)
        assert way.out.startswith(f"{verdict}: ")


@pytest.mark.parametrize(
    ("lines", "help"),
    [
        ("grad = 7*w", "--formula 'dL/dw == grad'"),
        ("def grad_f(w):\n    return 3*w", "L = f(w) and dw = grad_f(w)"),
    ],
)
def test_a_name_that_says_no_input_is_a_warning_in_a_folder(autodiff, folder, lines, help) -> None:
    (folder / "b.py").write_text(f"import numpy as np\nw, v, u = 3.0, 2.0, 1.0\nJ = w*v*u\n{lines}\n")
    asked = ("check", "work", "--formula", "@")
    done = autodiff(*asked, "--fail-on", "warning", cwd=folder.parent)
    assert done.returncode == 1
    assert "work/b.py:4" in done.err
    assert help in " ".join(done.err.split())
    assert "note: work/c.py: nothing to check: no name in it" in done.err
    marked = autodiff(*asked, "--diagnostics", "github", cwd=folder.parent)
    assert marked.returncode == 0
    assert "::warning file=work/b.py,line=4" in marked.err
    documents = autodiff(*asked, "--format", "json", cwd=folder.parent).out.splitlines()
    assert [json.loads(one)["right"] for one in documents] == [True, None, None]


def test_a_plain_number_is_no_gradient(autodiff, folder) -> None:
    (folder / "b.py").write_text("import numpy as np\nw = 3.0\ndelta = 0.5\nJ = delta*w**2\n")
    done = autodiff("check", "work", "--formula", "@", "--fail-on", "warning", cwd=folder.parent)
    assert (done.returncode, "warning" in done.err) == (0, False)


def test_the_rewrite_of_a_function_works(autodiff, tmp_path) -> None:
    for factor, code in ((2, 0), (3, 1)):
        text = f"def f(w):\n    return w**2\ndef grad_f(w):\n    return {factor}*w\n"
        text += "w = 3.0\nL = f(w)\ndw = grad_f(w)\n"
        (tmp_path / "f.py").write_text(text)
        assert autodiff("check", "f.py", "--formula", "@", cwd=tmp_path).returncode == code


RESIDUALS = """\
import numpy as np
x = np.array([0., 1., 2., 3.])
p = np.array([0.5, 0.3])
r = p[0]*x + p[1]*x**2 - 1
cost = np.sum(r**2)
dr_dp = np.stack([x, x**2], axis=1)
"""


@pytest.mark.parametrize("end", ["", "dcost_dp = 2*r @ dr_dp\n"])
@pytest.mark.parametrize(("power", "verdict"), [("x**2", "right"), ("x**3", "wrong")])
def test_a_name_with_the_shape_of_the_jacobian_is_a_step(autodiff, write, end, power, verdict) -> None:
    script = RESIDUALS.replace("x, x**2", f"x, {power}") + end
    done = autodiff("check", write(script, "fit.py").name, "--formula", "@", "--format", "verdict")
    steps = [line.split("\t")[1:] for line in done.out.splitlines()]
    assert steps == [["dr/dp", verdict], ["dcost/dp", "right"]][: 1 + bool(end)]
    assert (done.returncode, "not compared" in done.err) == (int(verdict == "wrong"), False)


def test_a_wrong_column_of_a_jacobian_is_named(autodiff, write) -> None:
    script = RESIDUALS.replace("x, x**2", "x, np.sqrt(x + 7)*np.log(x + 3)")
    out = autodiff("check", write(script, "fit.py").name, "--formula", "@").out
    assert "; only column 1 is wrong" in " ".join(out.split())


def test_imported_functions_and_zeros_that_are_replaced_are_not_noted(autodiff, write) -> None:
    """A function is not the gradient of anything, whatever its name begins with."""
    script = """\
import numpy as np
from numpy.random import default_rng
def huber_grad(w):
    return 2*w
w = default_rng(0).normal(size=3)
loss = np.sum(w**2)
dw = np.zeros(w.shape)
dw = huber_grad(w)
"""
    done = autodiff("check", write(script, "net.py").name, "--formula", "@")
    assert done.err == "note: the steps are about loss, which is computed before them\n"
    assert done.returncode == 0


def test_the_annotation_of_an_indented_line_begins_at_its_statement(autodiff, write) -> None:
    script = """\
import numpy as np
def back(w):
    dw = 3*w
    return dw
w = np.array([1., 2.])
loss = np.sum(w**2)
dw = back(w)
"""
    name = write(script, "net.py").name
    done = autodiff("check", name, "--formula", "@", "--diagnostics", "github")
    assert f"::error file={name},line=3,col=5,endLine=3,endColumn=13," in done.err
