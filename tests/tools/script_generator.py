"""Random `.ad` scripts that run: `generate(seed)` writes one, the same one for the same seed.

Their statements stand in `script_operations` and `script_statements`; what those write into, and what
keeps the scripts valid and clear of kinks, is the `Builder`. Needs no torch, but for `valid_scripts`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator

from script_builder import SCALARS, SHAPES, Builder
from script_operations import (
    augmented,
    binary,
    gather,
    index,
    loss,
    product,
    reduction,
    scan,
    shape,
    square_matrix,
    unary,
)
from script_statements import (
    branch,
    comprehension,
    for_loop,
    function,
    grad_call,
    show,
    swap,
    training,
    untracked,
    vector_backward,
    while_loop,
)

FEATURES: dict[str, tuple[Callable[[Builder], None], ...]] = {
    "elementwise": (unary, unary, unary, binary, binary, binary, augmented),
    "reduction": (reduction, reduction, scan),
    "indexing": (index, index, gather),
    "shape": (shape, shape),
    "linalg": (product, product, square_matrix),
    "nn": (loss, scan),
    "control": (for_loop, while_loop, branch),
    "functions": (function, comprehension, swap),
    "print": (show, show, show),
    "grad": (untracked, vector_backward, grad_call, training),
}


def finish(b: Builder) -> None:
    """A scalar L that every tensor reaches, its backward, and what came of it."""
    ends = list(dict.fromkeys([*b.leaves, *b.values]))
    terms = [b.fill(b.random.choice(SCALARS), x=v.name, w=b.weights(v.shape)) for v in ends]
    kept = b.random.choice(b.values)
    if kept not in b.leaves:
        b.line(f"if {kept.name}.requires_grad: {kept.name}.retain_grad()")
    b.line("L = 0")
    for term in terms:
        b.line(f"L = L {b.choose('+', '-')} {term}")
    b.line(b.choose("print(L)", 'print(f"L = {L.item():.6f}", L.shape)'))
    b.line("print(L.grad_fn, L.is_leaf)")
    if b.maybe(0.25):
        b.line("L.backward(retain_graph=True)")
        b.line(f"print({b.leaves[0].name}.grad)")
    b.line(b.choose("L.backward()", "L.backward()", "L.backward(gradient=torch.tensor(0.5))"))
    b.line(f"print({kept.name}.grad_fn, {kept.name}.grad if {kept.name}.requires_grad else None)")
    for leaf in b.leaves:
        b.line(f'print("{leaf.name}", {leaf.name}.grad)')
    if b.maybe(0.3):
        with b.block("with torch.no_grad():"):
            b.line(f"{b.leaves[0].name} -= 0.05 * {b.leaves[0].name}.grad")
        b.line(f"print({b.leaves[0].name})")


def generate(seed: int, features: Collection[str] = tuple(FEATURES)) -> str:
    """The script of that seed, made of the statements of those features.

    >>> generate(7) == generate(7)
    True
    """
    b = Builder(seed)
    b.line(f"# Generated script {seed}.")
    for leaf_shape in b.random.sample(SHAPES, b.random.randint(2, 4)):
        b.leaf(leaf_shape)
    statements = [statement for feature in features for statement in FEATURES[feature]]
    for _ in range(b.random.randint(12, 22)):
        b.random.choice(statements)(b)
    finish(b)
    return "\n".join(b.lines) + "\n"


def valid_scripts(
    n: int, start: int = 0, features: Collection[str] = tuple(FEATURES)
) -> Iterator[tuple[int, str]]:
    """The first n seeds from start on, each with its script, whose run in torch is fit to compare with.

    Left out are runs that fail, and runs that print a number too small to be anything but rounding.
    """
    from torch_prelude import run_with_torch

    seed = start
    while n > 0:
        script = generate(seed, features)
        result = run_with_torch(script)
        if result.error is None and not re.search(r"e-(0[89]|[1-9]\d)\b|\b(nan|inf)\b", result.stdout):
            yield seed, script
            n -= 1
        seed += 1
