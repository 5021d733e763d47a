"""The repair of a loss whose prediction and target differ in shape but have equally many entries."""

from __future__ import annotations

import re
from math import prod

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.help.failure_scene import atom
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_expression

SIZES = re.compile(r"torch\.Size\(\[([\d, ]*)\]\)")


def paired(warning: str, source: Source, span: Span) -> str | None:
    """Return ``y.view_as(x)`` for the call ``F.mse_loss(x, y)``; None if the numbers of entries differ."""
    sizes = [prod(map(int, found.split(", "))) if found else 1 for found in SIZES.findall(warning)]
    call = Source(source.excerpt(span))
    try:
        node = parse_expression(call)
    except CompileError:
        return None
    if len(set(sizes)) != 1 or not isinstance(node, tree.Call):
        return None
    given = {argument.keyword or at: argument for at, argument in enumerate(node.arguments)}
    if any(argument.star for argument in node.arguments):
        return None
    first, second = given.get("input", given.get(0)), given.get("target", given.get(1))
    if first is None or second is None:
        return None
    words = [call.excerpt(argument.value.span) for argument in (second, first)]
    return f"{atom(words[0])}.view_as({words[1]})"
