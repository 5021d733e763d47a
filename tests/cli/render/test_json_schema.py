"""The JSON Schema that is shipped: what it accepts, what it does not, and that docs/json.md has its keys.

Every JSON document that a test gets from the program is compared with it, by the fixture ``autodiff``.
"""

from __future__ import annotations

import json
import re

import pytest
from conftest import REPOSITORY
from json_documents import KINDS, SCHEMA, check_document, objects

fastjsonschema = pytest.importorskip("fastjsonschema", reason="pip install -e '.[dev]'")
TENSORS = """\
x = torch.tensor([1., 2.], requires_grad=True)
W = torch.tensor([[1., 0.], [2., 3.]], requires_grad=True)
L = ((W @ x)**2).sum() + torch.relu(x*0).sum()
"""
SQUARE = "w = 2\nL = w*w\n"
COMMANDS = {
    "report": ("trace", TENSORS),
    "numbers": ("propagate", SQUARE, "--sigma", "w=0.1", "--monte-carlo", "100"),
    "curve": ("plot", SQUARE, "--over", "w=0:1:0.5"),
    "answers": ("check", TENSORS),
    "failure": ("grad", "w = "),
}


@pytest.fixture(scope="module")
def is_valid():
    return fastjsonschema.compile(SCHEMA)


@pytest.mark.parametrize("kind", COMMANDS)
def test_a_document_of_each_kind_is_valid_and_a_changed_one_is_not(autodiff, is_valid, kind):
    command, script, *more = COMMANDS[kind]
    document = json.loads(autodiff(command, "-e", script, *more, "--format", "json").out)
    assert next(name for key, name in KINDS.items() if key in document) == kind
    is_valid(document)
    for key in SCHEMA["definitions"][kind]["required"]:
        with pytest.raises(fastjsonschema.JsonSchemaException):
            is_valid({name: value for name, value in document.items() if name != key})
        with pytest.raises(fastjsonschema.JsonSchemaException):
            is_valid({**document, key: {"of": "another kind"}})
    is_valid({**document, "new_key": 1})
    with pytest.raises(fastjsonschema.JsonSchemaException, match="new_key"):
        check_document(json.dumps({**document, "new_key": 1}))


def test_other_documents_and_lines_are_valid(autodiff, is_valid):
    for arguments in (("version",), ("ops", "exp"), ("explain", "-e", "x = 0.0\nL = relu(x)")):
        is_valid(json.loads(autodiff(*arguments, "--format", "json").out))
    lines = autodiff("grad", "-e", "weight = 2\nL = weihgt*2", "--diagnostics", "json").err.splitlines()
    assert any(json.loads(line)["fixes"] for line in lines)
    for line in lines:
        check_document(line)
        is_valid(json.loads(line))


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        ("grad --sweep w=1:2:1 --value --keep", "row"),
        ("grad", "entry_line"),
        ("jvp --vector w=1", "entry_line"),
        ("minimize", "entry_line"),
        ("hessian", "derivative_line"),
        ("propagate --sigma w=0.1", "derivative_line"),
        ("plot --over w=0:1:0.5", "point"),
    ],
)
def test_lines_of_json_are_in_the_schema(autodiff, is_valid, command, kind):
    name, *options = command.split()
    lines = autodiff(name, "-e", SQUARE, *options, "--format", "jsonl").out.splitlines()
    assert lines
    for line in lines:
        document = json.loads(line)
        is_valid(document)
        assert next((name for key, name in KINDS.items() if key in document), "point") == kind
        with pytest.raises(fastjsonschema.JsonSchemaException):
            is_valid({key: {"of": "another kind"} for key in document})


def test_help_prints_the_schema(autodiff):
    assert json.loads(autodiff("help", "json").out) == SCHEMA


def test_the_documentation_has_the_keys_of_the_schema():
    text = (REPOSITORY / "docs" / "json.md").read_text()
    definitions = SCHEMA["definitions"]
    rows = [row for row in text.splitlines() if row.startswith("| `")]
    told = {key for row in rows for key in re.findall(r"`(\w+)`", row.split(" | ")[0])}
    properties = {key for one in objects(definitions) for key in one["properties"]}
    events = {part["properties"]["event"]["const"] for part in definitions["event"]["anyOf"]}
    heads = {"neg", "call", "postfix", "list", "claim", "number"}
    assert told <= properties | events | heads
    assert events <= told
    for name in ("report", "graph", "node", "edge", "path"):
        assert {key for key in definitions[name]["properties"] if f"`{key}`" not in text} == set()
