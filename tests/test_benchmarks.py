"""The benchmarks run and compare what they say they compare, at sizes too small to measure anything."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys

import numpy as np
import pytest
from conftest import HANGS, REPOSITORY

#: Arguments of each workload, small.
SMALL = {
    "scalars": [("chain", 30), ("dag", 30)],
    "loops": [("three statements", 30), ("one statement", 30), ("a branch", 30)],
    "tiny_tensors": [(1, 3), (16, 3)],
    "elementwise": [("tanh", 5), ("quotient", 5), ("sin and log", 5)],
    "perceptron": [(3, "float32"), (3, "float64")],
    "logistic": [(20,)],
    "products": [(4,)],
    "cross_entropy": [(5, 3)],
    "strongest_paths": [("dag", 30), ("random graph", 30)],
    "training": [("a line through four points", 3), ("a perceptron 2-16-1, 8 samples", 3)],
    "trees": [(20,)],
    "pictures": [("svg", 8), ("html", 400)],
}
CALLS = [(name, arguments) for name, calls in SMALL.items() for arguments in calls]


@pytest.fixture(autouse=True)
def checkout_on_the_path(monkeypatch):
    monkeypatch.syspath_prepend(str(REPOSITORY))


def workload(name):
    return importlib.import_module(f"benchmarks.{name}")


def run_benchmarks(*arguments):
    command = [sys.executable, "-m", *arguments]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=HANGS, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_parsing_beside_python():
    shown = run_benchmarks("benchmarks.parsing", "--sizes", "10", "40", "--rounds", "1", "--print")
    rows = [line.split("|") for line in shown.splitlines() if line.startswith("| ")][2:]
    assert [row[1].strip() for row in rows[::2]] == [
        "statements",
        "mistake in the last line",
        "nested brackets",
        "one long sum",
    ]
    assert all(len(row) == 10 for row in rows)


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_our_side_of_every_workload_gives_numbers(name, arguments):
    for side, prepare in workload(name).SIDES.items():
        if side.startswith("ours"):
            answers = prepare(*arguments)()
            assert answers
            assert all(np.isfinite(np.asarray(answer)).all() for answer in answers)


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("name", "arguments"),
    [call for call in CALLS if call[0] not in ("loops", "trees", "pictures")],
)
def test_torch_and_we_do_the_same_work(name, arguments):
    pytest.importorskip("torch")
    from benchmarks.agreement import largest_difference

    sides = getattr(workload(name), "GRADIENTS", workload(name).SIDES)
    mine, theirs = ([np.asarray(g) for g in sides[side](*arguments)()] for side in ("ours", "torch"))
    assert largest_difference(mine, theirs) <= (1e-4 if "float32" in arguments else 1e-12)


def test_a_script_loop_does_the_work_of_the_loop_in_python():
    sides = workload("loops").SIDES
    for arguments in SMALL["loops"]:
        assert sides["ours"](*arguments)() == sides["ours, from Python"](*arguments)()


def answers_of(side):
    from benchmarks.measuring import finished, numbers_in

    return list(
        numbers_in(finished(list(side.command) if side.is_program else [sys.executable, *side.command]))
    )


def test_rows_are_those_of_numpy_by_hand(tmp_path, monkeypatch):
    """Every form of our side has an answer for each row; the plain and the costly script have two slopes."""
    module = workload("rows")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    module.write_table(10)
    mine = answers_of(module.each(10, module.SCRIPT))
    assert mine == pytest.approx(answers_of(module.peer(module.BY_HAND, 10)), rel=1e-12)
    assert mine == pytest.approx(answers_of(module.each(10, module.BRANCH)), rel=1e-12)
    assert len(answers_of(module.each(10, module.COSTLY, "--jobs", "2"))) == len(mine) == 20


@pytest.mark.oracle
@pytest.mark.parametrize("peer", ["torch", "autograd"])
def test_rows_are_those_of_peers(tmp_path, monkeypatch, peer):
    pytest.importorskip(peer)
    module = workload("rows")
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    module.write_table(10)
    program = {"torch": module.TORCH, "autograd": module.AUTOGRAD}[peer]
    mine = answers_of(module.each(10, module.SCRIPT))
    assert answers_of(module.peer(program, 10)) == pytest.approx(mine, rel=1e-12)


def test_the_strongest_paths_are_those_of_the_graph_that_is_swept():
    """Few enough paths to add up: ten strongest of a small graph carry most of torch's gradient."""
    from autodiff.core.graph.topological_order import newest_first
    from autodiff.core.paths.path_sum import count_paths, paths_with_contributions

    module = workload("strongest_paths")
    root, leaf = module.graph("dag", 30)
    every = sorted((abs(carried) for _, carried in paths_with_contributions(root, leaf, 1.0)), reverse=True)
    assert count_paths(root, [leaf], newest_first([root]))[leaf] == len(every)
    found = module.ours("dag", 30)()[1:]
    assert [abs(contribution) for contribution in found] == pytest.approx(every[: module.SHOWN])


def test_rich_draws_the_lines_of_our_tree():
    module = workload("trees")
    lines = module.plain(module.graph(20))
    assert len(lines) >= 20
    assert module.richs(20)()[0] > len("".join(lines)) / 4


def test_gradients_that_differ_are_no_agreement():
    from benchmarks.agreement import largest_difference

    one = np.array([1.0, 2.0])
    assert largest_difference([one], [one]) == 0
    assert largest_difference([one], [one * 1.01]) == pytest.approx(0.01 / 1.01)
    assert largest_difference([one], [one * np.nan]) == np.inf
    assert largest_difference([one], [one[:1]]) == np.inf
    assert largest_difference([one], [one, one]) == np.inf


def test_every_target_has_a_row_and_every_size_is_scaled():
    collected = workload("__main__").collected
    rows = {case.row for case in collected(1.0)["rows"]}
    assert rows == {f"P{number}" for number in range(1, 21)} | {"P2b"}
    lines = [line for case in collected(1.0)["rows"] for line in case.lines]
    assert len({(line.row, line.work) for line in lines}) == len(lines)
    for case in lines:
        assert case.target is not None
        assert case.target > 0


@pytest.fixture
def is_idle(monkeypatch):
    """Nobody looks how idle the machine is, which takes half a second for each round of each row."""
    monkeypatch.setattr(workload("measuring"), "wait_until_idle", lambda least, most_seconds: 1.0)


def test_rows_are_measured_and_printed(monkeypatch, capsys, is_idle):
    asked = ["--scale", "0.001", "--rounds", "1", "--seconds", "0.01", "--ours"]
    asked += ["--only", "P2b", "P3", "P8", "P12", "lines"]
    monkeypatch.setattr(sys, "argv", ["benchmarks", *asked])
    with pytest.raises(SystemExit) as ended:
        workload("__main__").main()
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    rows = [line.split(" | ") for line in shown.splitlines()[2:]]
    assert [row[0] for row in rows] == ["| P2b"] * 3 + ["| P3"] * 4 + ["| P8"] * 6 + ["| P12"] * 2 + [
        "| lines"
    ] * 6
    assert {len(row) for row in rows} == {12}


def test_a_row_measured_against_its_anchor_has_a_ratio():
    asked = ["--scale", "0.001", "--rounds", "2", "--seconds", "0.01", "--idle", "0"]
    shown = run_benchmarks("benchmarks", *asked, "--only", "P14")
    cells = shown.splitlines()[-1].strip("| ").split(" | ")
    assert float(cells[3].strip("*")) > 0
    least, _, most = cells[4].partition("-")
    assert float(least) <= float(most)


def test_a_new_line_takes_the_place_of_the_one_of_the_same_work():
    from benchmarks.table import HEAD, put

    empty = "# T\n<!-- rows: begin -->\n<!-- rows: end -->\nrest\n"
    order = ["| P1 | a", "| P2 | b", "| P3 | c"]
    once = put(empty, "rows", ["| P2 | b | 1 |", "| P1 | a | 1 |"], order)
    assert once == "\n".join(
        [
            "# T",
            "<!-- rows: begin -->",
            *HEAD,
            "| P1 | a | 1 |",
            "| P2 | b | 1 |",
            "<!-- rows: end -->",
            "rest",
            "",
        ]
    )
    again = put(once, "rows", ["| P1 | a | 2 |", "| P3 | c | 1 |"], order)
    assert [line for line in again.splitlines() if line.startswith("| P")] == [
        "| P1 | a | 2 |",
        "| P2 | b | 1 |",
        "| P3 | c | 1 |",
    ]
    with pytest.raises(ValueError, match="no section 'other'"):
        put(once, "other", [], order)


def test_a_line_of_work_that_is_no_longer_measured_goes():
    from benchmarks.table import put

    once = put(
        "<!-- rows: begin -->\n| P1 | a | 1 |\n| P2 | b | 1 |\n<!-- rows: end -->", "rows", [], ["| P2 | b"]
    )
    assert [line for line in once.splitlines() if line.startswith("| P")] == ["| P2 | b | 1 |"]


def test_growth_is_shown_from_small_to_large():
    """Each series has its sizes as rows, and one of them is scripts of many lines."""
    growing = workload("__main__").collected(1.0)["growth"]
    series = {}
    for case in growing:
        series.setdefault(case.row, []).append(case.ours.units)
    assert series["ops"] == [1_000, 10_000, 100_000, 1_000_000, 5_000_000]
    assert series["elements"] == [1_000, 10_000, 100_000, 1_000_000, 10_000_000]
    assert series["lines"] == [1_000, 10_000, 100_000]
    assert set(series) == {"ops", "elements", "lines", "paths", "training"}
    works = [(line.row, line.work) for case in growing for line in case.lines]
    assert len(set(works)) == len(works)


def test_a_script_of_many_lines_is_that_long():
    from benchmarks.scripts import spelled_out

    assert [spelled_out(lines).count("\n") for lines in (12, 13, 14, 100)] == [12, 13, 14, 100]


def test_long_peers_are_measured_in_one_round(monkeypatch, is_idle):
    from benchmarks import measuring
    from benchmarks.cases import BYTES, SECONDS, Case, Side

    clock = iter(range(1000))
    monkeypatch.setattr(
        measuring, "perf_counter", lambda: next(clock) * 2.0
    )  # each process takes two seconds
    monkeypatch.setattr(measuring, "compare", lambda case, commands: None)
    monkeypatch.setattr(measuring, "figures_of", lambda side, command, plan: {SECONDS: 6.0, BYTES: 9.0})
    ours, theirs = Side(("-m", "ours"), units=2), Side(("-m", "theirs"))
    peers = {"slow": theirs}
    for starts, count in (1, 3), (2, 1):
        case = Case("P1", "work", 1.0, ours, theirs, peers=peers, starts=starts).with_peak("peak", 0.5)
        plan = measuring.Plan(rounds=3, seconds=1.0, least_idle=0.0, longest_wait=0.0)
        time, peak = measuring.measure(case, plan, workload("machine").Interpreters([]))
        assert time.figures == {"ours": [3.0] * 3, "torch": [6.0] * 3, "slow": [6.0] * count}
        assert (peak.ratio, peak.case.work, peak.case.target) == (0.5, "peak", 0.5)


def test_large_scripts_in_commands_and_formats():
    asked = ["--scale", "0.00002", "--only", "check --format verdict", "lint --diagnostics json"]
    shown = run_benchmarks("benchmarks.large_scripts", *asked)
    head, _, *rows = [line.strip("| ").split(" | ") for line in shown.splitlines()]
    assert [row[0] for row in rows] == ["`check --format verdict`", "`lint --diagnostics json`"]
    assert {len(row) for row in rows} == {len(head)}
    assert all(re.fullmatch(r"\d+\.\d s, 0\.\d\d GB", cell) for row in rows for cell in row[1:-1])


def test_a_new_row_of_large_scripts_takes_the_place_of_the_one_before():
    module = workload("large_scripts")
    lint, check = "| `lint --diagnostics json` | {} |", "| `check --format json` | {} |"
    empty = f"# T\n{module.BEGIN}\n{module.END}\nrest\n"
    text = module.put(module.put(module.put(empty, lint.format(1)), check.format(1)), lint.format(2))
    table = [*module.HEAD, check.format(1), lint.format(2)]
    assert text == "\n".join(["# T", module.BEGIN, *table, module.END, "rest", ""])


def test_cells_over_the_bounds_are_bold_and_failures_are_told():
    cell = workload("large_scripts").cell
    assert cell(1.25, 10**8, 0) == "1.2 s, 0.10 GB"
    assert cell(15.1, 10**8, 1) == "**15.1 s, 0.10 GB**"
    assert cell(1.0, 2 * 10**9, 5) == "**1.0 s, 2.00 GB**, exit 5"
    assert cell(60.0, 10**8, -9) == "**60.0 s, 0.10 GB**, not finished"


def test_numbers_in_outputs_are_told_from_names():
    from benchmarks.measuring import numbers_in

    assert list(numbers_in("x1\t-2\nw\t3.5e-07\n")) == [-2.0, 3.5e-07]
    assert list(numbers_in("x -2.0 a inf")) == [-2.0, float("inf")]
