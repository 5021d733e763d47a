"""Writes ``grammar/objects/torch_signatures.txt``: how torch reads the arguments of functions and methods.

Run ``python tests/tools/make_torch_signatures.py`` with torch installed;
``tests/grammar/objects/test_wrong_calls.py`` fails when the file is not what it writes. Functions that torch
has in Python have a Python signature. Of the others torch's own reader of arguments says what it takes when
it is given forty: all forms where there are several, else how many arguments, and then the operator's schema
has the rest.
"""

from __future__ import annotations

import inspect
import re
import types
from pathlib import Path
from typing import Any

import autodiff.core.ops  # noqa: F401  - declares every function
import torch
from agreed_lines import first_line
from autodiff.core.engine.public_functions import FUNCTIONS, METHODS
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.objects import torch_argument_errors
from autodiff.grammar.objects.attributes import METHODS as METHODS_OF_SCRIPTS
from ops.generators import spelled
from torch_prelude import run_with_torch
from wrong_calls import DIE_OF_NOTHING, operands_before, parameters_of, samples_of

TARGET = Path(torch_argument_errors.__file__).with_name("torch_signatures.txt")
OWNERS = {
    "torch": torch,
    "F": torch.nn.functional,
    "linalg": torch.linalg,
    "special": torch.special,
    "Tensor": torch.Tensor,
}
#: What the reader of arguments calls the types of a schema.
WORDS = {
    "Tensor": "Tensor",
    "Scalar": "Number",
    "number": "Number",
    "int": "int",
    "SymInt": "int",
    "float": "float",
    "bool": "bool",
    "str": "str",
    "Generator": "torch.Generator",
    "Layout": "torch.layout",
    "Device": "torch.device",
    "MemoryFormat": "torch.memory_format",
    "int[]": "tuple of ints",
    "SymInt[]": "tuple of ints",
    "float[]": "tuple of floats",
    "Tensor[]": "tuple of Tensors",
    "Optional[Tensor][]": "tuple of Tensors",
}

#: Readers of torch's own that have no schema.
BY_HAND = {
    "torch.tensor": "(object data, *, torch.dtype dtype = None, torch.device device = None,"
    " bool pin_memory = False, bool requires_grad = False)",
    "torch.as_tensor": "(object data, *, torch.dtype dtype = None, torch.device device = None)",
    "Tensor.new_tensor": "(object data, *, torch.dtype? dtype = None, torch.device? device = None,"
    " bool requires_grad = False)",
    "Tensor.size": "(int? dim = None)",
    "Tensor.numpy": "(*, bool force = False)",
    **{
        f"Tensor.{name}": "(*, torch.memory_format? memory_format = None)"
        for name in ("bool", "double", "float", "int", "long")
    },
}
#: The classes of tensors read data before sizes, of which a list may be either, and then take it for data.
OLD_CONSTRUCTORS = [f"torch.{kind}Tensor" for kind in ("", "Bool", "Byte", "Double", "Float", "Int", "Long")]
OLD_CONSTRUCTOR = (
    "(*, torch.device? device = None) | (Tensor other) | (object data, *, torch.device? device = None)"
    " | (tuple of ints size, *, torch.device? device = None)"
)


def table() -> str:
    """The file: one line to a name, its forms one behind the other."""
    methods = {*METHODS, *(f"{name}_" for name, function in METHODS.items() if function.in_place)}
    methods |= {name for kind, name in METHODS_OF_SCRIPTS if kind is Tensor}
    keys = [*sorted(FUNCTIONS), *(f"Tensor.{name}" for name in sorted(methods))]
    lines = [line for key in dict.fromkeys(keys) if (line := entry(key)) is not None]
    return "".join(f"{line}\n" for line in lines)


def entry(key: str) -> str | None:
    """A function's line; None where torch has no such function or its reader is one of its own."""
    namespace, _, name = key.partition(".")
    function = getattr(OWNERS[namespace], name, None)
    if key in OLD_CONSTRUCTORS:
        return f"{key} new forms {OLD_CONSTRUCTOR}"
    if function is None or isinstance(function, type):
        return None
    if isinstance(function, types.FunctionType):
        flags, behind = dispatch(function)
        called = flags + ",".join(choice.__qualname__ for choice in behind)
        return " | ".join([f"{key} {called} python {python_form(behind[0])}", *read_inside(key)])
    said = refusal_of_forty(function, name, namespace == "Tensor")
    called = said.partition("()")[0]
    if said.endswith("takes no arguments (40 given)"):
        return f"{key} {called} none ()"
    if "invalid combination" in said:
        forms = re.findall(r"(?:^ \* |but expected )(\(.*\))$", said, flags=re.MULTILINE)
        return f"{key} {called} forms {' | '.join(with_sizes(form, schemas(called)) for form in forms)}"
    form = BY_HAND.get(key) or single_form(said, called, namespace == "Tensor")
    return form and f"{key} {called} form {form}"


def dispatch(function: types.FunctionType) -> tuple[str, list[types.FunctionType]]:
    """The functions behind one that gives indices or counts when asked, and the flags that choose.

    They are in the order of the numbers that the flags make as digits.
    """
    behind = inspect.getclosurevars(function).nonlocals
    if "if_false" not in behind:
        return "", [function]
    flags, off = dispatch(behind["if_false"])
    _, on = dispatch(behind["if_true"])
    own = f"{behind['arg_name']}={behind['arg_index']}"
    return f"{own},{flags}" if flags else f"{own}:", off + on


def read_inside(key: str) -> list[str]:
    """The parameters that a function in Python hands on unread to one in C++, and what that makes of them:
    its name, what it calls the argument, its position or 0, its type."""
    found: dict[str, set[str]] = {}
    for sample in samples_of(key) if key not in DIE_OF_NOTHING else ():
        script = operands_before(sample.operands)
        names = [parameter.name for parameter in parameters_of(sample)]
        given = dict(zip(names, sample.positional, strict=False)) | dict(sample.named)
        for name in names if not sample.owner else ():
            wrong = ", ".join(f"{n}={v}" for n, v in (given | {name: "Wrong()"}).items())
            said = first_line(run_with_torch(f"class Wrong: pass\n{script}{spelled(key)}({wrong})\n").error)
            match = re.fullmatch(
                r"(\w+)\(\): argument '(\w+)'(?: \(position (\d+)\))? must be (.+), not Wrong", said or ""
            )
            if match:
                called, argument, position, kind = match.groups(default="0")
                found.setdefault(name, set()).add(f"{name} {called} {argument} {position} {kind}")
    return [text for texts in found.values() if len(texts) == 1 for text in texts]


def python_form(function: types.FunctionType) -> str:
    """The signature without annotations, in which defaults other than a few plain ones do not matter."""
    signature = inspect.signature(function)
    parameters = [
        parameter.replace(
            annotation=inspect.Parameter.empty,
            default=None if parameter.default is not inspect.Parameter.empty else parameter.default,
        )
        for parameter in signature.parameters.values()
    ]
    return str(signature.replace(parameters=parameters, return_annotation=inspect.Signature.empty))


def refusal_of_forty(function: Any, name: str, is_method: bool) -> str:
    arguments = [object()] * 40
    try:
        if is_method:
            getattr(torch.Tensor, name)(torch.ones(2), *arguments)
        else:
            function(*arguments)
    except TypeError as error:
        return str(error)
    raise AssertionError(f"{name} takes anything")


def schemas(called: str) -> list[Any]:
    return [
        schema
        for schema in torch._C._jit_get_schemas_for_operator(f"aten::{called}")
        if "Dimname" not in str(schema)
    ]


def single_form(said: str, called: str, is_method: bool) -> str | None:
    """The one form of a function: that of its schemas which takes as many arguments as torch says."""
    counts = re.search(r"takes (?:from (\d+) to )?(\d+) positional", said)
    assert counts is not None, said
    most = int(counts[2])
    found = schemas(called)
    has_out = any(argument.is_out for schema in found for argument in schema.arguments)
    fitting = []
    for schema in found:
        arguments = [a for a in schema.arguments if not a.is_out]
        if is_method:
            arguments = [a for a in arguments if a.name != "self"]
        positional = [a for a in arguments if not a.kwarg_only]
        least = sum(not a.has_default_value() for a in arguments)
        fits = len(positional) == most and (counts[1] is None or least == int(counts[1]))
        if fits and not any(a.is_out for a in schema.arguments):
            fitting.append(arguments)
    if not fitting:
        return None
    return written(called, fitting[0], has_out and not is_method)


def written(called: str, arguments: list[Any], has_out: bool) -> str:
    parts: list[str] = []
    for argument in arguments:
        if argument.kwarg_only and "*" not in parts:
            parts.append("*")
        value = str(argument.default_value).replace(", ", ",")
        default = f" = {value}" if argument.has_default_value() else ""
        name = "input" if argument.name == "self" else argument.name
        parts.append(f"{word_of(argument)} {name}{default}")
    if called == "nonzero":  # whose reader knows one more, for the function in Python behind it
        parts += ["*", "bool as_tuple = False"]
    if any(argument.name == "pin_memory" for argument in arguments):
        parts.append("bool? requires_grad = False")
    if has_out:
        parts += ["*"] * ("*" not in parts) + ["Tensor out = None"]
    return f"({', '.join(parts)})"


def word_of(argument: Any) -> str:
    """The type's name; with marks where a single number does for a list of them, and where None does."""
    if argument.name == "dtype":
        return "torch.dtype?"
    kind = re.sub(r"\([a-z]!?\)", "", str(argument.type))
    if kind.startswith("Optional["):
        kind = kind.removeprefix("Optional[").removesuffix("]")
    kind = re.sub(r"List\[(.*)\]", r"\1[]", kind)
    word = WORDS[kind]
    takes_one = argument.N is not None and word.endswith("s") and word != "tuple of Tensors"
    return word + "#" * takes_one + "?" * takes_none(argument)


def takes_none(argument: Any) -> bool:
    """Whether None does: for what is optional, and for sizes that are empty by default."""
    return str(argument.type).startswith("Optional[") or argument.default_value == []


def named(schema: Any) -> dict[str, bool]:
    """The names of what a schema takes, and whether each has a default."""
    arguments = [a for a in schema.arguments if not a.is_out]
    return {"input" if a.name == "self" else a.name: a.has_default_value() for a in arguments}


def with_sizes(form: str, found: list[Any]) -> str:
    """A form as torch lists it, with the marks of ``word_of``: those of schemas like it."""
    names = re.findall(r"(\w+)( =[^,)]*)?(?=[,)])", form.replace("Tensor out = None)", ")"))
    found = [schema for schema in found if named(schema) == {n: bool(d) for n, d in names}] or found
    sized = {a.name for schema in found for a in schema.arguments if a.N is not None}
    optional = {a.name for schema in found for a in schema.arguments if takes_none(a)}
    optional |= {"requires_grad", "pin_memory"}
    form = re.sub(
        r"(tuple of (?:ints|floats)) (\w+)",
        lambda m: f"{m[1]}# {m[2]}" if m[2] in sized else m[0],
        form,
    )
    return re.sub(r"(\w#?) (\w+)(?=,|\)| =)", lambda m: f"{m[1]}? {m[2]}" if m[2] in optional else m[0], form)


if __name__ == "__main__":
    TARGET.write_text(table())
