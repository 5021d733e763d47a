"""What is said about a command line that makes no sense names the option and the way out."""

from __future__ import annotations

import subprocess

import pytest
from autodiff.cli.command_line.click_parser import MANY_OPTIONS
from autodiff.cli.command_line.options import COMMANDS, EXAMPLES, GROUPS
from conftest import HANGS
from documents import with_autodiff

#: Without those of `watch`, which does not end.
EXAMPLES_OF_HELP = [
    *(line for line, _ in EXAMPLES),
    *(line for command in COMMANDS.values() if not command.takes_command for line in command.examples),
]


@pytest.mark.parametrize(
    ("arguments", "says", "helps"),
    [
        ("grad --wrtt w", "there is no option `--wrtt`", "did you mean `--wrt`?"),
        ("grad --fromat json", "there is no option `--fromat`", "did you mean `--format`?"),
        ("version 3", "`autodiff version` takes no argument", "`autodiff version --help`"),
        ("grad --cpus 2", "there is no option `--cpus`", "`autodiff grad --help` describes every option"),
        ("grad -wrt w", "there is no option `-w`", "did you mean `--wrt`?"),
        ("grda x.ad", "there is no command `grda`", "did you mean `grad`?"),
        ("rn x.ad", "there is no command `rn`", "did you mean `run`?"),
        ("lnt x.ad", "there is no command `lnt`", "did you mean `lint`?"),
        ("x.ad", "there is no command `x.ad`", "did you mean `autodiff run x.ad`?"),
        ("grad --format jsn", "--format takes one of auto, plain, table, json", "`--format json`?"),
        ("run --color Never", "not `Never`", "did you mean `--color never`?"),
        (
            "lint --format json a.ad",
            "no option `--format`",
            "the findings are diagnostics: --diagnostics json",
        ),
        ("lint --diagnostics gitub a.ad", "not `gitub`", "did you mean `--diagnostics github`?"),
        ("run --timeout soon", "--timeout takes a number of seconds, such as 2.5, not `soon`", "--help`"),
        ("grad --of", "--of needs a value", "give one: --of NAME"),
        ("run --color", "--color needs a value", "give one: --color auto|always|never"),
        ("run --all=3", "--all takes no value", "write --all alone"),
        ("run a.ad b.ad", "`autodiff run` takes one script, and there is more: `b.ad`", "a run of its own"),
        ("grad a.ad --each in.csv --keep id,t", "there is more: `id,t`", "--keep takes no value"),
        ("--format json grad", "there is no option `--format`", "options follow the command"),
        ("lint --wrt w a.ad", "there is no option `--wrt`", "`autodiff run` has it"),
        ("grad -e w=3 --grad-output twos", "`twos` has no value", "did you mean `--grad-output ones`?"),
        ("grad -e w=3 --set w=3,y=4", "`3,y=4` is more than one value", "--set w=3 --set y=4"),
        ("grad -e w=3 --set w=max(1,2),y=4", "`max(1,2),y=4` is more than one value", "w=max(1,2) --set y=4"),
        ("grad -e w=3 --set w=4 --set w=5", "--set gives `w` twice: `w=4` and `w=5`", "leave one out"),
        ("grad -e w=3 --sweep w=1:2:1 --sweep w=[5]", "--sweep gives `w` twice: `w=1:2:1` and", "one out"),
        (
            "jvp -e w=3;L=w*w --vector w=1 --vector w=2",
            "--vector gives `w` twice: `w=1` and `w=2`",
            "leave one out",
        ),
        ("propagate -e w=3 --sigma w=1,w=2%", "--sigma gives `w` twice: `w=1` and `w=2%`", "leave one out"),
        ("propagate -e w=3 --sigma w=1mm", "--sigma w: `1mm` has no value", "units are not read: write the"),
        ("propagate -e w=3 --sigma w=1m", "--sigma w: `1m` has no value", "write 1e-3"),
        (
            "propagate -e w=3 --each r.csv",
            "there is no option `--each`",
            "`autodiff propagate -e w=3 --data r.csv`",
        ),
        (
            "jacobian -e w=3 --each=r.csv",
            "there is no option `--each`",
            "`autodiff jacobian -e w=3 --data=r.csv`",
        ),
        (
            "grad a.ad --each --data r.csv",
            "and the option --data follows",
            "`--each r.csv` in place of --data?",
        ),
        (
            "grad --each --data r.csv a.ad",
            "and the option --data follows",
            "`--each r.csv` in place of --data?",
        ),
        ("grad a.ad --data r.csv --each", "--each needs a value", "`--each r.csv` in place of --data?"),
        ("grad a.ad --wrt --value w", "--wrt needs a value, and the option --value", "give one: --wrt NAME"),
        ("propagate -e w=3 --corr r.csv", "there is no option `--corr`", "--cov FILE takes covariances"),
        ("propagate -e w=3 --covariance=r.csv", "no option `--covariance`", "--cov FILE takes covariances"),
        ("grad -e w=3 --set w==4", "--set takes one `=`, not two", "did you mean `--set w=4`?"),
    ],
)
def test_each_names_the_option_and_the_way_out(autodiff, arguments, says, helps):
    done = autodiff(*arguments.split())
    assert done.returncode == 2
    first, *rest = done.err.splitlines()
    assert says in first
    assert helps in rest[0]


@pytest.mark.parametrize(
    ("arguments", "says", "helps"),
    [
        (("grad", "a.ad", ""), "there is more: an empty argument", "a shell variable without a value"),
        (("ops", "", ""), "there is more: an empty argument", "a shell variable without a value"),
        (("run", "a.ad", "my (old) file.ad", "b"), "there is more: `my (old) file.ad`", "a run of its own"),
    ],
)
def test_an_argument_too_many_is_told_whole(autodiff, arguments, says, helps):
    done = autodiff(*arguments)
    assert done.returncode == 2
    assert says in done.err
    assert helps in done.err


def test_what_bare_numbers_cannot_show_is_told_with_what_can(autodiff):
    three = autodiff("grad", "-e", "W = ones(2, 2, 2, requires_grad=True)", "-e", "L = W.sum()")
    assert three.err.splitlines()[1:] == ["  = help: use --format json"]
    both = ("-e", "W = ones(2, 2, requires_grad=True)", "-e", "b = ones(2, requires_grad=True)")
    assert autodiff("grad", *both, "-e", "L = (W * b).sum()").out == "W[0]\t1\t1\nW[1]\t1\t1\nb\t2\t2\n"
    assert autodiff("grad", *both, "-e", "L = (W * b).sum()", "--wrt", "W").out == "1\t1\n1\t1\n"


@pytest.mark.parametrize("example", EXAMPLES_OF_HELP)
def test_the_examples_of_the_help_work_in_an_empty_folder(example, tmp_path):
    folder = tmp_path / "empty"
    folder.mkdir()
    done = subprocess.run(
        ["sh", "-c", example],
        cwd=folder,
        env=with_autodiff(tmp_path),
        capture_output=True,
        text=True,
        timeout=HANGS,
    )
    assert (done.returncode, done.stderr) == (int("2_descent_step" in example), "")
    written = list(folder.iterdir())
    assert done.stdout or ">" not in example or written[0].read_text()


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_help_lists_each_option_once_in_the_groups(autodiff, command):
    text = autodiff(command.name, "--help").out
    lines = [line.split("  ")[1].strip() for line in text.splitlines() if line.startswith("  -")]
    listed = [line.split()[0 if line[:2] == "--" or line[:2] == "-e" else 1] for line in lines]
    assert sorted(listed) == sorted([option.flags[-1] for option in command.options] + ["--help"])
    titles = [title for title in GROUPS if f"\n{title}:\n" in text]
    assert titles == ([] if len(listed) < MANY_OPTIONS else list(GROUPS))


def test_every_option_is_in_one_group():
    known = {option.flags[-1] for command in COMMANDS.values() for option in command.options}
    assert sorted(" ".join(GROUPS.values()).split()) == sorted({*known, "--help"})


@pytest.mark.parametrize("option", ["--each", "--sweep"])
def test_diff_says_how_rows_are_compared(autodiff, option):
    done = autodiff("diff", "a.ad", "b.ad", option, "x=0:1:0.5")
    assert done.returncode == 2
    assert (
        f"write the rows of each script, `autodiff grad SCRIPT {option} ... > FILE`, and compare" in done.err
    )


def test_trace_says_where_the_steps_of_a_second_derivative_are(autodiff, tmp_path):
    done = autodiff("trace", "-e", "x = 2.0; y = x**3", "--order", "2")
    assert done.returncode == 2
    assert "`autodiff graph SCRIPT --order 2 -o page.html`" in done.err
    page = tmp_path / "page.html"
    assert autodiff("graph", "-e", "x = 2.0; y = x**3", "--order", "2", "-o", page).returncode == 0
    assert '<button id="play"' in page.read_text()
