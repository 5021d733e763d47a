"""``torch.testing.assert_close`` and ``torch.autograd.gradcheck``, with which scripts check themselves."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.backward import grad
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import float32, float64
from autodiff.core.graph.state import enable_grad, mode, no_grad
from autodiff.core.graph.values import as_stored
from autodiff.grammar.objects.autograd import tensor_list, zeros_like
from autodiff.grammar.objects.autograd_functional import entry_gradients
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.value_text import as_repr
from autodiff.grammar.objects.values import NUMBER_CLASSES, Size, is_true, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

#: The default relative and absolute tolerance by dtype; other dtypes must be equal.
TOLERANCES = {float32: (1.3e-6, 1e-5), float64: (1e-7, 1e-7)}


def assert_close(
    actual: Any,
    expected: Any,
    *,
    rtol: Any = None,
    atol: Any = None,
    equal_nan: Any = False,
    check_dtype: Any = True,
    msg: Any = None,
) -> None:
    """Raise ScriptError, with the differences, unless the values are close; sequences entry by entry."""
    if actual.__class__ in (list, tuple) and expected.__class__ in (list, tuple):
        if len(actual) != len(expected):
            raise not_close(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", msg)
        for a, b in zip(actual, expected, strict=True):
            assert_close(a, b, rtol=rtol, atol=atol, equal_nan=equal_nan, check_dtype=check_dtype, msg=msg)
        return
    a, b = (comparable(value) for value in (actual, expected))
    if a.shape != b.shape:
        shapes = f"{as_repr(Size(a.shape))} != {as_repr(Size(b.shape))}"
        raise not_close(f"The values for attribute 'shape' do not match: {shapes}.", msg)
    is_tensors = actual.__class__ is Tensor or expected.__class__ is Tensor
    if is_tensors and is_true(check_dtype) and a.dtype is not b.dtype:
        raise not_close(f"The values for attribute 'dtype' do not match: {a.dtype} != {b.dtype}.", msg)
    found = [TOLERANCES.get(value.dtype, (0.0, 0.0)) for value in (a, b)]
    rtol, atol = (
        max(pair[i] for pair in found) if given is None else given for i, given in enumerate((rtol, atol))
    )
    x, y = a.data, b.data
    matches = np.isclose(x, y, rtol=rtol, atol=atol, equal_nan=is_true(equal_nan))
    if matches.all():
        return
    with np.errstate(all="ignore"):
        apart = np.where(matches, 0, np.abs(np.asarray(x, "float64") - np.asarray(y, "float64")))
        ratio = np.where(matches, 0, apart / np.abs(np.asarray(y, "float64")))
    allowed = f"(up to {atol} allowed)", f"(up to {rtol} allowed)"
    if not x.ndim:
        text = (
            f"Scalars are not close!\n\nExpected {y.item()} but got {x.item()}.\n"
            f"Absolute difference: {apart.item()} {allowed[0]}\n"
            f"Relative difference: {ratio.item()} {allowed[1]}"
        )
    else:
        wrong, size = int((~matches).sum()), matches.size
        places = [np.unravel_index(int(np.argmax(by)), by.shape) for by in (apart, ratio)]
        at = [tuple(int(i) for i in place) for place in places]
        text = (
            f"Tensor-likes are not close!\n\nMismatched elements: {wrong} / {size} ({wrong / size:.1%})\n"
            f"Greatest absolute difference: {apart[at[0]]} at index {at[0]} {allowed[0]}\n"
            f"Greatest relative difference: {ratio[at[1]]} at index {at[1]} {allowed[1]}"
        )
    raise not_close(text, msg)


def comparable(value: Any) -> Tensor:
    if value.__class__ is Tensor:
        return value
    if value.__class__ in NUMBER_CLASSES:
        return Tensor.of(as_stored(np.asarray(value)))
    raise ScriptError(
        f"assert_close compares tensors and numbers, not {type_name(value)}",
        code="E0203",
        caret="one of the two is neither",
    )


def not_close(text: str, msg: Any) -> ScriptError:
    return ScriptError(msg if msg.__class__ is str else text, code="E0210", caret="these are not close")


# -- gradcheck --------------------------------------------------------------------------------------

LIKELY_TO_FAIL = (
    "Input #{} requires gradient and is not a double precision floating point or complex. This check will"
    " likely fail if all the inputs are not of double precision floating point or complex. "
)


def gradcheck(
    func: Any,
    inputs: Any,
    *,
    eps: Any = 1e-6,
    atol: Any = 1e-5,
    rtol: Any = 1e-3,
    raise_exception: Any = True,
    **others: Any,
) -> bool:
    """Whether the gradients of ``func`` agree with finite differences; by default raise if they do not."""
    args = [inputs] if inputs.__class__ is Tensor else list(inputs)
    checked = [x for x in args if x.__class__ is Tensor and x.requires_grad]
    if not checked:
        raise ScriptError(
            "gradcheck expects at least one input tensor to require gradient, but none of them have"
            " requires_grad=True.",
            code="E0410",
            caret="there is no gradient to check",
            help=("make an input with requires_grad=True",),
        )
    for index, x in enumerate(args):
        if x.__class__ is Tensor and x.requires_grad and x.dtype is not float64:
            runtime.tell(LIKELY_TO_FAIL.format(index))
    recorder, mode.recorder = mode.recorder, None  # reports are about the passes of the script itself
    try:
        message = next(jacobian_mismatches(func, args, checked, eps, atol, rtol), None)
    finally:
        mode.recorder = recorder
    if message is not None and is_true(raise_exception):
        raise ScriptError(
            message,
            code="E0417",
            caret="the gradient differs from the slope that small steps show",
            help=(
                "check the `backward` of a Function of yours, or what is detached on the way",
                "without this line, `autodiff check` says which gradient is wrong, and in which `backward`",
            ),
        )
    return message is None


def gradgradcheck(func: Any, inputs: Any, grad_outputs: Any = None, **settings: Any) -> bool:
    """As ``gradcheck``, of the gradients of ``func``: whether its second derivatives are right.

    Without ``grad_outputs`` the outputs are weighed with fixed numbers of both signs; torch draws them.
    """
    args = [inputs] if inputs.__class__ is Tensor else list(inputs)
    if grad_outputs is None:
        with no_grad():
            outputs = function_outputs(func, args)
        weights = [leaf_of_weights(y) for y in outputs]
    else:
        weights = tensor_list(grad_outputs, "grad_outputs")
    count = len(args)

    def gradients(*given: Any) -> tuple[Tensor, ...]:
        with enable_grad():
            pairs = zip(given[:count], args, strict=True)
            places = [x if not is_checked(arg) or x.requires_grad else leaf_of(x) for x, arg in pairs]
            wanted = [x for x, arg in zip(places, args, strict=True) if is_checked(arg)]
            outputs = function_outputs(func, places)
            weighed = [(y, v) for y, v in zip(outputs, given[count:], strict=True) if y.requires_grad]
            found = grad([y for y, _ in weighed], wanted, [v for _, v in weighed], None, True, True)
        return tuple(zeros_like(x) if g is None else g for x, g in zip(wanted, found, strict=True))

    return gradcheck(gradients, (*args, *weights), **settings)


def is_checked(arg: Any) -> bool:
    return arg.__class__ is Tensor and arg.requires_grad


def leaf_of(x: Tensor) -> Tensor:
    """Return a leaf with the value of ``x``."""
    return Tensor.of(x.value).set_requires_grad()


def leaf_of_weights(y: Tensor) -> Tensor:
    """Return a leaf shaped as ``y`` whose entries differ in size and sign."""
    return leaf_of(Tensor.of(as_stored(np.cos(np.arange(y.entry_count) + 1.0).reshape(y.shape))))


def jacobian_mismatches(
    func: Any, args: list[Any], checked: list[Tensor], eps: float, atol: float, rtol: float
) -> Iterator[str]:
    """Yield torch's message for each pair of an output and an input whose two Jacobians differ."""
    with enable_grad():
        outputs = function_outputs(func, args)
        exact = [entry_gradients(y, checked, False) for y in outputs]
    for i, x in enumerate(checked):
        measured = numerical_jacobian(func, args, x, eps)
        for j in range(len(outputs)):
            gradients = [zeros_like(x) if row[i] is None else row[i] for row in exact[j]]
            slopes = np.stack([gradient.data.reshape(-1) for gradient in gradients], axis=1)
            steps = measured[j].astype(slopes.dtype)
            if not np.allclose(slopes, steps, rtol=rtol, atol=atol):
                pair = [as_repr(Tensor.of(as_stored(table))) for table in (steps, slopes)]
                yield (
                    f"Jacobian mismatch for output {j} with respect to input {i},\n"
                    f"numerical:{pair[0]}\nanalytical:{pair[1]}\n"
                )


def function_outputs(func: Any, args: list[Any]) -> list[Tensor]:
    return tensor_list(func(*args), "outputs")


def numerical_jacobian(func: Any, args: list[Any], x: Tensor, eps: float) -> list[Any]:
    """Return the Jacobian of every output by central differences: one row for each entry of ``x``."""
    columns: list[list[Any]] = []
    for index in range(x.entry_count):
        ends = []
        for step in (eps, -eps):
            moved = x.data.copy()
            moved.reshape(-1)[index] += step
            with no_grad():
                shifted = [Tensor.of(as_stored(moved)) if arg is x else arg for arg in args]
                ends.append([y.data.reshape(-1).copy() for y in function_outputs(func, shifted)])
        columns.append([(up - down) / (2 * eps) for up, down in zip(*ends, strict=True)])
    return [np.stack(column) for column in zip(*columns, strict=True)]
