"""Where scripts come from, and what is said of those that cannot be read."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from conftest import HANGS


def test_a_file(autodiff, write):
    assert autodiff("grad", "--wrt", "w", write("w = 3\nL = w**2\n")).out == "6\n"


@pytest.mark.parametrize("arguments", [["-"], []])
def test_standard_input(autodiff, arguments):
    assert autodiff("grad", "--wrt", "w", *arguments, input="w = 3\nL = w**2\n").out == "6\n"


def test_code_on_the_line(autodiff):
    assert autodiff("grad", "--wrt", "w", "-e", "w = 3", "-e", "L = w**2").out == "6\n"
    assert autodiff("grad", "--wrt", "w", "-e", "w=3; L=w**2", "--set", "w=5").out == "10\n"


def test_code_on_the_line_leaves_standard_input_alone(autodiff):
    assert autodiff("grad", "--wrt", "w", "-e", "w=3; L=w**2", input="this is no script (").out == "6\n"


def test_code_comes_after_the_file(autodiff, write):
    path = write("w = 3\nL = w**2")  # no line end
    assert autodiff("grad", "--wrt", "w", path, "-e", "M = L * 2").out == "12\n"
    done = autodiff("grad", "--wrt", "w", path, "-e", "M = q")
    assert done.returncode == 3
    assert f"{path} + <-e>:3:5" in done.err


def test_code_comes_after_standard_input(autodiff):
    assert autodiff("grad", "--wrt", "w", "-", "-e", "M = w**3", input="w = 2\n").out == "12\n"


def test_standard_input_holds_one_thing(autodiff):
    done = autodiff("grad", "-", "--set", "x=@-", input="1")
    assert done.returncode == 2
    assert "--set x: standard input holds the script already" in done.err
    done = autodiff("grad", "-e", "L = x*y", "--set", "x=@-", "--set", "y=@-", input="1")
    assert done.returncode == 2
    assert "--set y: standard input holds what --set x reads already" in done.err
    code = ("-e", "x = 1; y = x*z")
    done = autodiff("propagate", *code, "--cov", "-", "--set", "z=@-", "--wrt", "x", input="1")
    assert done.returncode == 2
    assert "--set z: standard input holds what --cov reads already" in done.err


@pytest.mark.parametrize(
    "text",
    [
        b"\xef\xbb\xbfw = 3\nL = w**2\n",
        b"w = 3\r\nL = w**2\r\n",
        b"w = 3\rL = w**2\r",
        b"w = 3\r\nL = w**2",
        b"\n\n\nw = 3 # caf\xc3\xa9\nL = w**2",
    ],
)
def test_marks_and_line_ends_do_not_matter(autodiff, write, text):
    assert autodiff("grad", "--wrt", "w", write(text)).out == "6\n"


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"w = 3\nx = \xff\n", "it is not UTF-8: byte 0xff at offset 10, in line 2"),
        (b"\xef\xbb\xbfw = \xff\n", "byte 0xff at offset 7, in line 1"),
        ("w = 3\n".encode("utf-16"), "it looks like UTF-16"),
        ("w = 3\n".encode("utf-16-le"), "it looks like UTF-16"),
        ("w = 3\n".encode("utf-16-be"), "it looks like UTF-16"),
        (b"w = 3\nx\x00 = 4\n", "there is a NUL byte at offset 7"),
    ],
)
def test_what_is_no_text(autodiff, write, data, says):
    path = write(data)
    done = autodiff("run", path)
    assert done.returncode == 2
    assert done.err.startswith(f"error[E0613]: cannot read {path}: ")
    assert says in done.err
    piped = autodiff("run", input=data)
    assert piped.returncode == 2
    assert piped.err == done.err.replace(str(path), "<stdin>")


def test_a_missing_file(autodiff, write):
    write("w = 3", "seed1.ad")
    done = autodiff("run", "sed1.ad")
    assert done.returncode == 2
    assert done.err == (
        "error[E0611]: cannot read sed1.ad: there is no such file\n  = help: did you mean `seed1.ad`?\n"
    )


def test_what_is_no_file(autodiff, tmp_path):
    (tmp_path / "folder").mkdir()
    assert "it is a directory" in autodiff("run", "folder").err
    (tmp_path / "loop").symlink_to("loop")
    assert "lead in a circle" in autodiff("run", "loop").err
    assert "its name is too long" in autodiff("run", "x" * 300).err
    assert "its name is too long" in autodiff("run", "x/" * 2100).err
    (tmp_path / "file").touch()
    assert "is not a directory" in autodiff("run", "file/x").err
    assert "there is no such file" in autodiff("run", "a\nb\x1b[31m\udcff[bold].ad").err


def test_odd_names_are_shown_and_not_obeyed(autodiff):
    err = autodiff("run", "a\nb\x1b[31m\udcff[bold].ad").err
    assert "a\\x0ab\\x1b[31m\\xff[bold].ad" in err


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_no_permission(autodiff, write):
    path = write("w = 3")
    path.chmod(0)
    assert "permission denied" in autodiff("run", path).err


def test_reading_is_bounded(autodiff, write):
    done = autodiff("run", "/dev/zero")
    assert done.returncode == 2
    assert "it has more than 16,777,216 bytes" in done.err
    assert "--max-script" in done.err
    assert autodiff("run", "--max-script", "4", write("w = 3; L = w*1")).returncode == 2
    assert autodiff("grad", "--max-script", "0", write("w = 3; L = w*1")).returncode == 0


def test_a_script_from_a_descriptor(autodiff, tmp_path):
    reading, writing = os.pipe()
    os.write(writing, b"w = 3\nL = w**2\n")
    os.close(writing)
    assert autodiff("grad", "--wrt", "w", f"/dev/fd/{reading}", pass_fds=(reading,)).out == "6\n"
    os.close(reading)


def test_nothing_to_read_is_help(on_terminal):
    for command in ("run", "grad", "explain", "graph"):
        code, seen = on_terminal(command, stdin="terminal")
        assert code == 2
        assert f"Usage: autodiff {command}" in seen
        assert "there is no script to run" in seen


def shell(line, tmp_path):
    program = f'"{sys.executable}" -P -m autodiff.cli'
    return subprocess.run(
        ["bash", "-c", line.replace("autodiff", program)],
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS,
        cwd=tmp_path,
    )


def test_closed_standard_input(tmp_path):
    done = shell("autodiff run <&-", tmp_path)
    assert done.returncode == 2
    assert "there is no script to run" in done.stderr


def test_a_deleted_working_directory(tmp_path):
    done = shell("mkdir gone && cd gone && rmdir ../gone && autodiff grad -e 'w=3; L=w*1'", tmp_path)
    assert (done.returncode, done.stdout) == (0, "1\n")


VECTOR = ("-e", "w = torch.tensor([1., 2.], requires_grad=True)", "-e", "L = (w * 3).sum()")


@pytest.mark.parametrize(("value", "slope"), [("nan", "nan"), ("inf", "inf"), ("-inf", "-inf")])
def test_values_that_are_not_finite(autodiff, value, slope):
    done = autodiff("grad", "-e", "w = 1.", "-e", "L = w**2", "--set", f"w={value}")
    assert (done.returncode, done.out) == (0, f"{slope}\n")
    assert (
        autodiff("grad", *VECTOR, "-e", "L = (w**2).sum()", "--set", f"w=[1,{value}]").out == f"2\t{slope}\n"
    )


def test_a_number_that_becomes_a_vector_is_noted(autodiff):
    done = autodiff("grad", "-e", "x = 2.; L = x**2", "--set", "x=[1,5]")
    assert done.err.startswith(
        "note: --set x: `x` is one number in the script, and has shape (2,) now\nerror[E0401]"
    )
    assert autodiff("grad", "-e", "x = 2.; L = x**2", "--set", "x=1.5").err == ""


def test_a_list_has_brackets(autodiff):
    done = autodiff("grad", "-e", "x = 2.; L = x**2", "--set", "x=-1,5")
    assert (done.returncode, done.out) == (2, "")
    assert done.err == (
        "error[E0610]: --set x: `-1,5` is a list without brackets\n"
        "  = help: a list has brackets: --set x='[-1, 5]'\n"
        "  = help: a decimal fraction has a point: --set x=-1.5\n"
    )
    done = autodiff("jvp", "-e", "x = [1, 2, 3]; L = (x**2).sum()", "--vector", "x=1,pi,3")
    assert done.err == (
        "error[E0610]: --vector x: `1,pi,3` is a list without brackets\n"
        "  = help: a list has brackets: --vector x='[1, pi, 3]'\n"
    )
    for value in ("(1, 2)", "[(1), (2)]"):
        done = autodiff("grad", "-e", "x = [0, 0]; L = (x**2).sum()", "--set", f"x={value}")
        assert (done.out, done.err) == ("2\t4\n", "")


@pytest.mark.parametrize("command", ["grad --sweep", "plot --over"])
def test_a_vector_that_becomes_a_range_of_numbers_is_noted(autodiff, command):
    name, option = command.split()
    done = autodiff(name, *VECTOR, option, "w=1:2:0.5")
    assert done.out.startswith("1\t3")
    assert done.err == f"note: {option} w: `w` has shape (2,) in the script, and is one number now\n"


def test_a_vector_that_becomes_a_number_is_noted(autodiff):
    done = autodiff("grad", *VECTOR, "--set", "w=2")
    assert done.out == "3\n"
    assert done.err == "note: --set w: `w` has shape (2,) in the script, and is one number now\n"
    assert autodiff("grad", *VECTOR, "--set", "w=[5, 6, 7]").err == ""
    assert autodiff("grad", *VECTOR, "--set", "w=2", "-q").err == ""


def test_whole_numbers_cannot_be_set_to_what_is_none(autodiff):
    done = autodiff("grad", "-e", "n = torch.tensor([1, 2])", *VECTOR, "--set", "n=nan")
    assert done.returncode == 2
    assert "--set cannot replace `n`, which holds int64 numbers: nan is none of them" in done.err


@pytest.mark.parametrize(
    ("made", "held"),
    [
        ("torch.tensor([3, 4])", "whole numbers"),
        ("torch.tensor([True, False])", "truth values"),
        ("torch.tensor([3., 4.]).long()", "whole numbers"),
    ],
)
@pytest.mark.parametrize("command", ["grad", "explain", "check"])
@pytest.mark.parametrize("name", ["x", "p[0]"])
def test_what_has_no_gradient_cannot_be_differentiated_by(autodiff, command, name, made, held):
    """To answer 0, and that the input is not used, would be wrong: it is."""
    code = f"x = {made}; p = [x]; y = torch.tensor([2., 1.], requires_grad=True); L = (x*y).sum()"
    done = autodiff(command, "-e", code, "--wrt", name)
    assert done.returncode == 2
    assert done.err == (
        f"error[E0603]: --wrt {name}: `{name}` holds {held}, which have no gradient\n"
        f"  = help: give `{name}` numbers with a point, or convert it where it is assigned: .double()\n"
    )
    assert autodiff("grad", "-e", code, "--wrt", "*", "--format", "json").returncode == 0


def test_names_that_set_can_replace_are_proposed_and_no_others(autodiff, write):
    path = write(
        "def loss(v): return v * v\nA, B, C, D, E, F, G, H, I, J = 1., 2., 3., 4., 5., 6., 7., 8., 9., 1.\n"
        "w = 2.\nlr = 0.1\nfor los in range(2):\n    L = loss(w)*lr\n"
    )
    assert "= help: did you mean `lr`?" in autodiff("run", path, "--set", "lrr=0").err
    for name in ("loz", "rang"):
        err = autodiff("run", path, "--set", f"{name}=0").err
        assert "= help: there are: A, B, C, D, E, F, G, H, I, J, w, lr, L\n" in err


@pytest.mark.parametrize(
    "rows", [["minimize", "--data"], ["grad", "--each"], ["grad", "--batch", "2", "--data"]]
)
def test_a_missing_column_is_named_with_those_there_are(autodiff, rows):
    """``t`` without a column is a function, whose product with a number fails in words that do not help."""
    table = "time,v\n0,2\n1,1\n2,0.5\n"
    for formula in ("A*exp(-t) - v", "A*exp(t) - v"):
        done = autodiff(*rows, "-", "-e", f"A = 1; r = {formula}", input=table)
        place = f"A = 1; r = {formula}".index("t)")
        assert "error[E0619]: the script reads `t`, and no column has that name\n" in done.err
        assert f" --> <-e>:1:{place + 1}\n  |\n1 | A = 1; r = {formula}\n  | {' ' * place}^" in done.err
        assert "without a column, `t` is a function of the language, and no number\n" in done.err
        assert done.err.endswith("\n  = help: <stdin> has the columns time, v\n")
    done = autodiff(*rows, "-", "-e", "A = 1; r = A*tt - v", input=table)
    assert "there is no variable `tt`\n  |\n  = help: " in done.err
    assert done.err.endswith("  = help: <stdin> has the columns time, v\n")


def test_functions_that_are_no_columns_stay_functions(autodiff):
    table = "v\n2\n1\n"
    for code in (
        "def f(t): return -t*A\nA = 1; r = (f(v)*2).sum()",
        "A = 1; g = sin; r = (A*g(v)).sum()",
        "t = 3; A = 1; r = (A*t*v).sum()",
    ):
        done = autodiff("grad", "--data", "-", "-e", code, "--wrt", "A", input=table)
        assert (done.returncode, done.err) == (0, ""), done.err
    done = autodiff("grad", "--data", "-", "-e", "A = 1; r = (A*t*v).sum()", "--set", "t=2", input=table)
    assert (done.returncode, done.err) == (0, "")
