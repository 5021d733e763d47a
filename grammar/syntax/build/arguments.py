"""Builders of parameters and arguments; they check the order, and that no name occurs twice."""

from __future__ import annotations

from autodiff.core.base.errors import Label
from autodiff.core.base.source import Span
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.build.rules import builder, syntax_error
from autodiff.grammar.syntax.characters import shorten
from autodiff.grammar.syntax.tree import Expression


@builder
def parameter(span: Span, name: tree.Name, default: Expression | None) -> tree.Parameter:
    return tree.Parameter(span, name.id, default)


@builder
def typed_parameter(
    span: Span, name: tree.Name, annotation: Expression | None, default: Expression | None
) -> tree.Parameter:
    return tree.Parameter(span, name.id, default)


@builder
def star_parameter(span: Span, name: tree.Name, annotation: Expression | None = None) -> tree.Parameter:
    return tree.Parameter(span, name.id, None, "*")


@builder
def bare_star(span: Span) -> tree.Parameter:
    """Return the parameter for a bare ``*``; its name is ``*``, which no script can use as a name."""
    return tree.Parameter(span, "*", None, "*")


@builder
def parameters(span: Span, *declared: tree.Parameter) -> tuple[tree.Parameter, ...]:
    seen: dict[str, tree.Parameter] = {}
    optional = star = None
    for one in declared:
        if one.name in seen:
            error = syntax_error(
                "E0102", f"two parameters are called `{shorten(one.name)}`", "again", "rename one", one.span
            )
            error.labels.append(Label(seen[one.name].span, "first here"))
            raise error
        seen[one.name] = one
        if one.star:
            if star is not None:
                raise syntax_error(
                    "E0102", "only one parameter can have a `*`", "here", "remove it", one.span
                )
            star = one
            if one.name == "*" and one is declared[-1]:
                way_out = "put a parameter after it, as in `def f(x, *, scale=1)`, or delete it"
                raise syntax_error(
                    "E0102", "named arguments must follow bare *", "nothing follows", way_out, one.span
                )
        elif one.default is not None:
            optional = one
        elif optional is not None and star is None:
            way_out = f"move `{shorten(one.name)}` before `{shorten(optional.name)}`, or give it a default"
            message = "a parameter without a default follows one that has a default"
            raise syntax_error("E0102", message, "has no default", way_out, one.span)
    return declared


@builder
def argument(span: Span, value: Expression) -> tree.Argument:
    return tree.Argument(span, None, value)


@builder
def keyword_argument(span: Span, name: tree.Name, value: Expression) -> tree.Argument:
    return tree.Argument(span, name.id, value)


@builder
def star_argument(span: Span, value: Expression) -> tree.Argument:
    return tree.Argument(span, None, value, "*")


@builder
def only_argument(span: Span, generator: Expression) -> tuple[tree.Argument, ...]:
    return (tree.Argument(span, None, generator),)


@builder
def arguments(span: Span, *members: tree.Argument) -> tuple[tree.Argument, ...]:
    keywords: dict[str, tree.Argument] = {}
    for one in members:
        if one.keyword is None:
            if keywords and not one.star:
                way_out = "move it to the front, or name it too"
                raise syntax_error(
                    "E0102", "a value without a name follows named ones", "here", way_out, one.span
                )
        elif one.keyword in keywords:
            message = f"`{shorten(one.keyword)}` is given twice"
            error = syntax_error("E0102", message, "again", "remove one of them", one.span)
            error.labels.append(Label(keywords[one.keyword].span, "first here"))
            raise error
        else:
            keywords[one.keyword] = one
    return members
