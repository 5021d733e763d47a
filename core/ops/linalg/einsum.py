"""``einsum``: products summed over named dimensions, for any number of operands.

The equation is first normalized: ellipses get letters, repeated letters become diagonals, and dimensions of
size 1 that broadcast are squeezed. The result is one op whose rule is einsum again.
"""

# mypy: disable-error-code="no-any-return"

from __future__ import annotations

from autodiff.core.base.errors import DtypeError, ScriptError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.engine.public_functions import public
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import int64, promote
from autodiff.core.graph.op import Op
from autodiff.core.graph.values import cast
from autodiff.core.ops.linalg.product_checks import no_bool_kernel_error
from autodiff.core.ops.shape.join import variadic
from autodiff.core.ops.shape.picking_ops import diagonal
from autodiff.core.ops.shape.reshape import expand, permute, reshape, squeeze

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from autodiff.core.graph.dtypes import DType
    from autodiff.core.graph.node import Node

LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def split_equation(equation: str) -> tuple[list[str], str]:
    """Return the letters of each operand and of the result: ``["ij", "jk"], "ik"`` of ``"ij,jk->ik"``."""
    left, _, right = equation.partition("->")
    return left.split(","), right


def einsum_vjp(index: int, g: Any, out: Any, *operands: Any, equation: str) -> Any:
    """einsum of g with the other operands, expanded along the letters that only this operand has."""
    letters, result = split_equation(equation)
    own = letters[index]
    others = [(each, x) for i, (each, x) in enumerate(zip(letters, operands, strict=True)) if i != index]
    known = set(result).union(*(each for each, _ in others))
    kept = "".join(letter for letter in own if letter in known)
    back = ",".join((result, *(each for each, _ in others))) + "->" + kept
    contribution = einsum_op(g, *(x for _, x in others), equation=back)
    if kept == own:
        return contribution
    x = operands[index]
    sizes = tuple(n if letter in known else 1 for letter, n in zip(own, x.shape, strict=True))
    return expand(reshape(contribution, shape=sizes), shape=x.shape)


def einsum_grad_fn(node: Node) -> str:
    """Return the name of the last node that torch's decomposition of einsum records."""
    letters, result = split_equation(node.params["equation"])
    summed = set("".join(letters)) - set(result)
    if len(letters) == 1:
        return "SumBackward1" if summed else "PermuteBackward0"
    return "ViewBackward0" if summed else "MulBackward0"


einsum_op: Op = variadic(
    "einsum",
    lambda *operands, equation: np.einsum(equation, *operands, optimize=len(operands) > 2),
    einsum_vjp,
    grad_fn=einsum_grad_fn,
)


def einsum_error(message: str, *operands: Tensor) -> ShapeError:
    return ShapeError(f"einsum(): {message}", code="E0302", operands=operands)


@public("einsum(equation: str = '', *operands: tensors = None)", method=False)
def einsum(equation: str, operands: list[Tensor] | None) -> Tensor:
    """Products of entries summed over dimensions: ``einsum("ij,jk->ik", A, B)`` is ``A @ B``."""
    if not operands:
        raise ScriptError(
            "einsum(): must specify the equation string and at least one operand, or at least one operand and"
            " its subscripts list",
            code="E0206",
        )
    left, arrow, result = equation.partition("->")
    parts = read_operands(left, operands)
    spelled, batch = expand_ellipses(parts, operands, set(equation))
    if arrow:
        result = read_output(result, len(left) + len(arrow), operands, parts).replace("...", batch)
    else:
        joined = "".join(spelled)
        result = batch + "".join(sorted(c for c in set(joined) if joined.count(c) == 1 and c not in batch))
    return contract(spelled, operands, result)


def read_subscripts(text: str, start: int, where: str, operands: list[Tensor]) -> Iterator[str]:
    """Yield the letters and ``...`` of an operand or the output; ``start`` is its offset in the equation."""
    position, has_ellipsis = 0, False
    while position < len(text):
        letter = text[position]
        if letter == ".":
            is_output = where == "output"
            if has_ellipsis:
                already = "but an ellipsis (...)" if is_output else "for which an ellipsis"
                raise einsum_error(f"found '.' for {where} {already} was already found", *operands)
            if text[position : position + 3] != "...":
                shown = " (...)" if is_output else ""
                raise einsum_error(
                    f"found '.' for {where} that is not part of any ellipsis{shown}", *operands
                )
            letter, has_ellipsis = "...", True
        elif letter not in LETTERS and letter != " ":
            raise einsum_error(
                f"invalid subscript given at index {start + position} in the equation string,"
                " subscripts must be in"
                " [a-zA-Z]",
                *operands,
            )
        if letter != " ":
            yield letter
        position += len(letter)


def read_operands(text: str, operands: list[Tensor]) -> list[str]:
    """Return the subscripts of each operand, without spaces."""
    terms, start = [], 0
    for number, part in enumerate(text.split(",")):
        if number == len(operands):
            raise einsum_error("fewer operands were provided than specified in the equation", *operands)
        terms.append("".join(read_subscripts(part, start, f"operand {number}", operands)))
        start += len(part) + 1
    if len(terms) < len(operands):
        raise einsum_error("more operands were provided than specified in the equation", *operands)
    return terms


def read_output(text: str, start: int, operands: list[Tensor], spelled: list[str]) -> str:
    """Return the subscripts after the arrow, without spaces; each must occur in an operand."""
    result = ""
    for letter in read_subscripts(text, start, "output", operands):
        if letter in result:
            raise einsum_error(f"output subscript {letter} appears more than once in the output", *operands)
        if letter != "..." and letter not in "".join(spelled):
            raise einsum_error(
                f"output subscript {letter} does not appear in the equation for any input operand", *operands
            )
        result += letter
    return result


def expand_ellipses(parts: list[str], operands: list[Tensor], taken: set[str]) -> tuple[list[str], str]:
    """Return the operands' letters with letters in place of ``...``, and those of the longest ``...``."""
    counts = []
    for position, (part, x) in enumerate(zip(parts, operands, strict=True)):
        named = len(part.replace("...", ""))
        if "..." not in part and named != x.ndim:
            raise einsum_error(
                f"the number of subscripts in the equation ({named}) does not match the number of dimensions"
                f" ({x.ndim}) for operand {position} and no ellipsis was given",
                x,
            )
        if named > x.ndim:
            raise einsum_error(
                f"the number of subscripts in the equation ({named}) is more than the number of dimensions"
                f" ({x.ndim}) for operand {position}",
                x,
            )
        counts.append(x.ndim - named if "..." in part else 0)
    free = [letter for letter in LETTERS if letter not in taken]
    batch = "".join(free[: max(counts, default=0)])
    spelled = [
        part.replace("...", batch[len(batch) - count :]) for part, count in zip(parts, counts, strict=True)
    ]
    return spelled, batch


def contract(letters: list[str], operands: list[Tensor], result: str) -> Tensor:
    """Take diagonals for repeated letters, check sizes, squeeze dimensions of size 1, then apply the op."""
    plain: list[tuple[str, Tensor]] = []
    for position, (part, x) in enumerate(zip(letters, operands, strict=True)):
        plain.append(take_diagonals(part, x, position))
    sizes: dict[str, int] = {}
    for position, (part, x) in enumerate(plain):
        for letter, n in zip(part, x.shape, strict=True):
            known = sizes.get(letter, 1)
            if n != 1 and known not in (1, n):
                raise einsum_error(
                    f"subscript {letter} has size {n} for operand {position} which does not broadcast with"
                    f" previously seen size {known}",
                    *operands,
                )
            sizes[letter] = max(known, n) if n and known else 0
    check_allocation(tuple(sizes[letter] for letter in result), 8)
    for position, (part, x) in enumerate(plain):
        ones = tuple(axis for axis, c in enumerate(part) if x.shape[axis] == 1 and sizes[c] != 1)
        if ones:
            part = "".join(c for axis, c in enumerate(part) if axis not in ones)
            plain[position] = (part, squeeze(x, dim=ones))
    equation = ",".join(part for part, _ in plain) + "->" + result
    if len(plain) == 1 and set(plain[0][0]) == set(result):
        part, x = plain[0]
        return permute(x, dims=tuple(part.index(letter) for letter in result))
    dtype = contraction_dtype(plain, result)
    return einsum_op(*(cast(x, dtype) for _, x in plain), equation=equation)


def contraction_dtype(operands: list[tuple[str, Tensor]], result: str) -> DType:
    """Return the dtype in which torch computes the result, two operands at a time from the left.

    Letters of both operands that are summed over make a matrix product, which takes one dtype. Letters of one
    operand alone are summed as by ``sum``. Without letters to sum over, the two are multiplied as by ``*``.
    """
    sizes = {letter: n for part, x in operands for letter, n in zip(part, x.shape, strict=True)}
    long = {letter for letter, n in sizes.items() if n != 1}
    part, first = operands[0]
    seen_letters, dtype = set(part), first.dtype
    if len(operands) == 1:
        return dtype if dtype.is_floating_point else int64
    for position, (own, x) in enumerate(operands[1:], 2):
        kept = {*result, *"".join(part for part, _ in operands[position:])}
        dtype, other = (
            int64 if alone & long - kept and not kind.is_floating_point else kind
            for alone, kind in ((seen_letters - {*own}, dtype), ({*own} - seen_letters, x.dtype))
        )
        if not seen_letters & {*own} & long - kept:
            dtype = promote([(dtype, 1), (other, 1)])
        else:
            if x.entry_count and all(sizes[letter] for letter in seen_letters):
                check_bmm_types(first, x, dtype, other)
            dtype = other
        seen_letters = (seen_letters | {*own}) & kept
    return dtype


def check_bmm_types(x: Tensor, y: Tensor, left: DType, right: DType) -> None:
    """Check ``left`` and ``right``, the dtypes that x and y have in a batched product, as torch does."""
    if left.kind == "b":
        raise no_bool_kernel_error(x, y, "bmm")
    if left is not right:
        raise DtypeError(
            f"expected scalar type {left.long_name} but found {right.long_name}", operands=(x, y)
        )


def take_diagonals(part: str, x: Tensor, position: int) -> tuple[str, Tensor]:
    """Return the operand without repeated letters: the diagonal of ``ii`` is named ``i`` and comes last."""
    for letter in sorted(set(part)):
        while part.count(letter) > 1:
            first = part.index(letter)
            second = part.index(letter, first + 1)
            m, n = x.shape[first], x.shape[second]
            if m != n:
                raise einsum_error(
                    f"subscript {letter} is repeated for operand {position} but the sizes don't match,"
                    f" {n} != {m}",
                    x,
                )
            x = diagonal(x, offset=0, dim1=first, dim2=second)
            part = "".join(c for axis, c in enumerate(part) if axis not in (first, second)) + letter
    return part, x
