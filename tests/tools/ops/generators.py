"""Samples derived from samples: by the kind of signature, and by how operands lie, are typed and passed."""

from __future__ import annotations

import ast
import re

from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from ops.operands import NAMES, with_word

#: What torch's functions are called in a script, by the namespace they are entered in.
SPELLED = {"linalg": "torch.linalg", "special": "torch.special", "F": "F", "torch": "torch"}


def spelled(key: str) -> str:
    """``linalg.det`` as a script calls it."""
    namespace, _, name = key.partition(".")
    return f"{SPELLED[namespace]}.{name}"


def spread(key: str, *bases: str, no: str = "") -> list[str]:
    """The bases, each once, and variants of some: in single precision, lying otherwise, passed otherwise.

    The variants go round the bases, so that each is tried on another one. ``no`` names those that make no
    sense: ``keyword`` where torch has positional parameters, ``method``, ``f4`` or a layout.
    """
    samples = list(dict.fromkeys(bases))
    turn = 0
    for variant in ("f4", "keyword", "method", "T", "R", "S", "E", "f4", "T", "R"):
        if variant in no.split():
            continue
        for _ in range(len(bases)):
            made = vary(key, bases[turn % len(bases)], variant)
            turn += 1
            if made is not None and made not in samples:
                samples.append(made)
                break
    return samples


def vary(key: str, text: str, variant: str) -> str | None:
    """One sample another way, or None where it has no such way."""
    if variant in ("keyword", "method"):
        return passed(key, text, by_name=variant == "keyword")
    return with_word(text, variant, {"T": 2, "S": 1, "R": 1, "E": 2}.get(variant, 0))


def passed(key: str, text: str, *, by_name: bool) -> str | None:
    """The call with its arguments by name, or of the method."""
    specs = re.findall(r"\{[^{}]*\}", text)
    marked = text
    for name, spec in zip(NAMES, specs, strict=False):
        marked = marked.replace(spec, f"_{name}_", 1)
    if key.startswith("Tensor."):
        return None
    call = ast.parse(marked, mode="eval").body
    function = FUNCTIONS[key]
    if not isinstance(call, ast.Call) or ast.unparse(call.func) != spelled(key) or not call.args:
        return None
    if by_name:
        parameters = function.parameters[: len(call.args)]
        if any(p.variadic for p in function.parameters):
            return None
        words = [ast.keyword(p.name, a) for p, a in zip(parameters, call.args, strict=True)]
        call = ast.Call(call.func, [], words + call.keywords)
    else:
        if function.name not in METHODS or METHODS[function.name] is not function:
            return None
        if not ast.unparse(call.args[0]).startswith("_") or isinstance(call.args[0], ast.List):
            return None
        call = ast.Call(ast.Attribute(call.args[0], function.name), call.args[1:], call.keywords)
    made = ast.unparse(call)
    for name, spec in zip(NAMES, specs, strict=False):
        made = made.replace(f"_{name}_", spec, 1)
    return made


def interval(words: str) -> str:
    return f" {words}" if words else ""


def unary(key: str, words: str = "", *more: str, whole: bool = True, no: str = "") -> list[str]:
    """A function of one operand: every number of dimensions, none of entries, whole numbers."""
    name, w = spelled(key), interval(words)
    shapes = ("2,3", "()", "1", "0", "3", "2,0,3", "2,1,3,2")
    bases = [f"{name}({{{shape}{w}}})" for shape in shapes]
    if whole:
        bases.append(f"{name}({{=[1, 2, 3]}})")
    return spread(key, *bases, *more, no=no)


def binary(
    key: str,
    words: str = "",
    others: str = "",
    *more: str,
    numbers: bool = True,
    whole: bool = True,
    no: str = "",
) -> list[str]:
    """A function of two operands: alike, broadcast either way, empty, with a number, with whole numbers."""
    name, w, v = spelled(key), interval(words), interval(others or words)
    pairs = [
        ("2,3", "2,3"),
        ("2,3", "3"),
        ("()", "()"),
        ("2,1", "1,3"),
        ("2,3", "()"),
        ("()", "3"),
        ("0", "0"),
        ("0", "1"),
    ]
    pairs += [("3", "2,1,3"), ("1", "4"), ("4", "4"), ("3,1", "3,1"), ("2,2", "2,2")]
    bases = [f"{name}({{{a}{w}}}, {{{b}{v}}})" for a, b in pairs]
    if numbers:
        bases += [f"{name}({{2,3{w}}}, 0.75)", f"{name}({{2,3{w}}}, 2)", f"{name}({{()}}, 2)"]
    if whole:
        bases += [f"{name}({{=[1, 2, 3]}}, {{3{v}}})", f"{name}({{=[1, 2, 3]}}, {{=[3, 2, 2]}})"]
    return spread(key, *bases, *more, no=no)


def reduction(
    key: str, words: str = "", *more: str, several: bool = True, keeps: bool = True, no: str = ""
) -> list[str]:
    """A function along dimensions: all, one, from behind, several, kept, of one number, of one entry."""
    name, w = spelled(key), interval(words)
    bases = [f"{name}({{2,3{w}}}, 0)", f"{name}({{2,3{w}}}, -1)", f"{name}({{2,3,4{w}}}, dim=1)"]
    bases += [
        f"{name}({{2,3,4{w}}}, dim=-2)",
        f"{name}({{5{w}}}, 0)",
        f"{name}({{(){w}}}, 0)",
        f"{name}({{1,3{w}}}, 0)",
    ]
    bases += [f"{name}({{2,0,3{w}}}, 2)"]
    if several:
        bases.append(f"{name}({{2,3,4{w}}}, (0, 2))")
        bases.append(f"{name}({{2,3,4{w}}}, dim=(-1, 0){', keepdim=True' if keeps else ''})")
    return spread(key, *bases, *more, no=no)


def scan(key: str, words: str = "", *more: str, no: str = "") -> list[str]:
    """A function that goes along one dimension and keeps it."""
    name, w = spelled(key), interval(words)
    shapes = [
        ("5", 0),
        ("2,3", 0),
        ("2,3", -1),
        ("2,3,4", 1),
        ("2,3,4", -3),
        ("()", 0),
        ("1,3", 0),
        ("0,3", 0),
        ("3,0", 1),
    ]
    return spread(key, *[f"{name}({{{shape}{w}}}, {dim})" for shape, dim in shapes], *more, no=no)


def predicate(key: str, *more: str, no: str = "") -> list[str]:
    """A function that says something of each entry."""
    odd = "{=[1.5, -0.0, 0.0, nan, inf, -inf, -2.0]}"
    return unary(key, "", f"{spelled(key)}({odd})", f"{spelled(key)}({{=[True, False]}})", *more, no=no)
