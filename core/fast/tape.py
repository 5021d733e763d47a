"""The tape: a list with one entry per operation on numbers and small arrays. Nodes are made on demand.

A result on the tape has a ``tape``, a ``tape_position`` and no node. Backward passes read the entries from
newest to oldest (``tape_backward``). Reading the ``node`` of such a tensor, to explain it or to
differentiate its gradient, turns all entries of its tape into nodes, and the engine continues with these.
Without this module (``AUTODIFF_FAST=0``) every operation makes a node.
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import NamedSpan
from autodiff.core.graph.node import ArrayNode, InPlaceChange, Leaf, Node, ScalarNode, VersionCounter
from autodiff.core.graph.state import LINKS_BEFORE_CHECK, NO_TAPE, TapeHeader, mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.engine.tensor import Tensor
    from autodiff.core.graph.op import Op
    from autodiff.core.graph.state import Tape

# An entry is `(op, a, b, x, y, out, site)`. `x` and `y` are the values of the operands, `a` and `b` their
# places on the tape: positive where gradients flow, negative for a tensor that requires none, 0 for a plain
# number or a missing second operand.
# An entry without op stands for a tensor from elsewhere. Either `a` is its leaf, or `a` is an older tape and
# `b` the place there. Tapes are short, and older ones are kept only while a link needs them.
# If a value is an array (numbers in single precision are arrays), a `Use` replaces the op. Values that its
# rules do not read may then be None: the next arrays reuse their memory.

#: The most entries on one tape. Beside its own history a tensor keeps one such tape in memory, and the older
#: tapes that it is linked to or that were not checked yet (see ``needs_older_tapes``).
MAX_TAPE_ENTRIES = 4096
#: From this many entries on, a loop begins its next iteration on a new tape, so that no operation spans two.
NEARLY_FULL = MAX_TAPE_ENTRIES - 512
#: The places of a tape as ready-made int objects. Indexing past the end raises, which shows a full tape.
PLACES = tuple(range(MAX_TAPE_ENTRIES))


class BoundOp:
    """An op with its parameters, as entries of arrays hold it.

    ``rules`` and ``slope`` classify its derivative rules (see ``array_tape``). ``needs_operands`` and
    ``needs_out`` say whether the rules read these values; entries may omit them if not. ``pattern`` stays
    UNKNOWN, by which the pass through numbers recognizes an entry of arrays.
    """

    __slots__ = ("name", "needs_operands", "needs_out", "op", "params", "pattern", "rules", "slope")

    def __init__(self, op: Op, params: dict[str, Any]) -> None:
        self.op = op
        self.name = op.name
        self.params = params
        self.pattern = self.rules = 0
        self.slope: Any = None
        self.needs_operands = self.needs_out = True


#: The most bytes that the arrays of one tape may take: about what a full tape of numbers takes.
MAX_TAPE_BYTES = 1 << 19


class ArraySpec:
    """The shared description of all arrays of one shape and dtype on tapes.

    Tapes of them have at most ``most`` entries. ``check_interval`` is how many such tapes may be linked
    before it is checked whether the newest needs the others; the check costs little beside work on larger
    arrays. ``is_number`` is true for arrays without dimensions, such as numbers in single precision: numpy's
    functions return scalars for them, not arrays.
    """

    __slots__ = ("check_interval", "is_number", "most")

    def __init__(self, size: int, ndim: int) -> None:
        self.is_number = not ndim
        self.most = min(MAX_TAPE_ENTRIES, MAX_TAPE_BYTES // max(size, 1))
        self.check_interval = LINKS_BEFORE_CHECK if self.most == MAX_TAPE_ENTRIES else 1


#: By dtype and shape.
ARRAY_SPECS: dict[tuple[Any, ...], ArraySpec] = {}


def array_spec(value: Any) -> ArraySpec:
    """The Form of all arrays with the shape and dtype of ``value``."""
    key = value.dtype, value.shape
    form = ARRAY_SPECS.get(key)
    if form is None:
        if len(ARRAY_SPECS) >= MAX_TAPE_ENTRIES:
            ARRAY_SPECS.clear()
        form = ARRAY_SPECS[key] = ArraySpec(value.nbytes, value.ndim)
    return form


def is_array_entry(x: Tensor) -> bool:
    """Whether the tensor is an entry of an operation with arrays, or of a tape with nodes made already."""
    tape = x.tape
    return tape is not None and (tape[0].nodes is not None or tape[x.tape_position][0].__class__ is BoundOp)


# -- recording --------------------------------------------------------------------------------------


def tape_with_room(form: ArraySpec | None = None) -> Tape:
    """The tape for the next result, an array of this form or a number: the open one, or a new one if full."""
    tape = mode.tape
    if tape is NO_TAPE or len(tape) >= (MAX_TAPE_ENTRIES if form is None else form.most):
        mode.close_tape()
        tape = mode.tape = [
            TapeHeader(mode.number, LINKS_BEFORE_CHECK if form is None else form.check_interval)
        ]
    return tape


def find_or_enter(x: Tensor, tape: Tape) -> int | None:
    """The place on this tape of a tensor from elsewhere, entered if need be; None if its history is nodes."""
    header = tape[0]
    if x.stored_node is None and x.tape is not None:
        key: Any = (id(x.tape), x.tape_position)
        at = header.places.get(key)
        if at is None:
            older = x.tape[0]
            if older.depth > 1 and older.depth >= older.next_check:  # some tapes may no longer be needed
                if older.nodes is None and not needs_older_tapes(x.tape, x.tape_position):
                    x.node  # noqa: B018 - makes the node: nodes keep their own history only
                    return None
                older.next_check = older.depth + older.check_interval
            header.depth = max(header.depth, older.depth + 1)
            header.next_check = max(header.next_check, older.next_check)
            at = header.places[key] = len(tape)
            older.link_counts[x.tape_position] = older.link_counts.get(x.tape_position, 0) + 1
            tape.append((None, x.tape, x.tape_position, None, None, None, None))
        return at  # type: ignore[no-any-return] # the places are numbers
    node = x.stored_node or x.source()
    if node.__class__ is not Leaf:
        return None
    at = header.places.get(node)
    if at is None:
        at = len(tape) if node.tracked else -len(tape)
        header.places[node] = at
        tape.append((None, node, 0, None, None, None, None))
    x.tape, x.tape_position = tape, at
    x.array_spec = None if x.value.__class__ is float else array_spec(x.value)
    header.leaves.append(ref(x))
    return at  # type: ignore[no-any-return] # the places are numbers


def needs_older_tapes(tape: Tape, at: int) -> bool:
    """Whether an entry depends on some entry of an older tape.

    A tape keeps all tapes it is linked to alive, and these keep theirs. A program that never reads old
    results, except for an operation begun on one tape and finished on the next, would so keep everything it
    ever computed. ``find_or_enter`` therefore checks one tape in every ``check_interval`` and cuts an
    unneeded chain there.
    """
    return any(
        tape[place][0] is None and tape[place][1].__class__ is list for place in visited_places(tape, [at])
    )


def count_operations(tensors: list[Tensor]) -> int:
    """How many operations the history of these tensors has, which are entries of tapes."""
    waiting: dict[tuple[int, int], tuple[Tape, list[int]]] = {}
    for x in tensors:
        assert x.tape is not None
        waiting.setdefault(tape_key(x.tape), (x.tape, []))[1].append(x.tape_position)
    return count_operations_below(waiting)


def tape_key(tape: Tape) -> tuple[int, int]:
    """A key by which older tapes come first; tapes of two runs may have the same first number."""
    return tape[0].first, id(tape)


def count_operations_below(waiting: dict[tuple[int, int], tuple[Tape, list[int]]]) -> int:
    """How many operations lead to these entries: tapes with places, by their keys."""
    count = 0
    while waiting:
        tape, seeds = waiting.pop(max(waiting))
        if tape[0].nodes is not None:  # the caller counts nodes
            continue
        for place in visited_places(tape, seeds):
            op, older, there = tape[place][:3]
            if op is not None:
                count += 1
            elif older.__class__ is list:
                waiting.setdefault(tape_key(older), (older, []))[1].append(there)
    return count


def is_tape_entry(x: Tensor) -> bool:
    """Whether the tensor is an entry of a tape and its node was not requested yet."""
    return x.stored_node is None and x.tape is not None


def existing_node(x: Tensor) -> Node | None:
    """The node of a tensor if it exists already, else None."""
    return x.stored_node if x.tape is None or x.tape[0].nodes is None else x.node


def name_node(x: Tensor, name: str | None) -> None:
    """Name the node of a tensor, made or not, unless it has a name.

    A result that is assigned where it is computed has its name in the NamedSpan of its entry instead.
    """
    if not is_tape_entry(x) or x.tape is None or x.tape[0].nodes is not None:
        node = x.source()
        if node.name is None:
            node.name = name
        return
    names, at = x.tape[0].names, x.tape_position
    if at >= len(names):
        names.extend([None] * (at + 64 - len(names)))
    if names[at] is None:
        names[at] = name


def name_entries(tape: Tape, firsts: list[int], step: int, count: int, name: str | None) -> None:
    """Name unnamed entries: from each place in ``firsts`` on, ``count`` entries, ``step`` places apart."""
    names = tape[0].names
    names.extend([None] * (len(tape) - len(names)))
    for first in firsts:
        names[first : first + count * step : step] = [name] * count


#: Ops whose rules read none of the values.
VALUE_FREE_OPS = frozenset(["add", "sub", "neg"])
#: Those of them that change a number in place, with torch's name of the node.
IN_PLACE_GRAD_FN = {"add": "AddBackward0", "sub": "SubBackward0"}
#: How many entries are searched for rules that read a value before it is changed in place.
MAX_SEARCH_DISTANCE = 128


def update_in_place(tensor: Tensor, result: Tensor) -> bool:
    """Give a number the value and history of ``result`` if no rule reads its old value.

    Returns whether that was done. Running sums that are updated in place take this path. Nothing is done in
    all other cases, nor if the old value was computed more than MAX_SEARCH_DISTANCE entries ago.
    """
    tape, versions, old = result.tape, tensor.version_counter, tensor.stored_node
    if tape is not mode.tape or result.stored_node is not None:
        return False
    if tensor.value.__class__ is not float or result.value.__class__ is not float:
        return False
    if tape[result.tape_position][0].name not in IN_PLACE_GRAD_FN or tensor.alias is not None:
        return False
    if versions is not None and (versions.nodes or versions.users):
        return False
    before = place_of_old_value(tensor, tape)
    if before is None or len(tape) - abs(before) > MAX_SEARCH_DISTANCE or is_value_read(tape, before):
        return False
    if old is None:
        assert tensor.tape is not None
        name = entry_name(tensor.tape, tensor.tape_position)
    else:
        name = old.name
    if versions is None:
        versions = tensor.version_counter = VersionCounter()
    if old is not None:  # other tapes may have read the leaf; the rule of the change reads nothing
        old.own_status().overwritten = InPlaceChange(versions, tensor.dtype, None, 0, mode.site).for_tensor(
            tensor
        )
    name_node(result, name)
    versions.count += 1
    versions.changed_by = (
        IN_PLACE_GRAD_FN[tape[result.tape_position][0].name] if result.requires_grad_flag else ""
    )
    versions.changed_at = mode.site
    tensor.value, tensor.requires_grad_flag = (
        result.value,
        tensor.requires_grad_flag or result.requires_grad_flag,
    )
    tensor.stored_node, tensor.tape, tensor.tape_position, tensor.array_spec = (
        None,
        tape,
        result.tape_position,
        None,
    )
    return True


def place_of_old_value(tensor: Tensor, tape: Tape) -> int | None:
    """The place on ``tape`` of a number's value. None if its rule or one on an older tape needs it.

    The number is a leaf that requires no gradient, or an entry of this tape or an older one.
    """
    leaf, older, at = tensor.stored_node, tensor.tape, tensor.tape_position
    place: int | None
    if leaf is not None:
        if leaf.__class__ is not Leaf or leaf.tracked or leaf.status is not None:
            return None
        place = tape[0].places.get(leaf)
        return place
    if older is None or older[0].nodes is not None or older[at][0].name not in VALUE_FREE_OPS:
        return None
    if older is tape:
        return at
    if older[0].link_counts.get(at) != 1 or len(older) - at > MAX_SEARCH_DISTANCE or is_value_read(older, at):
        return None
    place = tape[0].places.get((id(older), at))
    return place


def allows_in_place_sums(x: Tensor, tape: Tape) -> bool:
    """Whether a number on this tape may be updated in place by sums, as long as no other rule reads it."""
    versions = x.version_counter
    if x.stored_node is not None or x.alias is not None or x.value.__class__ is not float:
        return False
    if versions is not None and (versions.nodes or versions.users):
        return False
    return tape[x.tape_position][0].name in VALUE_FREE_OPS and not is_value_read(tape, x.tape_position)


def is_value_read(tape: Tape, place: int) -> bool:
    """Whether a rule of a later entry reads the value of this one."""
    readers = [entry[0] for entry in tape[abs(place) + 1 :] if entry[1] == place or entry[2] == place]
    return any(op is not None and op.name not in VALUE_FREE_OPS for op in readers)


def entry_name(tape: Tape, at: int) -> str | None:
    """The name of an entry's node."""
    site = tape[at][6]
    if site.__class__ is NamedSpan:
        return site.name
    names = tape[0].names
    return names[at] if at < len(names) else None


def entry_names(tape: Tape) -> set[str]:
    """The names that nodes of this tape's entries have."""
    sites = {id(entry[6]): entry[6] for entry in tape[1:]}
    named_there = {site.name for site in sites.values() if site.__class__ is NamedSpan}
    return named_there | {name for name in tape[0].names if name}


# -- nodes ------------------------------------------------------------------------------------------


def entry_node(tape: Tape, at: int) -> Node:
    """The node of an entry. All entries of its tape and of the tapes it is linked to become nodes."""
    if tape[0].nodes is None:
        unmade = {tape[0].first: tape}
        stack = [tape]
        while stack:
            for entry in stack.pop()[1:]:
                if entry[0] is None and entry[1].__class__ is list and entry[1][0].nodes is None:
                    other = entry[1]
                    if other[0].first not in unmade:
                        unmade[other[0].first] = other
                        stack.append(other)
        for first in sorted(unmade):
            make_nodes(unmade[first])
    return tape[0].nodes[at]  # type: ignore[no-any-return] # a Node


def make_nodes(tape: Tape) -> None:
    """Make a node of every entry; the nodes of older tapes exist already."""
    if tape is mode.tape:
        mode.close_tape()
    header: TapeHeader = tape[0]
    nodes: list[Any] = [None]
    inserted = iter([*header.inserted_at, len(tape)])
    number, next_inserted = header.first, next(inserted)
    for at, (op, a, b, x, y, out, site) in enumerate(tape[1:], 1):
        while at >= next_inserted:
            number, next_inserted = number + 1, next(inserted)
        if op is None:
            nodes.append(a if a.__class__ is Leaf else a[0].nodes[b])
            continue
        number += 1
        node: Any
        if op.__class__ is BoundOp:
            node = ArrayNode.__new__(ArrayNode)
            node.op, node._params = op.op, op.params
            values = (x,) if not b and y is None else (x, y)  # plain numbers have no place, are never omitted
            node._inputs = (nodes[abs(a)], nodes[abs(b)])[: len(values)]
            node._operands = tuple(
                [below.out if v is None else v for below, v in zip(node._inputs, values, strict=True)]
            )
            if out is None:
                with np.errstate(all="ignore"):
                    out = np.asarray(op.op.forward(*node._operands))
        else:
            node = ScalarNode()
            node.op = op
            node.a, node.b = nodes[abs(a)], nodes[abs(b)]
            node.constant = x if not a else y if not b else None
        node.number = number
        node.out = out
        node.site = site
        node.name = entry_name(tape, at)
        node.status = node.scratch = None
        nodes.append(node)
    for seeds, mark in header.passes:
        for at in visited_places(tape, seeds):
            if nodes[at].__class__ is not Leaf:
                nodes[at].mark_freed(mark)
    header.nodes = nodes
    del tape[1:]


def visited_places(tape: Tape, seeds: list[int]) -> list[int]:
    """The places that a backward pass from ``seeds`` visits, newest first."""
    is_reached = bytearray(max(seeds) + 1)
    for at in seeds:
        is_reached[at] = 1
    found = []
    for at in range(max(seeds), 0, -1):
        if is_reached[at]:
            found.append(at)
            op, a, b = tape[at][:3]
            if op is not None:
                for below in (a, b):
                    if below > 0:
                        is_reached[below] = 1
    return found


def visits_more_than(passed: list[tuple[Tape, list[int]]], count: int) -> bool:
    """Whether a pass that entered tapes at these places visits more than ``count`` results."""
    for tape, seeds in passed:
        count -= sum(1 for at in visited_places(tape, seeds) if tape[at][0] is not None)
        if count < 0:
            return True
    return False
