"""All samples by public function: every family's table under ``samples/`` put together."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from pathlib import Path

from autodiff.core.engine.public_functions import FUNCTIONS
from ops.corners import CORNERS
from ops.generators import spelled
from ops.operands import words_of

FAMILIES = sorted(path.stem for path in (Path(__file__).parent / "samples").glob("*.py"))


#: What torch does not differentiate in place, though autodiff does.
REFUSED_IN_PLACE = {f"torch.{arc}{name}_" for arc in ("a", "arc") for name in ("cosh", "sinh", "tanh")}


@cache
def samples_of(family: str) -> dict[str, list[str]]:
    """A family's samples by the name of their function, with those of the corners."""
    table: dict[str, list[str]] = import_module(f"ops.samples.{family}").SAMPLES
    return {name: [*texts, *CORNERS.get(name, ())] for name, texts in table.items()}


@cache
def family_of(name: str) -> str:
    """The family whose table has the function."""
    return next(family for family in FAMILIES if name in samples_of(family))


@cache
def every() -> dict[str, list[str]]:
    """All samples; no function has two tables."""
    found: dict[str, list[str]] = {}
    for family in FAMILIES:
        for name, texts in samples_of(family).items():
            assert name not in found, f"{name} is sampled in two families"
            found[name] = texts
    assert found.keys() >= CORNERS.keys()
    names = {id(FUNCTIONS[name]): name for name in found if name in FUNCTIONS}
    for key in FUNCTIONS:
        base = names.get(id(FUNCTIONS.get(key.removesuffix("_"))))
        if key.endswith("_") and base is not None:
            found[key] = in_place(key, base, found[base])
    return found


def in_place(key: str, base: str, texts: list[str]) -> list[str]:
    """The samples of a function as calls of the one that writes over its first operand: over a copy here.

    Only those whose first operand is an array of floats as large as the result, which is true of unary
    functions, and of others where all operands have one shape.
    """
    name = spelled(key)
    call = re.compile(re.escape(spelled(base)) + r"\(\{([^{}=]*)\}(.*)")
    samples = []
    for text in texts:
        found = call.fullmatch(text)
        if found is None:
            continue
        shapes = {spec.split(" ")[0] for spec in words_of(text) if not spec.startswith("=")}
        if "E" not in found[1].split(" ") and len(shapes) == 1:
            words = found[1] + " held" * (key in REFUSED_IN_PLACE)
            samples.append(f"{name}({{{words}}}.clone(){found[2]}")
    return samples
