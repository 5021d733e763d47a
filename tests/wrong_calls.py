"""Calls with arguments that do not fit, made of every function's samples by a seeded generator.

    PYTHONPATH=tests python tests/wrong_calls.py --count 16

makes as many of every function and prints where torch says something else.

A sample of ``tests/ops`` is a call that works; each wrong call is one change of it, of one of these kinds:
an unknown keyword, an argument left out, arguments too many, an argument of another type, a dimension that is
not there, an operand of another shape, an operand of another type of number. What torch makes of a wrong call
is not known here: some work, and some make no sense to it either.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import autodiff.core.ops  # noqa: F401  - declares every function
import numpy as np
from autodiff.core.functions import FUNCTIONS, METHODS, Function
from autodiff.grammar.refusal import entry_of
from ops.generators import spelled
from ops.operands import NAMES, Operand, read
from ops.table import every
from script_runner import run_script

#: What an argument is replaced by, of every type a script has.
OTHERS = (
    "'abc'",
    "None",
    "[1]",
    "[]",
    "(1, 2, 3)",
    "True",
    "2",
    "-1",
    "1.5",
    "torch.sin",
    "torch.int64",
    "ints",
    "bools",
)
#: Shapes that few functions take beside those of a sample.
SHAPES = ("()", "(0,)", "(7,)", "(5, 4)", "(2, 3, 5)", "(2, 1, 3, 2, 2)")
DTYPES = ("int64", "int32", "bool", "float32")
DIMS = ("9", "-9", "[0, 0]", "[9]")
DIM_NAMES = ("dim", "dim0", "dim1", "dims", "start_dim", "end_dim", "source", "destination")
BEFORE = "ints = torch.tensor([1, 0, 2])\nbools = torch.tensor([True, False, True])\n"


class WrongCall(NamedTuple):
    """``script`` prints what ``call`` gives; the operands are made in the lines before."""

    function: str
    kind: str
    call: str
    before: str

    @property
    def script(self) -> str:
        return f"{self.before}print({self.call})\n"


class Sample(NamedTuple):
    """A call that works, in its parts; of a method with the tensor it belongs to as ``owner``."""

    name: str
    positional: tuple[str, ...]
    named: tuple[tuple[str, str], ...]
    operands: tuple[Operand, ...]
    owner: str = ""

    @property
    def key(self) -> str:
        return f"Tensor.{self.name.partition('.')[2]}" if self.owner else self.name

    def call(self, positional: tuple[str, ...], named: tuple[tuple[str, str], ...]) -> str:
        given = [*positional, *(f"{name}={value}" for name, value in named)]
        callee = f"{self.owner}.{self.name.partition('.')[2]}" if self.owner else spelled(self.name)
        return f"{callee}({', '.join(given)})"


def literal(array: np.ndarray) -> str:
    """The array as a call of torch's."""
    dtype = f"torch.{array.dtype}"
    if array.size == 0:
        return f"torch.zeros({tuple(array.shape)}, dtype={dtype})"
    rounded = np.round(array, 3) if array.dtype.kind == "f" else array
    return f"torch.tensor({rounded.tolist()}, dtype={dtype})"


def operands_before(operands: tuple[Operand, ...]) -> str:
    lines = [f"{name} = {literal(x.array)}\n" for name, x in zip(NAMES, operands, strict=False)]
    return BEFORE + "".join(lines)


def parts_of(name: str, text: str) -> Sample | None:
    """The sample, where all of it is one call of the function with operands of a few finite numbers."""
    call = read(text)
    tree = ast.parse(call.expression, mode="eval").body
    if not isinstance(tree, ast.Call) or ast.unparse(tree.func) != spelled(name):
        return None
    if any(x.array.size > 200 or not np.all(np.isfinite(x.array)) for x in call.operands):
        return None
    if any(isinstance(part, ast.Starred) for part in tree.args):
        return None
    return Sample(
        name,
        tuple(ast.unparse(part) for part in tree.args),
        tuple((part.arg or "", ast.unparse(part.value)) for part in tree.keywords),
        call.operands,
    )


@cache
def samples_of(name: str) -> tuple[Sample, ...]:
    """The samples of a function that can be changed, those with the most arguments first."""
    found = [sample for text in every().get(name, ()) if (sample := parts_of(name, text)) is not None]
    return tuple(sorted(found, key=lambda sample: -len(sample.positional) - len(sample.named)))


def position_of(function: Function, sample: Sample, index: int) -> str:
    """The name of the parameter that the positional argument at ``index`` is."""
    parameters = function.parameters[bool(sample.owner) :]
    return parameters[min(index, len(parameters) - 1)].name if parameters else ""


def as_method(sample: Sample) -> Sample | None:
    """The call as that of its first operand's method; None where there is none."""
    bare = sample.name.partition(".")[2]
    is_method = METHODS.get(bare) is FUNCTIONS[sample.name] and sample.positional[:1] == ("a",)
    return sample._replace(owner="a", positional=sample.positional[1:]) if is_method else None


def changes(sample: Sample) -> Iterator[tuple[str, str, str]]:
    """Every wrong call of a sample: its kind, the call, and the lines before it."""
    function = FUNCTIONS[sample.name]
    positional, named = sample.positional, sample.named
    before = operands_before(sample.operands)
    yield "unknown keyword", sample.call(positional, (*named, ("nonesuch", "1"))), before
    for index in range(len(positional)):
        yield "missing argument", sample.call(positional[:index], ()), before
        if index:
            yield "missing argument", sample.call(positional[:index], named), before
    for extra in (1, 2, 9):
        yield "too many arguments", sample.call((*positional, *("1",) * extra), named), before
    for index, argument in enumerate(positional):
        is_dim = position_of(function, sample, index) in DIM_NAMES
        for other in (*OTHERS, *(DIMS if is_dim else ())):
            if other != argument:
                changed = (*positional[:index], other, *positional[index + 1 :])
                kind = "dimension" if is_dim and other in DIMS else "type"
                yield kind, sample.call(changed, named), before
    given = {position_of(function, sample, i) for i in range(len(positional))} | {n for n, _ in named}
    for index, (name, argument) in enumerate(named):
        for other in (*OTHERS, *(DIMS if name in DIM_NAMES else ())):
            if other != argument:
                changed_named = (*named[:index], (name, other), *named[index + 1 :])
                kind = "dimension" if name in DIM_NAMES and other in DIMS else "type"
                yield kind, sample.call(positional, changed_named), before
    for parameter in function.parameters[bool(sample.owner) :]:
        if parameter.name not in given and not parameter.variadic and parameter.name[0] != "_":
            is_dim = parameter.name in DIM_NAMES
            for other in (*OTHERS, *(DIMS if is_dim else ())):
                kind = "dimension" if is_dim and other in DIMS else "type"
                yield kind, sample.call(positional, (*named, (parameter.name, other))), before
    if positional:
        first = position_of(function, sample, 0)
        yield "given twice", sample.call(positional, (*named, (first, positional[0]))), before
    for name, operand in zip(NAMES, sample.operands, strict=False):
        for shape in SHAPES:
            made = f"torch.ones({shape}, dtype=torch.{operand.array.dtype})"
            yield "shape", sample.call(positional, named), f"{before}{name} = {made}\n"
        for dtype in DTYPES:
            if dtype != str(operand.array.dtype):
                made = f"{name} = {name}.to(torch.{dtype})\n"
                yield "type of number", sample.call(positional, named), before + made


def wrong_calls(name: str, samples: int = 1, seed: int = 0) -> list[WrongCall]:
    """The wrong calls of a function by some of its samples."""
    rng = random.Random(f"{seed} {name}")
    available = samples_of(name)
    others = available[1:]
    chosen = [*available[:1], *rng.sample(others, min(samples - 1, len(others)))]
    chosen += [method for sample in chosen if (method := as_method(sample)) is not None]
    found = {
        (before, call): WrongCall(sample.key, kind, call, before)
        for sample in chosen
        for kind, call, before in changes(sample)
    }
    return list(found.values())


#: The functions that wrong calls are made of; those that write in place are like the others.
NAMES_OF_FUNCTIONS = tuple(
    name for name in sorted(FUNCTIONS) if name[-1] != "_" and not name.startswith("Tensor.")
)


def few(name: str, count: int, seed: int = 0) -> list[WrongCall]:
    """So many wrong calls of a function, of each kind in turn, from another kind on for each function."""
    rng = random.Random(f"{seed} {name} {count}")
    by_kind: dict[str, list[WrongCall]] = {}
    for call in wrong_calls(name, seed=seed):
        by_kind.setdefault(call.kind, []).append(call)
    groups = list(by_kind.values())
    rng.shuffle(groups)
    turns = [groups[number % len(groups)] for number in range(count)] if groups else []
    return [group.pop(rng.randrange(len(group))) for group in turns if group]


# -- what is said ----------------------------------------------------------------------------------------

#: Words of numpy, and of Python about things that no script has.
FOREIGN = re.compile(
    r"numpy|ndarray|ufunc|operands could not|\baxis\b|core dimension|object arrays|\bdtype\(|has no attribute"
    r"|not iterable|not subscriptable|unhashable|_forward\b|_vjp|<lambda>|unsupported operand| at 0x"
    r"|cannot reshape array|tuple index out of range|list index out of range|broadcast input array"
)
OURS_OF_TYPE = re.compile(r"\w+\(\): argument '\w+'( \(position \d+\))? must be .*")
OURS_OF_NAMES = re.compile(
    r"\w+\(\) (got an unexpected keyword|got multiple values|missing \d+ required|takes .* positional).*"
)
#: What functions written in Python come to when an argument is of a type they never looked at.
OF_TYPES = re.compile(
    r"\w+\(\): argument '\w+'( \(position \d+\))? must be .*"
    r"|\w+\(\) received an invalid combination of arguments.*"
    r"|'[\w.]+' object (has no attribute|is not (iterable|subscriptable|callable)|cannot be interpreted).*"
    r"|'.+' not supported between instances of .*|unsupported operand type\(s\) .*|bad operand type .*"
    r"|object of type '.*' has no len\(\)|Boolean value of Tensor with more than one value is ambiguous"
    r"|.* is not a valid value for reduction|.*must be (a )?(real number|str|int|float|an int|Tensor).*"
    r"|only integer tensors of a single element can be converted.*"
    r"|It is expected \w+ equals to .*|can only concatenate .*|can't (multiply|convert) .*|.*not iterable"
    r"|expected Tensor as element .*"
)
#: What torch says where it had not thought of the case.
OF_THE_INSIDE = re.compile(r"ArrayRef: |internal error: |INTERNAL ASSERT FAILED|tuple index out of range")


@cache
def is_python(name: str) -> bool:
    """Whether torch has the function in Python."""
    entry = entry_of(name)
    return entry is not None and entry[1] == "python"


def is_agreed(name: str, ours: str | None, theirs: str | None) -> bool:
    """Whether the first lines, None where a call works, are the same but for what the reference says differs.

    Those differences are: the types of arguments of functions that are Python in torch, whose texts come from
    inside, or which take what they never look at; the names of the functions inside; names, numbers and types
    of arguments of functions of several forms, which torch lists; what stops torch inside without a word for
    it; what is not here.
    """
    if ours is None:
        return theirs is None
    is_of_types = OURS_OF_TYPE.fullmatch(ours) is not None
    if theirs is None:
        return (is_python(name) and is_of_types) or ours.endswith(" here")
    if in_order(ours) == in_order(theirs) or OF_THE_INSIDE.search(theirs):
        return True
    is_of_names = OURS_OF_NAMES.fullmatch(ours) is not None
    if " received an invalid combination of arguments - " in theirs:
        return is_of_names or is_of_types
    if is_python(name) and is_of_names:
        return ours.partition("() ")[2] == theirs.partition("() ")[2]
    return is_python(name) and is_of_types and OF_TYPES.fullmatch(theirs) is not None


def in_order(line: str) -> str:
    """The line with the arguments given by name in one order, which in torch's is that of a hash table."""
    head, got, rest = line.partition(" - got (")
    given, end, tail = rest.partition(")")
    parts = given.split(", ")
    named = sorted(part for part in parts if "=" in part)
    return head + got + ", ".join([*(part for part in parts if "=" not in part), *named]) + end + tail


def first_line(error: BaseException | None) -> str | None:
    if error is None:
        return None
    return (str(getattr(error, "message", error)).splitlines() or [""])[0]


def differences(calls: list[WrongCall]) -> Iterator[tuple[WrongCall, str | None, str | None]]:
    """The calls of which torch says something else, with both first lines."""
    from torch_prelude import run_with_torch

    for call in calls:
        ours = first_line(run_script(call.script).error)
        theirs = first_line(run_with_torch(call.script).error)
        if not is_agreed(call.function, ours, theirs):
            yield call, ours, theirs


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    made = [call for name in NAMES_OF_FUNCTIONS for call in few(name, asked.count, asked.seed)]
    differing = 0
    for call, ours, theirs in differences(made):
        differing += 1
        print(f"{call.call}    # {call.kind}\n    ours   {ours}\n    torch  {theirs}")
    print(f"{differing} of {len(made)} calls differ")
