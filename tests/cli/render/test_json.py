"""The JSON document: its keys, its numbers, and nothing else on standard output."""

from __future__ import annotations

import hashlib
import json
import re
from importlib.metadata import version

import numpy as np
import pytest
from autodiff.cli.render.json import render_json, render_json_error
from autodiff.cli.render.json_values import plain
from autodiff.core.base.errors import Label, ShapeError
from autodiff.core.base.source import Source, Span
from conftest import REPOSITORY

from tests.cli.reports import SEED_1, leaf, seed_1_report

SOURCE = Source("x = 1\ny = x\n", "a.ad")


def document(report, warnings=()):
    return json.loads(render_json(report, b"x", 0, warnings, SOURCE), parse_constant=lambda name: 1 / 0)


def test_keys():
    made = document(seed_1_report())
    assert made["schema"] == 2
    assert made["version"] == version("autodiff")
    assert made["script"] == {
        "path": "seed1.ad",
        "sha256": hashlib.sha256(b"x").hexdigest(),
        "text": SOURCE.text,
    }
    assert made["output"] == {"name": "L", "line": 9, "shape": [], "dtype": "float64", "value": -7.0}
    assert made["gradients"][2] == {
        "name": "w1",
        "line": 3,
        "shape": [],
        "dtype": "float64",
        "value": 1.0,
        "grad": -8.0,
        "paths": 2,
    }
    node = made["graph"]["nodes"][5]
    told = {"id", "name", "op", "grad_fn", "line", "shape", "dtype", "value", "grad", "inputs"}
    assert told | {"location", "end_location", "visit"} == set(node)
    assert made["graph"]["edges"][0] == {
        "id": 0,
        "from": 2,
        "to": 5,
        "operand": 0,
        "local": 1.0,
        "symbol": "x1",
        "expression": None,
        "give": None,
    }
    derivation = made["derivations"][0]
    assert derivation["wrt"] == "w1"
    assert derivation["paths"][0]["contribution"] == -2.0
    assert derivation["steps"]["simplified"] == "-w2*x1 - w3*x2"
    assert made["diagnostics"] == []


def test_what_was_not_asked_for_is_not_there():
    made = document(seed_1_report(graph=None, derivations=()))
    assert "graph" not in made
    assert "derivations" not in made


def test_numbers_without_a_number():
    assert plain(float("nan")) == "NaN"
    assert plain(float("inf")) == "Infinity"
    assert plain(np.array([[1.0, -np.inf], [np.nan, 0.1]])) == [[1.0, "-Infinity"], ["NaN", 0.1]]
    assert plain(np.float64(2.5)) == 2.5
    assert plain(np.array(2.5)) == 2.5
    assert plain(np.array([True, False])) == [True, False]
    assert plain(None) is None


def test_large_counts_are_strings():
    made = document(
        seed_1_report(gradients=(leaf("w", 1, 1.0, 1.0, 2**53), leaf("v", 1, 1.0, 1.0, 2**53 + 1)))
    )
    assert [entry["paths"] for entry in made["gradients"]] == [2**53, str(2**53 + 1)]
    assert isinstance(document(seed_1_report(gradients=(leaf("w", 1, 1.0, 1.0, 2**100_000),))), dict)


def test_errors_are_documents():
    error = ShapeError("no", caret="here", help=("try",), span=Span(6, 7))
    error.labels = [Label(Span(0, 1), "x is 1")]
    made = json.loads(render_json_error(error, SOURCE, b"", ()))
    (entry,) = made["diagnostics"]
    assert entry["code"] == "E0302"
    assert entry["severity"] == "error"
    assert entry["filename"] == "a.ad"
    assert entry["location"] == {"line": 2, "column": 1}
    assert entry["end_location"] == {"line": 2, "column": 2}
    assert entry["labels"][0]["location"] == {"line": 1, "column": 1}
    assert entry["help"] == ["try"]


def test_every_command_writes_one_document(autodiff, write):
    path = write(SEED_1, "seed1.ad")
    for command in ("run", "grad", "explain", "graph"):
        done = autodiff(command, "seed1.ad", "--format", "json", "-e", "print('hello')")
        made = json.loads(done.out)
        assert done.out.count("\n") == 1
        assert done.err == "hello\n"
        assert made["output"]["value"] == -7.0
        assert [entry["grad"] for entry in made["gradients"]] == [-2.0, -3.0, -8.0, -1.0, -2.0]
    made = json.loads(autodiff("graph", "seed1.ad", "--format", "json").out)
    assert made["script"]["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
    for edge in made["graph"]["edges"]:
        assert edge["from"] < edge["to"] or made["graph"]["nodes"][edge["from"]]["op"] == "constant"
    assert [node["id"] for node in made["graph"]["nodes"]] == list(range(12))


def test_a_failure_is_a_document_too(autodiff):
    done = autodiff("grad", "--format", "json", "-e", "x = q")
    assert done.returncode == 3
    assert json.loads(done.out)["diagnostics"][0]["code"] == "E0201"
    assert done.err.startswith("error[E0201]")


WARNS = "w = torch.tensor(3., requires_grad=True)\ny = w*2\ny.backward()\ng = y.grad\n"


@pytest.mark.parametrize("command", ["run", "grad", "graph", "explain"])
def test_warnings_are_in_the_document(autodiff, command):
    done = autodiff(command, "-", "--format", "json", input=WARNS)
    (warning,) = json.loads(done.out)["diagnostics"]
    assert (warning["code"], warning["severity"]) == ("W0100", "warning")
    assert warning["location"] == {"line": 4, "column": 5}


def test_warnings_stand_before_the_error_that_came_after_them(autodiff):
    done = autodiff("grad", "-", "--format", "json", "-q", input=WARNS + "k = y @ 3\n")
    found = [(one["severity"], one["code"]) for one in json.loads(done.out)["diagnostics"]]
    assert found == [("warning", "W0100"), ("error", "E0203")]


@pytest.mark.parametrize(
    "arguments",
    [
        "run --format json --nope",
        "run --format=json missing.ad",
        "run --nope --format json",
        "run a.ad b.ad --format json",
        "grad --format json -e w=3 --wrt zz",
        "grad --format json -e w=3 --set q",
        "graph --format json -e w=3 --rows",
        "explain --format json -e w=3 --digits many",
        "run --format json -e w=3 --show everything",
        "frob --format json",
        "--format json run a.ad",
        "lint --format json a.ad",
        "help nothing --format json",
    ],
)
def test_a_command_line_that_makes_no_sense_is_answered_with_a_document(autodiff, arguments):
    done = autodiff(*arguments.split())
    assert done.returncode == 2
    document = json.loads(done.out)
    assert document["schema"] == 2
    assert [one["severity"] for one in document["diagnostics"]] == ["error"]
    assert document["diagnostics"][0]["message"] in done.err


def run_document(autodiff, code: str, *arguments: str):
    return json.loads(autodiff("run", "-e", code, "--format", "json", *arguments).out)


def test_paths_and_edges_have_ids(autodiff) -> None:
    made = run_document(autodiff, "x = 3; L = x*x")
    edges = made["graph"]["edges"]
    assert [(edge["id"], edge["from"], edge["to"], edge["give"]) for edge in edges] == [
        (0, 0, 1, 3.0),
        (1, 0, 1, 3.0),
    ]
    [derivation] = made["derivations"]
    assert [path["node_ids"] for path in derivation["paths"]] == [[1, 0], [1, 0]]
    assert [path["edge_ids"] for path in derivation["paths"]] == [[0], [1]]


def test_places_say_which_code_of_a_line(autodiff) -> None:
    code = "a = 2; b = 5\nL = a*b + sin(a)"
    made = run_document(autodiff, code)
    assert made["script"]["text"] == code + "\n"
    lines = code.splitlines()
    spelled = {}
    for node in made["graph"]["nodes"]:
        begin, end = node["location"], node["end_location"]
        assert begin["line"] == end["line"] == node["line"]
        spelled[node["name"]] = lines[begin["line"] - 1][begin["column"] - 1 : end["column"] - 1]
    assert spelled == {"a": "a", "b": "b", "a*b": "a*b", "sin(a)": "sin(a)", "L": "a*b + sin(a)"}


def test_large_tensors_of_a_graph_are_summarized(autodiff) -> None:
    code = "W = torch.full((30, 40), -2.0, requires_grad=True)\nW.data[0, 0] = nan\nL = (W*3).sum()"
    made = run_document(autodiff, code)
    summary = {"shape": [30, 40], "dtype": "float64", "min": -2.0, "max": -2.0, "not_finite": 1}
    [leaf, product, _] = made["graph"]["nodes"][:3]
    assert leaf["value"] == {**summary, "norm": pytest.approx(2 * 1199**0.5)}
    assert product["value"]["max"] == -6.0
    assert made["graph"]["edges"][0]["give"]["max"] == 3.0
    assert np.shape(made["gradients"][0]["grad"]) == (30, 40), "the answer has every entry"


def test_formulas_have_their_expressions(autodiff) -> None:
    made = run_document(autodiff, "a = 2; b = 5; L = exp(-a)*b")
    edge = made["graph"]["edges"][1]
    assert edge["symbol"] == "exp(-a)"
    assert edge["expression"] == {"head": "call", "value": "exp", "args": [{"head": "neg", "args": ["a"]}]}
    derivation = made["derivations"][0]
    assert derivation["steps"]["expressions"]["values"]["a"] == 2.0
    [path] = derivation["paths"]
    assert len(path["expressions"]["chain"]) == len(path["expressions"]["factors"]) == len(path["edge_ids"])


def test_deep_expressions_have_only_their_text(autodiff) -> None:
    made = run_document(autodiff, "x = 0.5; y = " + "sin(" * 300 + "x" + ")" * 300)
    assert all("expression" in edge for edge in made["graph"]["edges"])
    names = {node["name"] for node in made["graph"]["nodes"]}
    assert "x" in names


def test_the_edge_that_lost_a_gradient_has_its_id(autodiff) -> None:
    made = run_document(autodiff, "x = -2.; y = relu(x)*3; L = y + 1")
    [derivation] = made["derivations"]
    [cause] = derivation["causes"]
    [id] = cause["edge_ids"]
    edge = made["graph"]["edges"][id]
    assert (edge["from"], edge["local"], edge["give"]) == (0, 0.0, 0.0)
    assert made["graph"]["nodes"][edge["to"]]["op"] == "relu"


def test_second_derivatives_have_the_graph_of_the_gradient(autodiff) -> None:
    code = "x = 2.; y = 5.; L = x**3*y"
    made = json.loads(autodiff("explain", "-e", code, "--order", "2", "--format", "json").out)
    assert "graph" not in made
    for derivation in made["derivations"]:
        graph = derivation["graph"]
        names = {node["id"]: node["name"] for node in graph["nodes"]}
        for path in derivation["paths"]:
            assert [names[id] for id in path["node_ids"]] == path["nodes"]
            ends = [(graph["edges"][id]["to"], graph["edges"][id]["from"]) for id in path["edge_ids"]]
            assert ends == list(zip(path["node_ids"], path["node_ids"][1:], strict=False))
    first = json.loads(autodiff("explain", "-e", code, "--format", "json").out)
    assert {derivation["graph"] for derivation in first["derivations"]} == {None}


def described(heading: str) -> set[str]:
    """The keys in the first column of the first table below a text of docs/json.md."""
    table = (REPOSITORY / "docs" / "json.md").read_text().partition(heading)[2].partition("\n\n")[0]
    return {key for row in table.split("\n")[1:] for key in re.findall(r"`(\w+)`", row.split("|")[1])}


def test_the_page_about_the_document_has_its_keys(autodiff) -> None:
    code = "x = 2; y = sin(x)*(1 - x)"
    made = json.loads(autodiff("trace", "-e", code, "--format", "json").out)
    assert described("| key | what it has |") == set(made) | {"tensors"}
    assert described("| key of a node | what it has |") == set(made["graph"]["nodes"][0])
    assert described("| key of an edge | what it has |") == set(made["graph"]["edges"][0])
    [derivation] = made["derivations"]
    assert described("| key of a path | what it has |") == set(derivation["paths"][0])
    assert described("| `event` | what happened |") == {event["event"] for event in made["events"]}
    page = (REPOSITORY / "docs" / "json.md").read_text().splitlines()
    for event in made["events"]:
        [row] = [row for row in page if row.startswith(f"| `{event['event']}` |")]
        assert set(event) - {"event", "symbol", "line"} <= set(re.findall(r"`(\w+)`", row))
