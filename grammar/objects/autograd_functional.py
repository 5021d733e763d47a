"""``torch.autograd.functional``: jacobian, hessian, jvp, vjp, hvp and vhp of a function of the script.

The function runs on copies of the inputs, in a graph of its own. With ``strict`` a derivative that is zero
because an output does not depend on an input is an error, as in torch.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError, ScriptError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.public_functions import find_function
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.state import enable_grad, mode
from autodiff.core.graph.values import as_stored
from autodiff.grammar.objects.autograd import zeros_like
from autodiff.grammar.objects.functional_passes import input_gradients
from autodiff.grammar.objects.values import Builtin, ScriptFunction, is_true, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.graph.node import Node

OUTPUTS = "outputs of the user-provided function"
STRATEGIES = ("forward-mode", "reverse-mode")

STRICT_SUFFIX = " This is not allowed in strict mode."
INDEPENDENT_OUTPUT = "The output of the user-provided function is independent of input #." + STRICT_SUFFIX
INDEPENDENT_ENTRY = "Output @ of the user-provided function is independent of input #." + STRICT_SUFFIX
INDEPENDENT_GRADIENT = (
    "The gradient with respect to the input is independent of entry # in the grad_outputs when using the"
    " double backward trick to compute forward mode gradients." + STRICT_SUFFIX
)
INDEPENDENT_JACOBIAN = "The jacobian of the user-provided function is independent of input #." + STRICT_SUFFIX

# -- arguments and results --------------------------------------------------------------------------


def tensors_of_argument(value: Any, what: str, name: str) -> tuple[bool, list[Tensor]]:
    """Return whether ``value`` is a tuple, and its tensors as a list; raise for any other type.

    ``what`` and ``name`` are the argument and the function named in the error.
    """
    is_several = value.__class__ is tuple
    values = list(value) if is_several else [value]
    for index, entry in enumerate(values):
        if entry.__class__ is not Tensor:
            which = f"value at index {index}" if is_several else f"given {what}"
            raise ScriptError(
                f"The {what} given to {name} must be either a Tensor or a tuple of Tensors but the {which}"
                f" has type <class '{type_name(entry)}'>.",
                code="E0310",
                caret=f"`{name}` is about tensors; this is of type {type_name(entry)}",
                help=tensor_advice(entry, what),
            )
    return is_several, values


def tensor_advice(entry: Any, what: str) -> tuple[str, ...]:
    if what == OUTPUTS:
        if entry is None:
            return ("end the function with `return` and a tensor",)
        return ("return tensors: leave `.item()`, `float()` and functions of math out of the function",)
    return ("write `torch.tensor(...)` around it",) if entry.__class__ in (int, float) else ()


def packed(values: list[Any], is_several: bool) -> Any:
    return tuple(values) if is_several else values[0]


class Evaluation:
    """One call of a function in a graph of its own, with the inputs ``xs`` and the outputs ``outputs``.

    ``several_in`` and ``several_out`` are whether the inputs and the outputs are tuples.
    """

    __slots__ = ("create_graph", "inputs", "name", "outputs", "several_in", "several_out", "site", "strict")

    def __init__(self, name: str, inputs: Any, create_graph: Any, strict: Any) -> None:
        self.name = name
        self.site = mode.site
        self.create_graph = is_true(create_graph)
        self.strict = is_true(strict)
        self.several_in, given = tensors_of_argument(inputs, "inputs", name)
        clone = find_function("clone")
        assert clone is not None
        self.inputs: list[Tensor] = []
        for x in given:
            if self.create_graph and x.requires_grad:
                self.inputs.append(clone(x))
            else:
                copy = Tensor.of(x.value)
                copy.set_requires_grad()
                copy.source().name = None if x.node is None else x.node.name
                self.inputs.append(copy)
        self.several_out = False
        self.outputs: list[Tensor] = []

    def call(self, func: Any) -> None:
        self.several_out, self.outputs = tensors_of_argument(func(*self.inputs), OUTPUTS, self.name)
        if self.strict:
            for index, y in enumerate(self.outputs):
                if not y.requires_grad:
                    raise strict_error(
                        f"Output {index} of the user-provided function does not require gradients. The"
                        " outputs must be computed in a differentiable manner from the input when running in"
                        " strict mode."
                    )

    def returned_outputs(self) -> Any:
        """Return the outputs in the form in which they are returned next to a product."""
        return packed(
            self.outputs if self.create_graph else [y.detach() for y in self.outputs], self.several_out
        )

    def scalar_output(self) -> Tensor:
        """Return the output; raise unless it is one tensor with one entry."""
        if self.several_out:
            raise GradientError(
                f"The function given to {self.name} should return a single Tensor",
                code="E0401",
                caret=f"the function returned {len(self.outputs)} tensors",
            )
        (y,) = self.outputs
        if y.entry_count != 1:
            raise GradientError(
                f"The Tensor returned by the function given to {self.name} should contain a single element",
                code="E0401",
                operands=(y,),
                help=("add the entries up: `.sum()`",),
            )
        return y

    def checked_vectors(self, v: Any, like: list[Tensor], is_several: bool, of_inputs: bool) -> list[Tensor]:
        """Return the vector of a product, checked to match ``like``; by default 1 for a single number."""
        mode.site = self.site  # errors about the vector belong to this call, not to the function's last line
        help = ("give it one that is shaped like the " + ("input" if of_inputs else "output"),)
        if v is None:
            if len(like) == 1 and like[0].entry_count == 1:
                return [Tensor.of(as_stored(np.ones(like[0].shape, dtype=like[0].dtype.name)))]
            where = (
                "input to the user-provided function is" if of_inputs else "user-provided function returns"
            )
            raise GradientError(
                f"The vector v can only be None if the {where} a single Tensor with a single element.",
                code="E0401",
                caret=f"`{self.name}` needs a vector here",
                operands=(like[0],),
                help=help,
            )
        _, given = tensors_of_argument(v, "v", self.name)
        if len(given) != len(like):
            raise GradientError(
                f"v is a tuple of invalid length: should be {len(like)} but got {len(given)}."
                if is_several
                else "The given v should contain a single Tensor.",
                code="E0411",
                help=help,
            )
        for index, (vector, x) in enumerate(zip(given, like, strict=True)):
            if vector.shape != x.shape:
                entry = f"Entry {index} in " if is_several else ""
                raise GradientError(
                    f"{entry}v has invalid size: should be torch.Size({list(x.shape)}) but got"
                    f" torch.Size({list(vector.shape)}).",
                    code="E0411",
                    operands=(vector,),
                    help=help,
                )
        return given if self.create_graph else [vector.detach() for vector in given]

    def report_slopes(self, func: Any, y: Tensor, slopes: list[Any]) -> None:
        """Report to the recorder which gradients are differentiated again, so that a report can name them."""
        if mode.recorder is None or y.node is None:
            return
        parameters = func.code.names if func.__class__ is ScriptFunction else []
        made: dict[Node, tuple[Node, str]] = {}
        for index, (x, slope) in enumerate(zip(self.inputs, slopes, strict=True)):
            node = None if slope is None else slope.node
            if node is not None and node.number > y.node.number:
                sources = (x.source(), *x.source().inputs)  # a clone has no name, but its operand has
                own = [source.name for source in sources if source is not None and source.name]
                made[node] = y.node, [*parameters[index : index + 1], *own, f"input {index}"][0]
        mode.recorder.slopes_made(made)

    def check_slopes(self, slopes: list[Any]) -> None:
        """In strict mode, raise for first derivatives that cannot be differentiated themselves."""
        for index, slope in enumerate(slopes if self.strict else ()):
            if slope is None:
                raise strict_error(INDEPENDENT_OUTPUT.replace("#", str(index)))
            if not slope.requires_grad:
                raise strict_error(
                    "While computing the hessian, found that the jacobian of the user-provided function with"
                    f" respect to input {index} is independent of the input.{STRICT_SUFFIX} You should ensure"
                    " that your function is twice differentiable and that the jacobian depends on the inputs"
                    " (this would be violated by a linear function for example)."
                )


def strict_error(message: str) -> GradientError:
    return GradientError(
        message,
        code="E0410",
        caret="with strict=True every output has to depend on every input",
        help=("leave `strict=True` out to get zeros",),
    )


def fill_missing(
    found: tuple[Any, ...],
    like: list[Tensor],
    evaluation: Evaluation,
    none_message: str,
    result_name: str,
) -> list[Tensor]:
    """Return the gradients with zeros for None; in strict mode None and a result without a graph are errors.

    ``none_message`` is that for None, ``result_name`` what a result without a graph is called.
    """
    made = []
    for index, (g, x) in enumerate(zip(found, like, strict=True)):
        if evaluation.strict and g is None:
            raise strict_error(none_message.replace("#", str(index)))
        if evaluation.strict and evaluation.create_graph and not g.requires_grad:
            raise strict_error(
                f"The {result_name} of the user-provided function is independent of input {index}."
                " This is not allowed in strict mode when create_graph=True."
            )
        made.append(zeros_like(x) if g is None else g)
    return made


# -- jacobian and hessian ---------------------------------------------------------------------------


def entry_gradients(output: Tensor, inputs: list[Tensor], create_graph: bool) -> list[tuple[Any, ...]]:
    """Return the gradients of every entry of ``output``; None for inputs that it does not depend on."""
    found = []
    for index in range(output.entry_count):
        weight = np.zeros(output.shape, dtype=output.dtype.name)
        weight.reshape(-1)[index] = 1
        seed = Tensor.of(as_stored(weight))
        found.append(input_gradients([output], inputs, [seed], retain_graph=True, create_graph=create_graph))
    return found


def stacked(parts: list[Any], shape: tuple[int, ...], like: Tensor, create_graph: bool) -> Tensor:
    """Return tensors of equal shape stacked and reshaped to ``shape``; zeros if there are none."""
    if not parts:
        return Tensor.of(as_stored(np.zeros(shape, dtype=like.dtype.name)))
    stack, reshape = find_function("stack"), find_function("reshape")
    if create_graph and stack is not None and reshape is not None:
        whole: Tensor = reshape(stack(parts), shape)
        return whole
    return Tensor.of(as_stored(np.stack([part.data for part in parts]).reshape(shape)))


def jacobian_blocks(func: Any, evaluation: Evaluation) -> Any:
    """Return the blocks of a jacobian: the derivatives of every output with respect to every input."""
    with enable_grad():
        evaluation.call(func)
        blocks = []
        for position, y in enumerate(evaluation.outputs):
            without = INDEPENDENT_ENTRY.replace("@", str(position))
            entries = [
                fill_missing(row, evaluation.inputs, evaluation, without, "jacobian")
                for row in entry_gradients(y, evaluation.inputs, evaluation.create_graph)
            ]
            row = [
                stacked(
                    [entry[column] for entry in entries], (*y.shape, *x.shape), x, evaluation.create_graph
                )
                for column, x in enumerate(evaluation.inputs)
            ]
            blocks.append(packed(row, evaluation.several_in))
    return packed(blocks, evaluation.several_out)


def check_strategy(strategy: Any, name: str, strict: Any, vectorize: Any, create_graph: Any) -> None:
    """Raise for combinations that torch rejects. Otherwise the strategy makes no difference here."""
    if strategy not in STRATEGIES:
        raise ScriptError(
            'Expected strategy to be either "forward-mode" or "reverse-mode".'
            + (
                ' Hint: If your function has more outputs than inputs, "forward-mode" tends to be more'
                ' performant. Otherwise, prefer to use "reverse-mode".'
                if name == "jacobian"
                else ""
            ),
            code="E0210",
        )
    if name != "jacobian":
        return
    if strategy == "forward-mode" and is_true(create_graph):
        raise GradientError(
            'torch.autograd.functional.jacobian: `create_graph=True` and `strategy="forward-mode"` are not'
            " supported together (yet). Please either set `create_graph=False` or"
            ' `strategy="reverse-mode"`.',
            code="E0410",
        )
    if is_true(vectorize) and is_true(strict):
        raise GradientError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported"
            " together. Please either set `strict=False` or `vectorize=False`.",
            code="E0410",
        )


def jacobian(
    func: Any,
    inputs: Any,
    create_graph: Any = False,
    strict: Any = False,
    vectorize: Any = False,
    strategy: Any = "reverse-mode",
) -> Any:
    check_strategy(strategy, "jacobian", strict, vectorize, create_graph)
    made = jacobian_blocks(func, Evaluation("jacobian", inputs, create_graph, strict))
    return derivatives(made, inputs, 1)


def hessian(
    func: Any,
    inputs: Any,
    create_graph: Any = False,
    strict: Any = False,
    vectorize: Any = False,
    outer_jacobian_strategy: Any = "reverse-mode",
) -> Any:
    check_strategy(outer_jacobian_strategy, "hessian", strict, vectorize, create_graph)

    def slope(*xs: Any) -> Any:
        inner = Evaluation("hessian", xs, True, strict)
        inner.call(func)
        y = inner.scalar_output()
        found = input_gradients([y], inner.inputs, [None], create_graph=True)
        inner.report_slopes(func, y, list(found))
        made = [zeros_like(x) if g is None else g for x, g in zip(inner.inputs, found, strict=True)]
        inner.check_slopes(made)
        return packed(made, outer.several_in)

    outer = Evaluation("hessian", inputs, create_graph, strict)
    return derivatives(jacobian_blocks(slope, outer), inputs, 2)


def derivatives(result: Any, inputs: Any, order: int) -> Any:
    """Return a result of ``jacobian()`` or ``hessian()``, which the command line may be asked for."""
    if mode.recorder is not None:
        mode.recorder.derivatives_made(result, tensors_of_argument(inputs, "inputs", "jacobian")[1], order)
    return result


# -- products ---------------------------------------------------------------------------------------


def vjp(func: Any, inputs: Any, v: Any = None, create_graph: Any = False, strict: Any = False) -> Any:
    with enable_grad():
        evaluation = Evaluation("vjp", inputs, create_graph, strict)
        evaluation.call(func)
        weights = evaluation.checked_vectors(v, evaluation.outputs, evaluation.several_out, False)
        found = input_gradients(
            evaluation.outputs, evaluation.inputs, weights, create_graph=evaluation.create_graph
        )
        products = fill_missing(found, evaluation.inputs, evaluation, INDEPENDENT_OUTPUT, "jacobian")
    return evaluation.returned_outputs(), packed(products, evaluation.several_in)


def jvp(func: Any, inputs: Any, v: Any = None, create_graph: Any = False, strict: Any = False) -> Any:
    """Return the outputs and J v, computed as the derivative of u -> (u J) v, as in torch."""
    with enable_grad():
        evaluation = Evaluation("jvp", inputs, create_graph, strict)
        vectors = evaluation.checked_vectors(v, evaluation.inputs, evaluation.several_in, True)
        evaluation.call(func)
        weights = [zeros_like(y) for y in evaluation.outputs]
        for weight in weights:
            weight.set_requires_grad()
        slopes = list(input_gradients(evaluation.outputs, evaluation.inputs, weights, create_graph=True))
        if evaluation.strict:
            fill_missing(tuple(slopes), evaluation.inputs, evaluation, INDEPENDENT_OUTPUT, "jacobian")
        found = input_gradients(slopes, weights, vectors, create_graph=evaluation.create_graph)
        products = fill_missing(found, evaluation.outputs, evaluation, INDEPENDENT_GRADIENT, "jacobian")
    return evaluation.returned_outputs(), packed(products, evaluation.several_out)


def hessian_vector_product(name: str, func: Any, inputs: Any, v: Any, create_graph: Any, strict: Any) -> Any:
    """Return the output and H v = v H, computed as the gradient of (gradient . v)."""
    with enable_grad():
        evaluation = Evaluation(name, inputs, create_graph, strict)
        vectors = evaluation.checked_vectors(v, evaluation.inputs, evaluation.several_in, True)
        evaluation.call(func)
        y = evaluation.scalar_output()
        slopes = list(input_gradients([y], evaluation.inputs, [None], create_graph=True))
        evaluation.report_slopes(func, y, slopes)
        evaluation.check_slopes(slopes)
        found = input_gradients(slopes, evaluation.inputs, vectors, create_graph=evaluation.create_graph)
        products = fill_missing(found, evaluation.inputs, evaluation, INDEPENDENT_JACOBIAN, "hessian")
    return evaluation.returned_outputs(), packed(products, evaluation.several_in)


def hvp(func: Any, inputs: Any, v: Any = None, create_graph: Any = False, strict: Any = False) -> Any:
    return hessian_vector_product("hvp", func, inputs, v, create_graph, strict)


def vhp(func: Any, inputs: Any, v: Any = None, create_graph: Any = False, strict: Any = False) -> Any:
    return hessian_vector_product("vhp", func, inputs, v, create_graph, strict)


FUNCTIONAL = {
    name: Builtin(name, function)
    for name, function in (
        ("jacobian", jacobian),
        ("hessian", hessian),
        ("jvp", jvp),
        ("vjp", vjp),
        ("hvp", hvp),
        ("vhp", vhp),
    )
}
