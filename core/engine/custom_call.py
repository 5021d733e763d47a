"""A recorded call of a custom function: its outputs as nodes, with the user's ``backward`` as their rule.

A node has one output. If ``forward`` returns several tensors, the call's node holds all of them flattened
and concatenated into one row, and each output is a further node that extracts its part of the row.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.random_source import random_source
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.node import ArrayNode, Node
from autodiff.core.graph.op import CUSTOM_OP_DOC, OPS, Op
from autodiff.core.graph.state import mode, no_grad
from autodiff.core.graph.values import as_stored, cast, fit_recorded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from autodiff.core.base.source import Span
    from autodiff.core.engine.custom_function import Context


class OutputPartOp(Op):
    """The op that extracts output number ``position`` from the row of all outputs of a call."""

    __slots__ = ("position",)

    position: int


def call_node_and_output(node: Node) -> tuple[Node, int]:
    """Return the node that torch would have for this node's value, and the output number of the value."""
    if isinstance(node.op, OutputPartOp):
        (call,) = node.inputs
        assert call is not None
        return call, node.op.position
    return node, 0


class CustomCallOp(Op):
    """The op of a ``call``: it maps the operands to the only output, or to the row of all outputs."""

    __slots__ = ("call",)

    call: CustomCall

    def reset_rule_cache(self) -> None:
        self.call.answered = (None, ())


class CustomCall:
    """A call whose outputs are recorded; made before ``forward`` runs.

    ``operand_nodes`` and ``values`` are the nodes and values of the operands before the call. ``slots`` holds
    each output's range (start, end) in the row, or None if no gradient flows through the output.
    ``reached_outputs`` are the outputs to which the current pass has propagated a gradient; ``last_reached``
    those of the last pass, for checks that pull another cotangent of the row back. ``answered``
    caches the last cotangent and the results of ``backward`` for it. ``site`` is the span of the call,
    ``backward_site`` the span of the line that ``backward`` ran last. ``random_state`` is that of the random
    numbers before the call; ``backward_random_state`` is their state when the script last ran ``backward``,
    so that a report after the script's end draws the same numbers. ``saved_sites`` are the places where
    ``forward`` computed the tensors that the context keeps, by their ids.
    """

    __slots__ = (
        *(
            "answered",
            "backward",
            "context",
            "backward_random_state",
            "forward",
            "is_of_script",
            "random_state",
            "name",
            "operands",
        ),
        *(
            "outputs",
            "backward_site",
            "last_reached",
            "reached_outputs",
            "site",
            "slots",
            "operand_nodes",
            "values",
            "saved_sites",
        ),
    )

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        backward: Callable[..., Any],
        context: Context,
        operands: tuple[Any, ...],
    ) -> None:
        self.name = name
        self.forward = forward
        self.backward = backward
        self.context = context
        self.operands = operands
        self.operand_nodes = tuple([x.source() if isinstance(x, Tensor) else None for x in operands])
        self.values = tuple([x.data if isinstance(x, Tensor) else x for x in operands])
        self.site = mode.site
        self.backward_site: Span | None = None
        self.random_state = random_source.state()
        self.backward_random_state: tuple[int, Any, Any] | None = None
        self.is_of_script = mode.recorder is not None
        self.outputs: list[Any] = []
        self.slots: list[tuple[int, int] | None] = []
        self.reached_outputs: set[int] = set()
        self.last_reached: set[int] = set()
        self.answered: tuple[Any, tuple[Any, ...]] = (None, ())
        self.saved_sites: dict[int, Span | None] = {}

    # -- recording ------------------------------------------------------------------------------------

    def record(self, outputs: list[Any], requires_grad: bool) -> list[Any]:
        """Return the outputs for the caller; floating-point tensors among them are recorded."""
        # A tensor that is returned twice is recorded at its last position, as in torch.
        flowing = [
            position
            for position, x in enumerate(outputs)
            if self.is_differentiable(x) and not any(x is y for y in outputs[position + 1 :])
        ]
        self.slots = [None] * len(outputs)
        end = 0
        for position in flowing:
            size = outputs[position].entry_count
            self.slots[position] = (end, end + size)
            end += size
        self.outputs = [Tensor.of(x.value) if isinstance(x, Tensor) else None for x in outputs]
        returned: dict[int, Tensor] = {}
        saved: dict[int, Tensor] = {}
        for position, node in zip(flowing, self.make_output_nodes(outputs, flowing), strict=True):
            x = outputs[position]
            made = Tensor.of(x.value, node, requires_grad)
            saved[id(x)] = Tensor.of(x.value, node, requires_grad)
            if self.is_changed_operand(x):
                made = x.assign_in_place(made)
            elif x.alias is None and not is_recorded(x) and not any(x is y for y in self.operands):
                x.node, x.requires_grad_flag = node, requires_grad  # the context may keep it: `ctx.y = y`
                made = x
            returned[id(x)] = made
        self.freeze_saved_tensors(saved)
        return [returned[id(x)] if id(x) in returned else unrecorded_output(x, self.context) for x in outputs]

    def is_differentiable(self, output: Any) -> bool:
        """Whether a gradient can flow through ``output``."""
        if not isinstance(output, Tensor) or not output.dtype.is_floating_point:
            return False
        return not any(output is constant for constant in self.context.constant)

    def is_changed_operand(self, x: Tensor) -> bool:
        """Whether ``x`` is an operand that ``forward`` marked as changed in place."""
        return any(x is y for y in self.context.changed) and any(x is y for y in self.operands)

    def make_output_nodes(self, outputs: list[Any], flowing: list[int]) -> list[ArrayNode]:
        """Return the nodes of the ``flowing`` outputs: the call's own, or one for the part of each output."""
        kept = self.context.saved_tensors
        reads: list[int | str] = [
            index
            for index, x in enumerate(self.operands)
            if any(x is y for y in kept) and not (isinstance(x, Tensor) and self.is_changed_operand(x))
        ]
        own = [any(outputs[position] is y for y in kept) for position in flowing]
        if len(flowing) == 1:
            value = outputs[flowing[0]].value
            return [self.make_call_node(value, (*reads, "out") if own[0] else tuple(reads))]
        if not flowing:
            return []
        values = [outputs[position].data for position in flowing]
        row = np.concatenate([value.reshape(-1) for value in values])
        whole = self.make_call_node(row, tuple(reads))
        return [
            ArrayNode(self.make_part_op(position, is_kept), (whole,), (row,), {}, as_stored(value), self.site)
            for position, is_kept, value in zip(flowing, own, values, strict=True)
        ]

    def make_call_node(self, value: Any, reads: tuple[int | str, ...]) -> ArrayNode:
        count = len(self.operands)
        op = CustomCallOp(
            self.name,
            self.rerun,
            vjps=tuple([self.vjp_for(index) for index in range(count)]),
            grad_fn=f"{self.name}Backward",
            saved=(reads,) * count,
            doc=CUSTOM_OP_DOC,
        )
        op.call = self
        return ArrayNode(op, self.operand_nodes, self.values, {}, value, self.site)

    def make_part_op(self, position: int, is_kept: bool) -> OutputPartOp:
        """Return the op that extracts one output from the row."""
        slot, shape = self.slots[position], self.outputs[position].shape
        assert slot is not None
        start, end = slot
        dtype = self.outputs[position].dtype.name

        def forward(row: Any) -> Any:
            return row[start:end].reshape(shape).astype(dtype)

        def vjp(g: Any, out: Any, row: Any) -> Any:
            self.reached_outputs.add(position)
            if g.dtype.name != row.dtype.name:
                g = OPS["to"](g, dtype=row.dtype.name)
            flat = OPS["reshape"](g, shape=(end - start,))
            return OPS["embed"](flat, shape=row.shape, basic=(slice(start, end),), advanced=())

        reads: tuple[int | str, ...] = ("out",) if is_kept else ()
        op = OutputPartOp(
            self.name, forward, vjps=(vjp,), grad_fn=f"{self.name}Backward", saved=(reads,), doc=CUSTOM_OP_DOC
        )
        op.position = position
        return op

    def freeze_saved_tensors(self, outputs: dict[int, Tensor]) -> None:
        """Replace the saved tensors of the context by copies with their present values and nodes.

        Saved outputs were made before the call was recorded, so they have no node yet. The script may change
        its tensors in place later, which must not affect the copies.
        """
        operands = {
            id(x): Tensor.of(x.value, source, x.requires_grad_flag)
            for x, source in zip(self.operands, self.operand_nodes, strict=True)
            if isinstance(x, Tensor)
        }
        known = operands | outputs
        kept = self.context.saved_tensors
        self.context.saved_tensors = tuple([known.get(id(tensor), tensor) for tensor in kept])
        for x in (*self.context.saved_tensors, *self.context.names.values()):
            if x.__class__ is Tensor:  # backward may give it another name and place
                self.saved_sites[id(x)] = self.context.saved_at if x.node is None else x.node.site

    def rerun(self, *values: Any) -> Any:
        """Return the node's value for other operands by running ``forward`` again with a new context."""
        result = self.run_forward(values)[1]
        outputs = list(result) if isinstance(result, (tuple, NamedResult)) else [result]
        parts = [x.data for x, slot in zip(outputs, self.slots, strict=True) if slot is not None]
        return parts[0] if len(parts) == 1 else np.concatenate([part.reshape(-1) for part in parts])

    def run_forward(self, values: Iterable[Any]) -> tuple[Context, Any]:
        """Run ``forward`` again on other values of the operands; return its new context and its result."""
        context = type(self.context)(tuple(isinstance(x, Tensor) for x in self.operands))
        operands = [
            Tensor.of(as_stored(np.array(value))) if isinstance(x, Tensor) else x
            for x, value in zip(self.operands, values, strict=True)
        ]
        with no_grad(), replay_random(self.random_state):
            return context, self.forward(context, *operands)

    def apply_again(self, values: tuple[Any, ...]) -> list[Any]:
        """Return the outputs for other operands, recorded as a new call with a new context."""
        from autodiff.core.engine.custom_function import apply_custom_function

        operands = []
        for x, value in zip(self.operands, values, strict=True):
            if isinstance(x, Tensor) and not isinstance(value, Tensor):
                value = Tensor.of(as_stored(np.array(value)))
            operands.append(OPS["clone"](value) if self.is_changed_operand(x) else value)
        with replay_random(self.random_state):
            result = apply_custom_function(self.name, self.forward, self.backward, tuple(operands))
        return list(result) if isinstance(result, (tuple, NamedResult)) else [result]

    # -- the rule -------------------------------------------------------------------------------------

    def vjp_for(self, index: int) -> Callable[..., Any]:
        def vjp(g: Any, out: Any, *values: Any, **params: Any) -> Any:
            # One call of `backward` serves all operands: its results are kept for the next index, and for
            # reports about the pass later.
            if self.answered[0] is not g:
                self.answered = (g, self.call_backward(g))
            answer = self.answered[1][index]
            return answer if answer is None or isinstance(g, Tensor) else answer.data

        return vjp

    def call_backward(self, g: Any) -> tuple[Any, ...]:
        """Return the checked results of the user's ``backward`` for the cotangent ``g`` of the node."""
        if self.reached_outputs:
            self.last_reached, self.reached_outputs = self.reached_outputs, set()
        arguments = self.backward_arguments(g if isinstance(g, Tensor) else Tensor.of(as_stored(g)))
        site = mode.site  # running a script's `backward` changes mode.site
        try:
            answers = self.run_backward(arguments)
            self.backward_site = None if mode.site is site else mode.site
        finally:
            mode.site = site
        if not isinstance(answers, tuple):
            answers = (answers,)
        return check_backward_results(self.name, answers, self.values)

    def run_backward(self, arguments: list[Tensor | None]) -> Any:
        """Run the user's ``backward``; after the script's end, with the random numbers of its last run."""
        is_over = self.is_of_script and mode.recorder is None
        if is_over and self.backward_random_state is not None:
            with replay_random(self.backward_random_state):
                return self.backward(self.context, *arguments)
        self.backward_random_state = random_source.state()
        return self.backward(self.context, *arguments)

    def backward_arguments(self, g: Tensor) -> list[Tensor | None]:
        """Return the arguments of ``backward``: the cotangent of each output.

        ``g`` is the cotangent of the row, or of the only output.
        """
        is_row = sum(slot is not None for slot in self.slots) > 1
        arguments: list[Tensor | None] = []
        for position, (slot, output) in enumerate(zip(self.slots, self.outputs, strict=True)):
            has_one = slot is not None and (not is_row or position in self.last_reached)
            if not has_one and (output is None or not self.context.materialize_grads):
                arguments.append(None)
            elif slot is None:
                arguments.append(Tensor.of(as_stored(np.zeros(output.shape, dtype=output.dtype.name))))
            elif not is_row:
                arguments.append(g)
            else:
                piece = OPS["slice"](g, dim=0, start=slot[0], stop=slot[1], step=1)
                piece = OPS["reshape"](piece, shape=output.shape)
                arguments.append(cast(piece, output.dtype))
        return arguments


class replay_random:
    """Context manager that draws random numbers as after ``random_state``, then restores the state before."""

    __slots__ = ("before", "random_state")

    def __init__(self, random_state: tuple[int, Any, Any]) -> None:
        self.random_state = random_state

    def __enter__(self) -> None:
        self.before = random_source.state()
        random_source.set_state(self.random_state)

    def __exit__(self, *exc: object) -> None:
        random_source.set_state(self.before)


def is_recorded(x: Tensor) -> bool:
    return x.requires_grad_flag or (x.node is not None and x.node.tracked)


def unrecorded_output(output: Any, context: Context) -> Any:
    """Return an output through which no gradient flows, as the caller gets it."""
    if not isinstance(output, Tensor):
        return output
    if any(output is tensor for tensor in context.changed):
        return output.assign_in_place(Tensor.of(output.value))  # counts as a change
    return Tensor.of(output.value)


def check_backward_results(name: str, answers: tuple[Any, ...], values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return the results of ``backward`` in the shapes and dtypes of the operands.

    Raises GradientError or ShapeError in torch's wording for a wrong number, class or shape.
    """
    if len(answers) < len(values) or any(a is not None for a in answers[len(values) :]):
        raise GradientError(
            f"function {name}Backward returned an incorrect number of gradients (expected {len(values)},"
            f" got {len(answers)})",
            code="E0412",
            caret=f"`forward` of `{name}` takes {len(values)}, its `backward` returned {len(answers)}",
            help=("return one gradient for each argument of forward, None where there is none",),
        )
    for index, (answer, value) in enumerate(zip(answers, values, strict=False)):
        if answer is not None and not isinstance(answer, Tensor):
            raise GradientError(
                f"expected Variable or None (got {type(answer).__name__})",
                code="E0412",
                caret=f"`{name}.backward` returned a {type(answer).__name__}",
                help=("gradients are tensors, or None where there is none",),
            )
        if answer is not None and not can_sum_to(answer.shape, np.shape(value)):
            raise ShapeError(
                f"Function {name}Backward returned an invalid gradient at index {index} - got"
                f" {list(answer.shape)} but expected shape compatible with {list(np.shape(value))}",
                code="E0413",
                caret=f"{ordinal(index)} argument of `forward` has shape {np.shape(value)},"
                f" its gradient {answer.shape}",
                help=("a gradient has the shape of its input; `grad_output` has that of the output",),
            )
    return tuple(
        None
        if answer is None
        else fit_recorded(
            answer, np.shape(value), (value if isinstance(value, np.ndarray) else answer).dtype.name
        )
        for answer, value in zip(answers, values, strict=False)
    )


def can_sum_to(answer: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether a gradient of shape ``answer`` can be summed to ``shape``, as torch does."""
    return len(answer) >= len(shape) and all(
        n in (1, m) for m, n in zip(reversed(answer), reversed(shape), strict=False)
    )


def ordinal(index: int) -> str:
    """Return the ordinal of an argument for a message: ``the first`` for 0."""
    names = ("the first", "the second", "the third")
    return names[index] if index < len(names) else f"the {index + 1}th"
