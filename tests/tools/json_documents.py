"""Compares what the program writes as JSON with the schema that it ships, where fastjsonschema is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from typing import Any

from autodiff.cli.render.json import schema_text

CAN_CHECK = find_spec("fastjsonschema") is not None
SCHEMA: dict[str, Any] = json.loads(schema_text())
#: By a key that only documents of this kind have, the most special first.
KINDS = {
    "gradients": "report",
    "inputs": "numbers",
    "points": "curve",
    "checks": "answers",
    "functions": "functions",
    "python": "versions",
    "code": "diagnostic",
    "diagnostics": "failure",
    "row": "row",
    "derivative": "derivative_line",
    "index": "entry_line",
}


def check_document(text: str) -> None:
    """Fail if a document has a key of a wrong kind, lacks one, or has one that the schema does not tell."""
    document = json.loads(text)
    kind = next((kind for key, kind in KINDS.items() if key in document), "point")
    validator(kind)(document)


def documents(text: str) -> Iterator[str]:
    """The documents in an output: some commands write one for each script."""
    decoder = json.JSONDecoder()
    at = 0
    while at < len(text):
        _, end = decoder.raw_decode(text, at)
        yield text[at:end]
        at = end + 1  # the line end


@cache
def validator(kind: str) -> Any:
    """A function that takes documents of this kind, with the keys of the schema and no others."""
    import fastjsonschema

    definitions = json.loads(json.dumps(SCHEMA["definitions"]))
    for part in objects(definitions):
        part.setdefault("additionalProperties", False)
    return fastjsonschema.compile({**definitions[kind], "definitions": definitions})


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """The parts of a schema that describe objects with given keys."""
    if isinstance(value, dict):
        if isinstance(value.get("properties"), dict) and "required" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for part in value:
            yield from objects(part)
