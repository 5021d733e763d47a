"""Chooses the target of a report: the one asked for, or the output of backward(), or what the script ends in.

What the script ends in is the value of a last expression, else the variable that was assigned or changed last
at top level. A tensor is the target as it is, a list with its entries joined. An output that no input takes
part in is a constant: its slope is 0, unless the graph was left on the way to it, as with ``.item()``.
If the last variable is no result, the last output given to grad() or to jacobian() is the target.
"""

from __future__ import annotations

from contextlib import suppress

from autodiff.core.base.errors import AutodiffError, GradientError, UsageError
from autodiff.core.base.lazy_imports import services
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.tensor import NO_GRAD_MESSAGE, Tensor
from autodiff.core.fast.tape import is_tape_entry
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.grammar.objects.values import type_name
from autodiff.grammar.session.assignment_plan import number_tensor, unknown_name_error
from autodiff.grammar.session.inputs import default_inputs
from autodiff.grammar.session.leaf_names import (
    display_name,
    output_name,
    source_text_at,
    tensors_in_lists,
)
from autodiff.grammar.session.outputs import entries_of, is_output, is_sequence, join_entries
from autodiff.grammar.session.run import Execution, Settings
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import assigned_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: How the help begins for a script of plain numbers in which nothing could be an input.
WITHOUT_INPUT = "there is no input"
NO_INPUT_HELP = ("create an input with requires_grad=True, or name one with --wrt NAME",)


class Target:
    """What a report differentiates: the ``node`` that the pass starts from and its ``name``.

    ``seed`` is that of the script's own pass from there, None without one. ``listed`` is the list whose
    entries are joined in ``node``, else None. ``constant`` says why no input takes part, "" if some may.
    """

    __slots__ = ("constant", "listed", "name", "node", "seed")

    def __init__(
        self, node: Node, name: str, seed: Any = None, listed: Any = None, constant: str = ""
    ) -> None:
        self.node = node
        self.name = name
        self.seed = seed
        self.listed = listed
        self.constant = constant


class ConstantOutputError(GradientError):
    """The output ``name`` has no graph: ``tensor`` was computed without any tracked input.

    ``listed`` is the list whose entries are joined in ``tensor``, else None. ``find_target`` decides whether
    this is an error, as after ``.item()``, or whether the output is a constant of slope 0.
    """

    def __init__(self, tensor: Tensor, name: str, listed: Any = None, **more: Any) -> None:
        super().__init__(NO_GRAD_MESSAGE, code="E0410", **more)
        self.tensor = tensor
        self.name = name
        self.listed = listed


def find_target(execution: Execution, settings: Settings) -> Target:
    """Return the result of ``choose_target``; its error explains why a target cannot be differentiated.

    An output that is a constant is a target, whose slope by every input is 0.
    """
    try:
        return choose_target(execution, settings)
    except ConstantOutputError as error:
        why = services["lost target"].explain_missing_target(error, execution, settings)
        if not why:
            raise
        root = Leaf(error.tensor.value, tracked=False, site=error.span)
        return Target(root, error.name, None, error.listed, why)


def choose_target(execution: Execution, settings: Settings) -> Target:
    """Return the target: that of ``--of``, else the output of backward(), else what the script ends in.

    Raises ConstantOutputError for an output without a graph.
    """
    if settings.of is not None:
        version = requested_version(settings, execution)
        if version is not None:
            return Target(version, settings.of)
        value, span = requested_output(settings.of, execution), assigned_at(settings.of, execution)
        text = settings.of
        if value.__class__ is tuple:
            text = in_brackets(text, parse_to_first_error(Source(text, "<--of>")))
        return make_target(value, text, span, execution)
    backward = execution.last_passes.backward
    if backward.roots:
        return Target(backward.roots[0], output_name(backward.roots[0], execution), backward.seeds[0])
    final = execution.last_value
    if is_output(final):
        span = execution.last_span
        if final.__class__ is Tensor:
            return make_target(final, display_name(final.source(), execution), span, execution)
        text = source_text_at(span, execution)
        text = in_brackets(text, parse_to_first_error(execution.source))
        return make_target(final, text, span, execution)
    check_has_value(execution)
    name = execution.last_assigned
    value = None if name is None else execution.names.get(name)
    if not is_output(value) and not is_computed(value):  # such as a list of texts
        name = last_result(execution)
        value = None if name is None else execution.names[name]
    found = None if is_computed(value) else target_of_functions(value, execution)
    if found is not None:
        return found
    if name is None or not is_output(value):
        raise no_output_error(execution)
    if last_result(execution) is None and execution.without_tensors:
        check_kind_of_output(value, name, execution)
    if value.__class__ is Tensor and is_input(value, name) and is_no_output(value, execution):
        raise ConstantOutputError(
            value,
            name,
            caret=f"`{name}` is an input, and nothing is computed from it",
            span=assigned_at(name, execution),
            help=other_output_help(execution),
        )
    return make_target(value, name, assigned_at(name, execution), execution)


def in_brackets(text: str, script: tree.Script) -> str:
    """Return the text of the last expression, in brackets if it is ``a, b``, whose entry is ``(a, b)[0]``."""
    last = script.body[-1]
    is_bare = isinstance(last, tree.ExpressionStatement) and isinstance(last.value, tree.TupleDisplay)
    return f"({text})" if is_bare and not (text.startswith("(") and text.endswith(")")) else text


def no_output_error(execution: Execution) -> UsageError:
    """Return the error for a script that ends in nothing that could be differentiated."""
    last = execution.last_assigned
    ends_in = None if last is None else execution.names.get(last)
    caret = ""
    chosen: tuple[str, ...] = ()
    if last is not None and is_sequence(ends_in):
        entries = list(entries_of(ends_in, last))
        numbers = [place for place, entry in entries if is_output(entry)]
        other = next((entry for _, entry in entries if not is_output(entry)), None)
        caret = (
            f"`{last}` holds a value of type {type_name(other)}, which is no number"
            if entries
            else f"`{last}` is an empty {type_name(ends_in)}: it has no entry"
        )
        chosen = tuple(f"choose one of its entries: --of '{place}'" for place in numbers[:1])
    return UsageError(
        "the script computes nothing that could be differentiated",
        code="E0604",
        caret=caret,
        span=assigned_at(last, execution) if caret and last is not None else None,
        help=(
            *(chosen or ("assign a result, as in `L = w**2`, or name one with --of NAME",)),
            *other_output_help(execution),
        ),
    )


def is_computed(value: Any) -> bool:
    """Whether a value is the recorded result of an op, or a list with such a result."""
    parts = [part for _, part in entries_of(value, "")]
    return any(part.__class__ is Tensor and is_result(part) for part in parts)


def is_result(x: Tensor) -> bool:
    """Whether an op made a tensor. The entries of its tape do not become nodes for that."""
    if is_tape_entry(x) and x.tape is not None and x.tape[0].nodes is None:
        return x.tape[x.tape_position][0] is not None
    return isinstance(x.node, OpNode)


def is_input(value: Tensor, name: str) -> bool:
    """Whether a variable holds an input of the script, which has its name."""
    node = value.node
    return isinstance(node, Leaf) and node.tracked and node.name == name


def is_no_output(value: Tensor, execution: Execution) -> bool:
    """Whether a script has another input or, if it builds no tensors, a result beside this input."""
    if execution.without_tensors and last_result(execution) is not None:
        return True
    return any(node is not value.node for _, node in default_inputs(execution, []))


def check_has_value(execution: Execution) -> None:
    """Raise UsageError if a script without tensors ends in None or a branch or loop that assigned nothing.

    Python has no number then for what the script ends in.
    """
    targets = last_targets(execution) if execution.may_lack_value() else []
    if not targets or any(execution.names.get(target.id) is not None for target in targets):
        return
    target = targets[-1]
    line, _ = execution.source.position(target.span.start)
    is_none = target.id in execution.names
    raise UsageError(
        f"`{target.id}` is no number but of type NoneType"
        if is_none
        else f"`{target.id}` has no value: line {line} did not run",
        code="E0603" if is_none else "E0604",
        span=target.span,
        help=(
            "assign a result, as in `L = w**2`"
            if is_none
            else f"give `{target.id}` a value before the branch or loop",
            *other_output_help(execution),
        ),
    )


def check_kind_of_output(value: Any, name: str, execution: Execution) -> None:
    """Raise UsageError if a script without results ends in a text, or is nothing but one input."""
    for target in last_targets(execution)[-1:]:
        ends_in = execution.names.get(target.id)
        if not is_output(ends_in) and not is_sequence(ends_in):
            raise UsageError(
                f"`{target.id}` is no number but of type {type_name(ends_in)}",
                code="E0603",
                span=target.span,
                help=("assign a result, as in `L = w**2`, or name one with --of NAME",),
            )
    if value.__class__ is Tensor and is_input(value, name) and not is_no_output(value, execution):
        raise UsageError(
            f"`{name}` is an input, and nothing is computed from it",
            code="E0604",
            span=assigned_at(name, execution),
            help=(f"assign a result, as in `L = {name}**2`, or ask for the input itself: --of {name}",),
        )


def last_targets(execution: Execution) -> list[tree.Name]:
    """Return the names that the last top-level statement with assignments assigns, by the text."""
    for statement in reversed(parse_to_first_error(execution.source).body):
        if isinstance(statement, (tree.FunctionDef, tree.ClassDef)):
            continue
        if found := sorted(assigned_names(statement), key=lambda name: name.span.start):
            return found
    return []


def target_of_functions(value: Any, execution: Execution) -> Target | None:
    """Return the target of a script that ends in no result of its own: an output of grad() or jacobian().

    ``value`` is what the script ends in. jacobian() and similar functions differentiate a graph of their own;
    what they return is not the derivative of another result.
    """
    grad, functional = execution.last_passes.grad, execution.last_passes.functional
    made = execution.last_passes.derivatives
    if grad.roots and (made is None or value is not made.result):
        return Target(grad.roots[-1], display_name(grad.roots[-1], execution), grad.seeds[-1])
    if functional.roots and last_result(execution) is None:
        root = functional.roots[-1]
        return Target(root, display_name(root, execution), functional.seeds[-1])
    return None


def make_target(value: Any, name: str, span: Span | None, execution: Execution) -> Target:
    """Return a tensor, a number or a list as a target; ``span`` is where it was computed.

    Raises ConstantOutputError if nothing in it can be differentiated.
    """
    listed = None
    if is_sequence(value):
        entries = list(entries_of(value, name))
        if len(entries) == 1:
            [(name, value)] = entries
        else:
            listed, value = value, join_entries(value, name, span)
    is_tensor = value.__class__ is Tensor
    tensor = value if is_tensor else number_tensor(value)
    node = tensor.node
    if node is None or not node.tracked:
        raise ConstantOutputError(
            tensor,
            name,
            listed,
            caret=f"nothing `{name}` was made from can be differentiated"
            if is_tensor
            else f"`{name}` is a plain number that nothing connects to the inputs"
            if listed is None
            else f"`{name}` holds plain numbers, which nothing connects to the inputs",
            operands=(tensor,) if is_tensor else (),
            help=(*other_output_help(execution), *input_help(is_tensor, execution)),
            span=span if node is None or node.site is None else node.site,
        )
    return Target(node, name, script_seed(node, execution), listed)


def script_seed(node: Node, execution: Execution) -> Any:
    """Return the seed of the script's own backward() or grad() that started at ``node``; None without one."""
    for ran in (execution.last_passes.backward, execution.last_passes.grad):
        if node in ran.roots:
            return ran.seeds[ran.roots.index(node)]
    return None


def last_result(execution: Execution) -> str | None:
    """Return the name of the last result that can be differentiated; None if there is none."""
    results = [
        (value.node.number, name)
        for name, value in execution.names.items()
        if value.__class__ is Tensor and isinstance(value.node, OpNode)
    ]
    return max(results)[1] if results else None


def last_number(execution: Execution) -> str | None:
    """Return the name of the last result that is one number, such as a loss; None if there is none."""
    results = [
        (not value.shape, value.node.number, name)
        for name, value in execution.names.items()
        if value.__class__ is Tensor and value.entry_count == 1 and isinstance(value.node, OpNode)
    ]
    return max(results)[2] if results else None


def other_output(execution: Execution) -> str | None:
    """Return the name of the output to propose in place of one that was not meant; None if there is none."""
    return last_number(execution) or last_result(execution)


def other_output_help(execution: Execution) -> tuple[str, ...]:
    """Return the help that proposes another output, if there is one."""
    name = other_output(execution)
    return () if name is None else (f"choose another output: --of {name}",)


def input_help(is_tensor: bool, execution: Execution) -> tuple[str, ...]:
    """Return the help that proposes an input, where the output is a tensor or nothing could be one."""
    if execution.without_tensors:
        is_without = not execution.leaves and not execution.reassigned
        if is_without and (grouped := grouped_digits(execution.source.text)):
            return (grouped,)
        return (f"{WITHOUT_INPUT}: assign one, as in `x = 2.0`, or name one with --wrt NAME",) * is_without
    return NO_INPUT_HELP * is_tensor


def grouped_digits(text: str) -> str:
    """Return the advice on a number with commas between groups of digits, as ``x = 1,000.5``; or ""."""
    import re

    found = re.search(
        r"^(\w+)[ \t]*=[ \t]*([1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?)[ \t]*(?:[#;]|$)", text, re.MULTILINE
    )
    return "" if found is None else f"`{found[2]}` is a tuple: write {found[1]} = {found[2].replace(',', '')}"


def assigned_at(name: str, execution: Execution) -> Span | None:
    """Return where a variable is assigned first; where the last expression stands for an expression."""
    return execution.scopes.module.first_binding.get(name, execution.last_span)


def requested_version(settings: Settings, execution: Execution) -> Node | None:
    """Return the node of ``--of h_20``, which is the name that a report without ``--of`` gives to a value."""
    from autodiff.grammar.session.versions import orders_below, version_node, version_of

    assert settings.of is not None
    variable = version_of(settings.of, execution.scopes.module.slots)
    if variable is None:
        return None
    roots = []
    with suppress(AutodiffError):
        roots.append(choose_target(execution, Settings()).node)
    last = execution.names.get(variable)
    if last.__class__ is Tensor and last.node is not None:
        roots.append(last.node)
    return version_node(settings.of, execution, orders_below(roots), "--of")


def requested_output(of: str, execution: Execution) -> Any:
    """Return the value that ``--of`` means; an expression is the script's last line by then.

    Raises UsageError for a name that the script does not have, and for a value that is no output.
    """
    is_name = of.isidentifier()
    if is_name and of not in execution.names:
        tensors = [n for n, value in execution.names.items() if value.__class__ is Tensor]
        raise unknown_name_error(of, tensors, "variable", "E0601")
    value = execution.names[of] if is_name else execution.last_value
    if not is_name and not is_output(value):
        value = tensors_in_lists(execution.names).get(of, value)
    if not is_output(value):
        what = f"`{of}`" if is_name else "this"
        raise UsageError(f"--of {of}: {what} is no tensor but of type {type_name(value)}", code="E0603")
    return value
