"""When the first lines of two errors are held to be the same: where they are, and in rows of the reference.

``docs/language.md`` has one row for each exception below; nothing else is excused.
"""

from __future__ import annotations

import re
from functools import cache

from autodiff.grammar.objects.torch_argument_errors import signature_entry

#: Words of numpy, of scipy, and of Python about things that no script has. Numpy's
#: indexing arrays cannot be broadcast; indexing tensors are torch's.
FOREIGN = re.compile(
    r"numpy(?!\(\)|` takes)|scipy|ndarray|ufunc|\baxis\b|\baxes\b|core dimension|object arrays|\bdtype\("
    r"|has no attribute|not subscriptable|unhashable"
    r"|_forward\b|_vjp|<lambda>|unsupported operand| at 0x|Traceback"
    r"|operands could not|(?<!indexing tensors )could not be broadcast|broadcast input array"
    r"|shape mismatch: objects|not aligned"
    r"|cannot reshape array|(tuple|list) index out of range|zero-size array|Mean of empty slice"
    r"|window shape cannot|(all the )?input arrays?\b|setting an array|inhomogeneous|truth value of an array"
    r"|Cannot cast|casting rule|array is too big|Last 2 dimensions|did not converge|Singular matrix"
    r"|0-dimensional arrays|ArrayMemoryError|Unable to allocate|invalid value encountered|divide by zero"
)

OF_TYPE = re.compile(
    r"(\w+)\(\): argument '(\w+)'( \(position \d+\))? must be .+,"
    r" (not [\w.]+|but found element of type [\w.]+ at pos \d+)"
)
#: What torch says where it had not thought of the case.
STUMBLED = re.compile(
    r"INTERNAL ASSERT FAILED|internal error: |^ArrayRef: |^tuple index out of range$"
    r"|undefined Tensor in C\+\+|^cannot create std::vector |^setStorage: "
    r"|^numel: integer multiplication overflow$|^unflatten got an unexpected error:$"
    r"|^could not create a primitive descriptor "
)
#: What torch prints a tensor behind, as C++ does; here its shape stands there.
BEFORE_A_TENSOR = "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
#: A function of torch's with its address, as Python prints it.
A_FUNCTION = re.compile(r"<built-in method (\w+) of type object at 0x[0-9a-f]+>")
#: What torch's kernel for attention of four dimensions refuses, and what it alone does not.
FAST_ATTENTION = "scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0"
MASKED_TWICE = "Explicit attn_mask should not be set when is_causal=True"
#: What the language does not have, which it says of itself.
ABSENT = re.compile(r".+ here")


@cache
def is_python(name: str) -> bool:
    """Whether torch has the function in Python."""
    entry = signature_entry(name)
    return entry is not None and entry[1] == "python"


def row_of(name: str, ours: str | None, theirs: str | None) -> str | None:
    """Why the first lines, None where a call works, are held to be the same; None where they are not."""
    if ours == theirs:
        return "same"
    if name == "F.scaled_dot_product_attention" and theirs == FAST_ATTENTION:
        return "attention of four dimensions"
    if ours is None:
        return None
    if theirs is None:
        if is_python(name) and OF_TYPE.fullmatch(ours):
            return "types of functions in Python"
        if name == "F.scaled_dot_product_attention" and ours.endswith(MASKED_TWICE):
            return "attention of four dimensions"
        return "not in the language" if ABSENT.fullmatch(ours) else None
    if STUMBLED.search(theirs):
        return "torch stumbles"
    if ours.startswith(BEFORE_A_TENSOR) and theirs.startswith(BEFORE_A_TENSOR):
        return "tensors in messages"
    if ours == A_FUNCTION.sub(r"<function \1>", theirs):
        return "functions in messages"
    if in_order(ours) == in_order(theirs):
        return "order of named arguments"
    if is_python(name) and (said := OF_TYPE.fullmatch(ours)):
        is_read = OF_TYPE.fullmatch(theirs) and is_read_inside(name, said[2])
        return None if is_read else "types of functions in Python"
    return None


def is_read_inside(name: str, argument: str) -> bool:
    """Whether a function in C++, inside of one in Python, is known to be the first to read the argument."""
    entry = signature_entry(name)
    assert entry is not None
    parts = [part.split(" ") for part in entry[2].split(" | ")[1:]]
    return any(argument in (parameter, inside) for parameter, _, inside, *_ in parts)


def in_order(line: str) -> str:
    """The line with the arguments given by name in one order, which in torch's is that of a hash table."""
    head, unrecognized, names = line.partition(" - got unrecognized keyword arguments: ")
    if unrecognized:
        return head + unrecognized + ", ".join(sorted(names.split(", ")))
    head, got, rest = line.partition(" - got (")
    given, end, tail = rest.partition(")")
    parts = given.split(", ")
    named = sorted(part for part in parts if "=" in part)
    return head + got + ", ".join([*(part for part in parts if "=" not in part), *named]) + end + tail


def first_line(error: BaseException | None) -> str | None:
    if error is None:
        return None
    return (str(getattr(error, "message", error)).splitlines() or [""])[0]
