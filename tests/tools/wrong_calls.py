"""Calls with arguments that do not fit, made of every function's samples by a seeded generator.

    PYTHONPATH=tests python tests/tools/wrong_calls.py --count 16

makes as many of every function and prints where torch says something else.

A sample of ``tests/core/ops`` is a call that works; each wrong call is one change of it, of one of these
kinds: an unknown keyword, an argument left out, arguments too many, an argument of another type, a dimension
that is not there, an operand of another shape, an operand of another type of number. What torch makes of a
wrong call is not known here: some work, and some make no sense to it either.
"""

from __future__ import annotations

import argparse
import ast
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache
from keyword import iskeyword
from typing import NamedTuple

import autodiff.core.ops  # noqa: F401  - declares every function
import numpy as np
from agreed_lines import first_line, row_of
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS, Parameter
from ops.generators import spelled
from ops.operands import NAMES, Operand, read
from ops.table import every
from script_runner import CHOOSES_DOUBLE, run_script
from wrong_call_samples import MORE

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
SHAPES = ("()", "(0,)", "(2, 0, 3)", "(7,)", "(5, 4)", "(2, 3, 5)", "(2, 1, 3, 2, 2)")
#: Functions whose torch reads beyond an operand without entries, and ends the process.
DIE_OF_NOTHING = ("F.embedding_bag",)
DTYPES = ("int64", "int32", "bool", "float32")
DIMS = ("9", "-9", "[0, 0]", "(0, -1)", "[9]")
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
        return f"{CHOOSES_DOUBLE}{self.before}print({self.call})\n"


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
    with np.errstate(over="ignore"):  # np.round multiplies first, also the largest floats
        rounded = np.round(array, 3) if array.dtype.kind == "f" else array
    return f"torch.tensor({rounded.tolist()}, dtype={dtype})"


def operands_before(operands: tuple[Operand, ...]) -> str:
    lines = [f"{name} = {literal(x.array)}\n" for name, x in zip(NAMES, operands, strict=False)]
    return BEFORE + "".join(lines)


def parts_of(name: str, text: str) -> Sample | None:
    """The sample, where all of it is one call of the function with operands of a few finite numbers."""
    call = read(text)
    tree = ast.parse(call.expression, mode="eval").body
    function = "" if name.startswith("Tensor.") else spelled(name)
    method = f"a.{name.partition('.')[2]}"
    if not isinstance(tree, ast.Call) or ast.unparse(tree.func) not in (function, method):
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
        "a" if ast.unparse(tree.func) == method else "",
    )


@cache
def samples_of(name: str) -> tuple[Sample, ...]:
    """The samples of a function that can be changed, those with the most arguments first.

    A function without any has those of the same function under another name.
    """
    texts = (*every().get(name, ()), *MORE.get(name, ()))
    found = [sample for text in texts if (sample := parts_of(name, text)) is not None]
    if not found:
        same = [key for key, function in FUNCTIONS.items() if function is FUNCTIONS.get(name) and key != name]
        found = [
            sample._replace(name=name)
            for key in same
            for text in (*every().get(key, ()), *MORE.get(key, ()))
            if (sample := parts_of(key, text)) is not None
        ]
    return tuple(sorted(found, key=lambda sample: -len(sample.positional) - len(sample.named)))


def position_of(sample: Sample, index: int) -> str:
    """The name of the parameter that the positional argument at ``index`` is."""
    parameters = parameters_of(sample)
    return parameters[min(index, len(parameters) - 1)].name if parameters else ""


def spellings(sample: Sample) -> Iterator[Sample]:
    """The call itself, by the method of its first operand, in place, and each with all arguments by name."""
    forms = [sample]
    if not sample.owner:
        function, bare = FUNCTIONS[sample.name], sample.name.partition(".")[2]
        if METHODS.get(bare) is function and sample.positional[:1] == ("a",):
            method = sample._replace(owner="a", positional=sample.positional[1:])
            forms.append(method)
            if function.in_place:
                forms.append(method._replace(name=f"{sample.name}_"))
    for form in forms:
        yield form
        names = [position_of(form, index) for index in range(len(form.positional))]
        has_names = names and "" not in names and not any(map(iskeyword, names))
        if has_names and not any(p.variadic for p in parameters_of(form)):
            named = (*zip(names, form.positional, strict=True), *form.named)
            yield form._replace(positional=(), named=named)


def parameters_of(sample: Sample) -> tuple[Parameter, ...]:
    """The parameters that a call of the sample's gives, none where core does not know the method."""
    function = FUNCTIONS.get(sample.name) or FUNCTIONS.get(sample.name.removesuffix("_"))
    return function.parameters[bool(sample.owner) :] if function is not None else ()


def changes(sample: Sample) -> Iterator[tuple[str, str, str]]:
    """Every wrong call of a sample: its kind, the call, and the lines before it."""
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
        is_dim = position_of(sample, index) in DIM_NAMES
        for other in (*OTHERS, *(DIMS if is_dim else ())):
            if other != argument:
                changed = (*positional[:index], other, *positional[index + 1 :])
                kind = "dimension" if is_dim and other in DIMS else "type"
                yield kind, sample.call(changed, named), before
    given = {position_of(sample, i) for i in range(len(positional))} | {n for n, _ in named}
    for index, (name, argument) in enumerate(named):
        for other in (*OTHERS, *(DIMS if name in DIM_NAMES else ())):
            if other != argument:
                changed_named = (*named[:index], (name, other), *named[index + 1 :])
                kind = "dimension" if name in DIM_NAMES and other in DIMS else "type"
                yield kind, sample.call(positional, changed_named), before
    for parameter in parameters_of(sample):
        is_writable = parameter.name[0] != "_" and not iskeyword(parameter.name)
        if parameter.name not in given and not parameter.variadic and is_writable:
            is_dim = parameter.name in DIM_NAMES
            for other in (*OTHERS, *(DIMS if is_dim else ())):
                kind = "dimension" if is_dim and other in DIMS else "type"
                yield kind, sample.call(positional, (*named, (parameter.name, other))), before
    first = position_of(sample, 0) if positional else ""
    if first and not iskeyword(first):
        yield "given twice", sample.call(positional, (*named, (first, positional[0]))), before
    for name, operand in zip(NAMES, sample.operands, strict=False):
        for shape in SHAPES:
            if sample.name in DIE_OF_NOTHING and "0" in shape:
                continue
            made = f"torch.ones({shape}, dtype=torch.{operand.array.dtype})"
            yield "shape", sample.call(positional, named), f"{before}{name} = {made}\n"
        for dtype in DTYPES:
            if dtype != str(operand.array.dtype):
                made = f"{name} = {name}.to(torch.{dtype})\n"
                yield "type of number", sample.call(positional, named), before + made
    for dtype in DTYPES:
        names = NAMES[: len(sample.operands)]
        made = "".join(f"{name} = {name}.to(torch.{dtype})\n" for name in names)
        if len(names) > 1:
            yield "type of all numbers", sample.call(positional, named), before + made


def wrong_calls(sample: Sample) -> list[WrongCall]:
    """All wrong calls that a sample makes."""
    found = {
        (before, call): WrongCall(spelling.key, kind, call, before)
        for spelling in spellings(sample)
        for kind, call, before in changes(spelling)
    }
    return list(found.values())


#: The functions that wrong calls are made of, and the methods that are none. Of ``Tensor``, all that is not a
#: size is data; ``Variable`` has another module in torch.
NAMES_OF_FUNCTIONS = tuple(sorted({*FUNCTIONS, *MORE} - {"torch.Tensor", "torch.Variable"}))


def few(name: str, count: int, seed: int = 0) -> list[WrongCall]:
    """So many wrong calls of a function, of each kind in turn, from another kind on for each function.

    As many seeds one after the other as the function has samples make them of all its samples.
    """
    rng = random.Random(f"{seed} {name} {count}")
    by_kind: dict[str, list[WrongCall]] = {}
    samples = samples_of(name)
    for call in wrong_calls(samples[seed % len(samples)]) if samples else ():
        by_kind.setdefault(call.kind, []).append(call)
    groups = list(by_kind.values())
    rng.shuffle(groups)
    turns = [groups[number % len(groups)] for number in range(count)] if groups else []
    return [group.pop(rng.randrange(len(group))) for group in turns if group]


def differences(
    calls: list[WrongCall], rows: Counter[str] | None = None
) -> Iterator[tuple[WrongCall, str | None, str | None]]:
    """The calls of which torch says something else, with both first lines; ``rows`` counts the others by the
    row that holds them to be the same."""
    from torch_prelude import run_with_torch

    for call in calls:
        ours = first_line(run_script(call.script).error)
        theirs = first_line(run_with_torch(call.script).error)
        row = row_of(call.function, ours, theirs)
        if row is None:
            yield call, ours, theirs
        elif rows is not None:
            rows[row] += 1


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    made = [call for name in NAMES_OF_FUNCTIONS for call in few(name, asked.count, asked.seed)]
    differing = 0
    counted: Counter[str] = Counter()
    for call, ours, theirs in differences(made, counted):
        differing += 1
        print(f"{call.call}    # {call.kind}\n    ours   {ours}\n    torch  {theirs}")
    for row, number in counted.most_common():
        print(f"{number} {row}")
    print(f"{differing} of {len(made)} calls differ")
