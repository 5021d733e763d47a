"""The front door: help, version, mistakes on the command line, and what start-up may load."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from autodiff.cli.command_line import click_parser
from autodiff.cli.command_line.click_parser import build_command, read_with_click
from autodiff.cli.command_line.fast_parser import read_arguments
from autodiff.cli.command_line.options import COMMANDS
from autodiff.cli.commands.help_topics import TOPICS, find_topic
from autodiff.core.base.errors import UsageError
from conftest import HANGS


def imports_of(*arguments):
    """Every module a run imports."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "autodiff.cli", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS,
        env={**os.environ, "AUTODIFF_FAST": "1"},  # the plain engine computes numbers with numpy
    )
    names = [line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if "|" in line]
    assert "autodiff.cli.main" in names
    return set(names)


def modules_loaded(*arguments):
    """The top-level modules a run imports."""
    return {name.partition(".")[0] for name in imports_of(*arguments)}


@pytest.mark.parametrize("arguments", [(), ("--help",), ("-h",), ("run", "--help"), ("grad", "--wrtt", "w")])
def test_help_and_mistakes_load_click_only(arguments):
    loaded = modules_loaded(*arguments)
    assert "click" in loaded
    assert not loaded & {"numpy", "scipy", "lark", "rich"}


@pytest.mark.parametrize("arguments", [("--version",), ("help", "exit-codes"), ("run", "missing.ad")])
def test_the_rest_of_start_up_does_without_click(arguments):
    assert not modules_loaded(*arguments) & {"click", "numpy", "scipy", "lark", "rich"}


def test_a_scalar_script_in_a_pipe_loads_nothing_heavy():
    loaded = modules_loaded("grad", "--wrt", "w", "-e", "w = 3; L = w**2")
    assert not loaded & {"click", "numpy", "scipy", "lark", "rich"}


def test_bare_gradients_load_nothing_that_explains():
    """Start-up is most of what such a run takes, and modules are most of start-up."""
    loaded = imports_of("grad", "--wrt", "w", "-e", "w = 3; L = w**2")
    assert "autodiff.core.derivation.describe" in loaded
    assert not loaded & {f"autodiff.core.{name}" for name in ("derive", "simplify", "strongest", "why")}


def test_without_arguments_there_is_help(autodiff):
    done = autodiff()
    assert done.returncode == 0
    assert done.err == ""
    assert "explains every gradient" in done.out
    assert done.out.count("    autodiff ") == 3
    for name in COMMANDS:
        assert f"\n  {name} " in done.out
    assert autodiff("--help").out == done.out


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("flag", ["-h", "--help"])
def test_every_command_has_help(autodiff, command, flag):
    done = autodiff(command, flag)
    assert done.returncode == 0
    assert COMMANDS[command].help in done.out
    assert COMMANDS[command].examples[0] in done.out
    for option in COMMANDS[command].options:
        assert option.flags[-1] in done.out


def test_version(autodiff):
    from importlib.metadata import version

    assert autodiff("--version").out == f"autodiff {version('autodiff')}\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["graad"], "did you mean `grad`?"),
        (["seed1.ad"], "did you mean `autodiff run seed1.ad`?"),
        (["qqqq"], "the commands are run, grad,"),
        (["grad", "--wtr", "w"], "did you mean `--wrt`?"),
        (["--verson"], "did you mean `--version`?"),
        (["grad", "--wrt"], "needs a value"),
        (["grad", "a.ad", "b.ad"], "takes one script"),
        (["grad", "--digits", "many", "a.ad"], "takes a whole number"),
        (["grad", "--digits=-1", "a.ad"], "takes a whole number, 1 or more"),
        (["grad", "--digits", "0", "a.ad"], "takes a whole number, 1 or more"),
        (["explain", "--top", "0", "a.ad"], "takes a whole number, 1 or more"),
        (["explain", "--max-paths=-1", "a.ad"], "takes a whole number, 0 or more"),
        (["grad", "--max-memory", "4X", "a.ad"], "takes a size"),
        (["grad", "--timeout", "nan", "a.ad"], "takes a number of seconds"),
        (["grad", "--format", "xml", "a.ad"], "auto, plain, table, json"),
        (["grad", "--color", "red", "a.ad"], "auto, always, never"),
        (["grad", "--set", "w1", "-e", "w1 = 1"], "--set takes NAME=VALUE"),
        (["grad", "--set", "w1=x", "-e", "w1 = 1"], "there is no variable `x`"),
        (["grad", "--set", "w1=", "-e", "w1 = 1"], "the value is missing"),
        (["run", "--show", "everything", "-e", "w1 = 1"], "gradients, graph, paths"),
        (["help", "E9999"], "there is no help on `E9999`"),
    ],
)
def test_mistakes_on_the_command_line(autodiff, arguments, says):
    done = autodiff(*arguments)
    assert done.returncode == 2
    assert done.out == ""
    assert done.err.startswith("error[E06")
    assert says in done.err


@pytest.mark.parametrize(
    "line",
    [
        "run a.ad",
        "run -",
        "run",
        "grad --wrt w1 --wrt=w2 a.ad",
        "grad a.ad -qq -v",
        "grad a.ad -qv --quiet",
        "grad -e w=3 -e L=w --set w=5 --set w=6",
        "graph --format dot --digits 3 --rows 5 --all",
        "run --max-memory 2G --max-script=1M --timeout 2.5 a.ad",
        "grad --grad-output -1 -- -odd-name.ad",
        "help E0401",
        "explain --color never --dtype float32 --seed 7 a.ad",
    ],
)
def test_both_readers_of_the_command_line_agree(line):
    arguments = line.split()
    quick = read_arguments(arguments)
    slow = read_with_click(arguments, 80)
    assert quick is not None
    assert (quick.command, quick.argument, quick.values) == (slow.command, slow.argument, slow.values)


@pytest.mark.parametrize(
    "line", ["", "-h", "run -h", "run --nope", "run a b", "run --seed x", "frobnicate", "run -ew=1"]
)
def test_the_quick_reader_leaves_the_rest_to_click(line):
    assert read_arguments(line.split()) is None


def test_values_glued_to_their_flag_work_too():
    assert read_with_click(["run", "-ew=1"], 80).values["e"] == ("w=1",)


def test_a_mistake_in_a_value_is_found_by_both():
    with pytest.raises(UsageError):
        read_with_click(["run", "--seed", "x"], 80)


def test_help_builds_no_command_but_the_one_it_describes(monkeypatch):
    built = []
    monkeypatch.setattr(
        click_parser, "build_command", lambda command: built.append(command.name) or build_command(command)
    )
    text = read_with_click(["--help"], 80)
    assert built == []
    assert all(f"  {command.name} " in text for command in COMMANDS.values())
    assert "--wrt" in read_with_click(["grad", "--help"], 80)
    assert {*built} == {"grad"}


def test_help_topics(autodiff):
    assert "130  Ctrl-C" in autodiff("help", "exit-codes").out
    assert "torch" in autodiff("help", "language").out
    assert "retain_graph=True" in autodiff("help", "e0402").out
    assert "Usage: autodiff grad" in autodiff("help", "grad").out
    assert "exit-codes" in autodiff("help").out
    assert "E0401" in autodiff("help", "codes").out


def test_the_names_of_option_destinations_are_unique():
    for command in COMMANDS.values():
        names = [option.name for option in command.options]
        assert len(names) == len(set(names))


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("topic", ["", *(topic for topic in TOPICS if topic != "json")])  # for programs
def test_topics_keep_to_the_width(topic, width):
    text = find_topic(topic, width)
    assert [line for line in text.split("\n") if len(line) > width] == []
    assert sorted("".join(text.split())) == sorted("".join(find_topic(topic, 1000).split()))


def test_entries_of_topics_hang_below_what_they_begin_with():
    text = find_topic("exit-codes", 60)
    assert "\n    3  the script does not compile: wrong syntax, or an\n       unknown name; for lint" in text
    assert "\n    L = w**2\n" in find_topic("language", 60)
    table = find_topic("limits", 80)
    assert len({line.index("E0") for line in table.split("\n") if "E050" in line}) == 1
