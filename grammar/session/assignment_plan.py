"""Plans which top-level assignments convert their value: leaves of scripts without tensors, --set, --wrt.

In a script that builds no tensor, every name that is assigned a number of the text at top level, once, is a
leaf (``number_expressions``). The plan is made before the script runs. It maps targets to conversions.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.errors import UsageError
from autodiff.core.base.lazy_imports import LazyModule, np
from autodiff.core.base.source import Source
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph import dtypes
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.node import Leaf
from autodiff.core.graph.values import as_stored
from autodiff.grammar.interpret.scope import ScriptScopes
from autodiff.grammar.interpret.script_kind import reads_any
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import NUMBER_CLASSES
from autodiff.grammar.session.number_expressions import (
    is_data,
    is_filled_array,
    is_literal_number,
    makes_generator,
    makes_numbers,
)
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.grammar.session.run import Settings

    Convert = Callable[[Any], Any]
    Shapes = tuple[tuple[int, ...], tuple[int, ...]]

did_you_mean = LazyModule("autodiff.core.base.did_you_mean")

#: How many names of a script an error message lists.
MAX_LISTED = 20
#: The longest pattern of names that is compared: fnmatch takes time that grows with the square of its length.
LONGEST_PATTERN = 1000


class AssignmentPlan:
    """The ``conversions`` of a script's top-level assignments, by target.

    ``marks`` says that the script uses requires_grad, or builds no tensor. After the run, ``reshaped`` has
    the old and the new shape of tensors that ``--set`` gave another shape, by name. In a script without
    tensors ``leaves`` are the numbers that are inputs, ``data`` those that are inputs if there are no others
    (``np.linspace(0, 1, 5)``), and ``reassigned`` has the first values of the
    numbers that are none because they are assigned more than once; None for lists and arithmetic.
    After the run, ``first_leaves`` has the nodes of the first values that ``--wrt`` names and the script
    assigns again, and ``first_numbers`` the names assigned again whose first value was a plain number.
    ``list_entries`` has the leaves of lists that ``--wrt`` names and the script changes by methods such as
    ``append``, each with its place in the first list: these stay lists.
    ``assigned_once`` are the names that have one value for the whole of the run.
    """

    __slots__ = (
        *("assigned_once", "conversions", "data", "first_leaves", "first_numbers", "leaves"),
        *("list_entries", "marks", "reassigned", "reshaped"),
    )

    def __init__(self) -> None:
        self.conversions: dict[tree.Expression, Convert] = {}
        self.reshaped: dict[str, Shapes] = {}
        self.marks = False
        self.reassigned: dict[str, float | None] = {}
        self.first_leaves: dict[str, Node] = {}
        self.first_numbers: set[str] = set()
        self.leaves: list[str] = []
        self.data: list[str] = []
        self.list_entries: dict[str, list[tuple[str, Node]]] = {}
        self.assigned_once: list[str] = []


def make_plan(
    script: tree.Script, source: Source, names: ScriptScopes, settings: Settings, without_tensors: bool
) -> AssignmentPlan:
    """Return the conversions that top-level assignments make."""
    sets, wrt = settings.sets, settings.wrt
    made = AssignmentPlan()
    made.marks = without_tensors or names.marks or reads_any(names, ["Parameter"])
    default = settings.track and not made.marks and not wrt
    replaced: set[str] = set()
    seen: set[str] = set()
    generators: list[str] = []
    for target, written in top_level_assignments(script.body):
        name = target.id
        steps: list[Convert] = []
        once = names.module.assignment_count(name) == 1 and name not in names.changed
        if once and written is not None:
            made.assigned_once.append(name)
            if without_tensors and makes_generator(written, names):
                generators.append(name)
        is_literal = written is not None and is_literal_number(written, source, names, generators)
        if without_tensors and written is not None and is_literal:
            if once:
                steps.append(to_leaf)
                (made.data if is_data(written) else made.leaves).append(name)
            elif name not in seen and not is_filled_array(written):
                made.reassigned[name] = written.value if isinstance(written, tree.Number) else None
        stays_list = without_tensors and name in names.lists
        if name in sets and name not in replaced:
            replaced.add(name)
            steps += replacements(sets[name], name, made, stays_list)
        if name in settings.changes:
            steps.append(settings.changes[name])
        is_number = written is not None and (without_tensors or is_literal)
        if is_number and not once and name not in seen:
            steps.append(partial(note_number, made.first_numbers, name))
        is_first = not once and asks_first(name, wrt, names, without_tensors)
        if any(matches_pattern(name, pattern) for pattern in wrt) or (without_tensors and is_first):
            if stays_list:
                steps.append(partial(entries_as_leaves, made.list_entries, name))
            elif once or not without_tensors or is_filled_later(name, written, names):
                steps.append(track_value)
            elif name in seen and not is_literal:
                steps.append(partial(track_later, made.first_leaves, name))
            else:
                steps.append(track_value)
                if name not in seen and written is not None:
                    steps.append(partial(keep_first, made.first_leaves, name, makes_numbers(written)))
        elif any(pattern.startswith(name + "[") for pattern in wrt):
            entries = partial(entries_as_leaves, made.list_entries, name)
            steps.append(entries if stays_list else track_entries)
        elif default or (is_first and name not in seen):
            steps.append(track_if_new)
        seen.add(name)
        if steps:
            made.conversions[target] = steps[0] if len(steps) == 1 else compose_conversions(steps)
    if settings.changes:
        made.conversions.update(other_changes(script.body, settings.changes, seen))
    check_replaced([name for name in sets if name not in replaced], names)
    return made


def replacements(new_value: Any, name: str, made: AssignmentPlan, stays_list: bool) -> list[Convert]:
    """Return the conversions for ``--set``."""
    if stays_list and new_value.__class__ is list:
        return [partial(replace_by, new_value), partial(entries_as_leaves, made.list_entries, name)]
    return [set_option_conversion(new_value, name, made.reshaped)]


def other_changes(
    body: tree.Body, changes: Mapping[str, Convert], assigned: Collection[str]
) -> dict[tree.Expression, Convert]:
    """The changes of targets such as that of ``x += 1``, and of variables that only functions have.

    ``assigned`` are the names that the script assigns outside functions.
    """
    augmented = list(augmented_targets(body))
    outside = {*assigned, *(target.id for target in augmented)}
    local = [target for _, targets in local_targets(body) for target in targets if target.id not in outside]
    return {target: changes[target.id] for target in (*augmented, *local) if target.id in changes}


def check_replaced(missed: Sequence[str], names: ScriptScopes) -> None:
    """Raise UsageError if the script binds one of the names, for which no assignment was replaced."""
    for name in missed:
        if names.module.binding_counts.get(name) != 0:
            raise UsageError(
                f"--set cannot replace `{name}`: the script assigns it, but never with `{name} = ...`",
                code="E0602",
            )


def compose_conversions(steps: list[Convert]) -> Convert:
    def convert(value: Any) -> Any:
        for step in steps:
            value = step(value)
        return value

    return convert


def matches_pattern(name: str, pattern: str) -> bool:
    """Whether a ``--wrt`` entry, which may be a glob, matches a name."""
    if name == pattern:
        return True
    if len(pattern) > LONGEST_PATTERN or not any(sign in pattern for sign in "*?["):
        return False
    from fnmatch import fnmatchcase

    return fnmatchcase(name, pattern)


# -- from the syntax --------------------------------------------------------------------------------


def top_level_assignments(
    body: tree.Body,
) -> Iterator[tuple[tree.Name, tree.Expression | None]]:
    """Yield the names assigned at top level in order, each with its expression or None.

    Names assigned in loops and branches have None, because their values are not fixed.
    """
    for statement, direct in top_level_statements(body):
        if isinstance(statement, tree.Assign):
            for target in statement.targets:
                yield from pair_targets(target, statement.value if direct else None)


def augmented_targets(body: tree.Body) -> Iterator[tree.Name]:
    """Yield the names at top level that statements such as ``x += 1`` change."""
    for statement, _ in top_level_statements(body):
        if isinstance(statement, tree.AugmentedAssign) and isinstance(statement.target, tree.Name):
            yield statement.target


def local_targets(body: tree.Body) -> Iterator[tuple[tree.FunctionDef, list[tree.Name]]]:
    """Yield the functions, each with the names that its own statements assign."""
    for function in walk(*body):
        if isinstance(function, tree.FunctionDef):
            assigned = (target for target, _ in top_level_assignments(function.body))
            yield function, [*assigned, *augmented_targets(function.body)]


def top_level_statements(body: tree.Body) -> Iterator[tuple[tree.Statement, bool]]:
    """Yield the statements outside functions in order; True for those that are run exactly once."""
    stack: list[tuple[tree.Statement, bool]] = [(statement, True) for statement in reversed(body)]
    while stack:
        statement, direct = stack.pop()
        yield statement, direct
        if isinstance(statement, (tree.For, tree.While)):
            stack += [(inner, False) for inner in reversed((*statement.body, *statement.orelse))]
        elif isinstance(statement, tree.With):
            stack += [(inner, direct) for inner in reversed(statement.body)]
        elif isinstance(statement, tree.If):
            inner_parts = [*(part for _, body in statement.branches for part in body), *statement.orelse]
            stack += [(inner, False) for inner in reversed(inner_parts)]


def pair_targets(
    target: tree.Expression, value: tree.Expression | None
) -> Iterator[tuple[tree.Name, tree.Expression | None]]:
    """Yield the names of a target with their expressions; tuples of equal length are matched by element."""
    if isinstance(target, tree.Name):
        yield target, value
    elif isinstance(target, (tree.TupleDisplay, tree.ListDisplay)):
        parts: list[tree.Expression | None] = [None] * len(target.elements)
        if isinstance(value, (tree.TupleDisplay, tree.ListDisplay)) and len(value.elements) == len(parts):
            parts = list(value.elements)
        for element, part in zip(target.elements, parts, strict=True):
            yield from pair_targets(element, part)


# -- conversions ------------------------------------------------------------------------------------


def may_be_array(value: Any) -> bool:
    return value.__class__ not in NUMBER_CLASSES and value.__class__ not in (str, list, tuple, type(None))


def is_float_array(value: Any) -> bool:
    return may_be_array(value) and isinstance(value, np.ndarray) and value.dtype.kind == "f"


def is_number_or_list(value: Any) -> bool:
    """Whether a value is a number, or nested lists of numbers with a shape and at least one entry."""
    if value.__class__ in NUMBER_CLASSES:
        return value.__class__ is not bool
    if value.__class__ is not list:
        return False
    shape = nested_list_shape(value)
    return shape is not None and 0 not in shape


def nested_list_shape(value: Any) -> tuple[int, ...] | None:
    """Return the shape of nested lists of numbers; None if they are ragged or hold something else."""
    level: list[Any] = [value]
    shape: list[int] = []
    while any(v.__class__ is list for v in level):
        if any(v.__class__ is not list or len(v) != len(level[0]) for v in level) or len(shape) > 64:
            return None
        shape.append(len(level[0]))
        level = [part for v in level for part in v]
    if any(v.__class__ not in NUMBER_CLASSES or v.__class__ is bool for v in level):
        return None
    return tuple(shape)


def number_tensor(value: Any, dtype: DType = dtypes.float64) -> Tensor:
    """Return a tensor of numbers given as a number, lists, an array or a tensor."""
    if value.__class__ is Tensor:
        value = value.value
    if value.__class__ in NUMBER_CLASSES and dtype is dtypes.float64:
        return Tensor.of(float(value))
    return Tensor.of(as_stored(np.array(value, dtype=dtype.name)))


def given_tensor(value: Any, dtype: DType, where: str, code: str) -> Tensor:
    """Return a tensor of the numbers that an option gives, in a dtype that can hold them.

    Raise a UsageError, whose message begins with ``where``, for a value that is not made of numbers only, for
    lists of different lengths, and for numbers that the dtype would change to others.
    """
    numbers = value.value if value.__class__ is Tensor else value
    try:
        array = np.asarray(numbers)
    except ValueError:
        raise UsageError(
            f"{where}: the lists of the value differ in length or depth",
            code=code,
            help=("give the lists of one level the same length, as in [[1, 2], [3, 4]]",),
        ) from None
    if array.dtype.kind not in "biuf":
        raise UsageError(f"{where}: the value holds something that is no number", code=code)
    if not dtype.is_floating_point:
        with np.errstate(invalid="ignore"):
            is_held = array.astype(dtype.name) == array
        if not is_held.all():
            number = array[~is_held].flat[0]
            raise UsageError(
                f"{where}: {number} is none of them",
                code=code,
                help=("write a number of the script with a point to make it a float, as in 2.0",),
            )
    return number_tensor(value, dtype)


def to_leaf(value: Any) -> Any:
    """Return numbers as a leaf in the default dtype, for scripts without tensors."""
    if not (is_number_or_list(value) or value.__class__ is Tensor or is_float_array(value)):
        return value
    if value.__class__ is Tensor and value.dtype in (dtypes.bool_, dtypes.uint8):
        return value
    is_single = value.__class__ is Tensor and value.dtype is dtypes.float32
    made = number_tensor(value, dtypes.float32 if is_single else dtypes.default_dtype())
    made.set_requires_grad()
    keep_literal(made, value)
    return made


def keep_literal(made: Tensor, value: Any) -> None:
    """Keep the number, list or array that a leaf stands for, for scripts that print it as Python does."""
    if value.__class__ is Tensor:  # of np.array
        value = None if value.dtype.is_floating_point else value.data
    if runtime.prints_numbers and value is not None and isinstance(made.node, Leaf):
        runtime.literals[made.node] = value


def track_value(value: Any) -> Any:
    """Return the value for ``--wrt``: its tensors are tracked, which the script does not notice."""
    literal = value
    if is_number_or_list(value) or is_whole_array(value):
        value = number_tensor(value)
    if value.__class__ is Tensor and value.dtype.is_floating_point:
        value.track()
        keep_literal(value, literal)
    return track_entries(value) if value.__class__ in (list, tuple) else value


def is_whole_array(value: Any) -> bool:
    """Whether a value is numpy's array of whole numbers, which is an input as one of floats."""
    is_whole = value.__class__ is Tensor and value.dtype.kind == "i" and value.dtype is not dtypes.uint8
    return is_whole and runtime.prints_numbers


def asks_first(name: str, wrt: Collection[str], names: ScriptScopes, without_tensors: bool) -> bool:
    """Whether ``--wrt`` has the name ``w_0`` of a first value or a pattern for it, and the script has not.

    In scripts without tensors a later one, ``w_4``, is made of the first: nothing else is recorded there.
    """
    firsts = [first for first in (f"{name}_0", f"{name}_v0") if first not in names.module.slots]
    is_first = any(matches_pattern(first, pattern) for first in firsts for pattern in wrt)
    return is_first or any(
        without_tensors
        and pattern.startswith(f"{name}_")
        and pattern[len(name) + 1 :].lstrip("v").isdigit()
        and pattern not in names.module.slots
        for pattern in wrt
    )


def is_filled_later(name: str, written: tree.Expression | None, names: ScriptScopes) -> bool:
    """Whether a name gets ``np.zeros(3)`` or the like and then entries: it means what these make."""
    is_filled = written is not None and is_filled_array(written) and name in names.changed
    return is_filled and names.module.assignment_count(name) == 1


def note_number(found: set[str], name: str, value: Any) -> Any:
    """Enter a name whose first value is a plain number; return the value."""
    if value.__class__ in NUMBER_CLASSES:
        found.add(name)
    return value


def keep_first(leaves: dict[str, Node], name: str, is_made: bool, value: Any) -> Any:
    """Keep the node of a first value, which its name may not hold after the run; return the value.

    A value that is computed from others is none, unless it ``is_made`` of random numbers or the like.
    """
    if value.__class__ is Tensor and (isinstance(value.node, Leaf) or (is_made and value.node is not None)):
        leaves[name] = value.node
        if value.node.name is None:
            value.node.name = name
    return value


def replace_by(new_value: Any, value: Any) -> Any:
    return new_value


def entries_as_leaves(found: dict[str, list[tuple[str, Node]]], name: str, value: Any) -> Any:
    """Return a list of numbers as a list of leaves, the first time; other values as ``track_value`` does."""
    if value.__class__ is not list:
        return track_value(value)
    if name in found:
        return value
    found[name] = []

    def made_of(value: Any, place: str) -> Any:
        if value.__class__ is list:
            return [made_of(part, f"{place}[{at}]") for at, part in enumerate(value)]
        value = track_value(value)
        if value.__class__ is Tensor and isinstance(value.node, Leaf):
            value.node.name = place
            found[name].append((place, value.node))
        return value

    return made_of(value, name)


def track_later(firsts: Mapping[str, Node], name: str, value: Any) -> Any:
    """Return a later value of a name: where ``--wrt`` means the first one, a number is no input."""
    return value if name in firsts and value.__class__ in NUMBER_CLASSES else track_value(value)


def track_entries(value: Any) -> Any:
    """Return ``params`` for ``--wrt 'params[0]'``: the same list with its tensors tracked."""
    from autodiff.grammar.session.leaf_names import named_tensors

    for _, entry in named_tensors({"": value}):
        track_value(entry)
    return value


def track_if_new(value: Any) -> Any:
    """Track a float tensor that no op made, in scripts that never set requires_grad; return the value."""
    if value.__class__ is Tensor and value.node is None and value.dtype.is_floating_point:
        value.track()
    return value


def set_option_conversion(new_value: Any, name: str, reshaped: dict[str, Shapes]) -> Convert:
    """Return the conversion for ``--set``: a tensor keeps its dtype and requires_grad and gets new values.

    If the tensor gets another shape, the old and new shape are recorded in ``reshaped``.
    """

    def convert(value: Any) -> Any:
        if value.__class__ is Tensor:
            holds = f"--set cannot replace `{name}`, which holds {value.dtype.name} numbers"
            made = given_tensor(new_value, value.dtype, holds, "E0602")
            if value.shape != made.shape:
                reshaped[name] = tuple(value.shape), tuple(made.shape)
            if value.requires_grad:
                made.set_requires_grad()
            return made
        return to_script_value(new_value)

    return convert


def to_script_value(value: Any) -> Any:
    """Return a value from the command line or a caller as a script value: numbers become tracked leaves."""
    if value.__class__ is Tensor:
        return value
    if is_number_or_list(value):
        made = number_tensor(value)
    elif may_be_array(value):
        array = np.asarray(value)
        if array.dtype.kind == "f" and array.dtype.name not in dtypes.DTYPES:
            array = array.astype("float64")
        elif array.dtype.kind in "iu" and array.dtype.name not in dtypes.DTYPES:
            array = array.astype("int64")
        made = Tensor.of(as_stored(array))
    else:
        return value
    if made.dtype.is_floating_point:
        made.track()
        keep_literal(made, value)
    return made


def unknown_name_error(name: str, known: list[str], kind: str, code: str) -> UsageError:
    """Return the error for a name on the command line that the script does not have."""
    meant = did_you_mean.closest_name(name, known)
    more = len(known) - MAX_LISTED
    listed = ", ".join(known[:MAX_LISTED]) + (f", and {more:,} more" if more > 0 else "")
    return UsageError(
        f"there is no {kind} `{name}` in the script",
        code=code,
        help=(f"did you mean `{meant}`?",) if meant else ((f"there are: {listed}",) if listed else ()),
    )
