"""What is said of a call that reads a file can be done: its lines are deleted, the command has the file."""

from __future__ import annotations

import re
import shlex

import numpy as np
import pytest

TABLE = "t,v\n0,1.0\n1,0.61\n2,0.36\n3,0.22\n"
FIT = "a = 1.0\nb = 0.5\nL = ((a*np.exp(-b*t) - v)**2).sum()\n"
#: The lines that read the file, and the beginnings of the options that are offered.
READERS = {
    "columns": ('t, v = np.loadtxt("a b.csv", delimiter=",", skiprows=1, unpack=True)', "--data"),
    "columns without a header": ('t, v = np.loadtxt("bare.csv", delimiter=",").T', "--columns"),
    "matrix": ('data = np.genfromtxt("a b.csv", delimiter=",")\nt, v = data[:, 0], data[:, 1]', "--data"),
    "data frame": (
        'import pandas as pd\ndf = pd.read_csv("a b.csv")\nt, v = df["t"].values, df["v"]',
        "--data",
    ),
    "open": ('rows = [line.split(",") for line in open("a b.csv")]\nt, v = rows[0], rows[1]', "--data"),
    "array": ('t = np.load("t.npy")\nv = np.array([1.0, 0.61, 0.36, 0.22])', "--set"),
}


@pytest.mark.parametrize(("lines", "option"), READERS.values(), ids=READERS)
def test_the_advice_works(autodiff, write, tmp_path, lines, option):
    write(TABLE, "a b.csv")
    write(TABLE.partition("\n")[2], "bare.csv")
    np.save(tmp_path / "t.npy", np.arange(4.0))
    script = str(write(f"import numpy as np\n{lines}\n{FIT}", "fit.py"))
    done = autodiff("minimize", script)
    [advice] = [line for line in done.err.splitlines() if "with the command: " in line]
    assert advice in autodiff("lint", script).out + autodiff("lint", script).err
    offered = re.findall(r"--(?:data|set) (?:'[^']*'|\S+)(?: --columns \S+)?", advice)
    chosen = next(one for one in offered if option in one)
    kept = "v = np.array([1.0, 0.61, 0.36, 0.22])\n" if option == "--set" else ""
    script = str(write(f"import numpy as np\n{kept}{FIT}", "rest.py"))
    fitted = autodiff("minimize", script, *shlex.split(chosen), "--wrt", "a,b")
    assert (fitted.returncode, fitted.err) == (0, "")
    values = [float(line.split()[1]) for line in fitted.out.splitlines()]
    assert values == pytest.approx([1.0017, 0.50526], abs=1e-4)


@pytest.mark.parametrize(
    "line",
    [
        "from scipy.optimize import curve_fit",
        "from scipy import optimize",
        "import scipy.optimize as so",
        "import lmfit",
    ],
)
def test_fits_are_a_command(autodiff, write, line):
    script = str(write(f"import numpy as np\n{line}\nx = 1.0\ny = x**2\n", "fit.py"))
    for command in ("minimize", "lint"):
        done = autodiff(command, script)
        assert "`autodiff minimize SCRIPT --wrt a,b`" in done.out + done.err


def test_a_file_that_is_written_is_printed(autodiff, write):
    script = str(write('a = 2.0\nL = a**2\nf = open("out.txt", "w")\nf.write(str(L))\n', "s.py"))
    assert "= help: print what you want to keep" in autodiff("grad", script).err
