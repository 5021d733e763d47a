"""Everything that can stand in brackets, and indices of functions in all shapes, as PyTorch takes them."""

from __future__ import annotations

from itertools import product

import pytest
from agreed_lines import first_line, row_of
from script_runner import run_script

pytestmark = pytest.mark.oracle

PARTS = (
    *("0", "5", "-7", ":", "1:", "...", "None", "True", "False", "[0, 5]", "[1, 1]", "[True, False]"),
    *("torch.tensor([0, 9])", "torch.tensor([[0], [1]])", "torch.tensor(4)"),
)
#: Of three parts in brackets, one case in so many.
ONE_IN = 7
SHAPES = ("()", "(0,)", "(1,)", "(3,)", "(2, 3)")


def differing(scripts: list[str], name: str = "") -> list[tuple[str, str | None, str | None]]:
    """The scripts that print something else than with torch, or say something else in their first line."""
    from torch_prelude import run_with_torch

    found = []
    for script in scripts:
        ours, theirs = run_script(script), run_with_torch(script)
        said = first_line(ours.error), first_line(theirs.error)
        if row_of(name, *said) is None or (ours.error is None and ours.stdout != theirs.stdout):
            found.append((script, *said))
    return found


@pytest.mark.parametrize("shape", ["()", "(3,)", "(2, 3)", "(2, 3, 4)"])
@pytest.mark.parametrize("use", ["print(x[{}].shape)", "x[{}] = 2.; print(x)"])
def test_what_stands_in_brackets(shape: str, use: str) -> None:
    some = [parts for count in (1, 2) for parts in product(PARTS, repeat=count)]
    some += list(product(PARTS, repeat=3))[::ONE_IN]
    indices = [", ".join(parts) for parts in some if parts.count("...") < 2]
    assert differing([f"x = torch.ones({shape}); {use.format(index)}" for index in indices]) == []


@pytest.mark.parametrize(
    "call",
    [
        "torch.gather(x, {dim}, i)",
        "torch.index_select(x, {dim}, i)",
        "torch.index_fill(x, {dim}, i, 2.)",
        "torch.index_add(x, {dim}, i, y)",
        "torch.index_copy(x, {dim}, i, y)",
        "torch.index_reduce(x, {dim}, i, y, 'amax')",
        "torch.scatter(x, {dim}, i, y)",
        "torch.scatter_add(x, {dim}, i, y)",
        "torch.scatter_reduce(x, {dim}, i, y, 'amax')",
        "torch.scatter_reduce(x, {dim}, i, y, 'sum', include_self=False)",
    ],
)
def test_indices_of_any_shape(call: str) -> None:
    name = call.partition("(")[0]
    values = SHAPES if "y" in call.partition("(")[2] else SHAPES[:1]
    scripts = [
        f"x, i, y = torch.ones({x}), torch.zeros({i}).long(), torch.ones({y}) * 3;"
        f" print({call.format(dim=dim)})"
        for x, i, y, dim in product(SHAPES, SHAPES, values, (0, -1, 1))
    ]
    assert differing(scripts, name) == []
