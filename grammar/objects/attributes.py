"""Reading, assigning and deleting attributes, by tables from (class, name) to a handler.

Methods are looked up in a second such table. Tensor methods that are functions of core come from core's
table; a trailing underscore selects the in-place variant.
"""

from __future__ import annotations

from autodiff.core.base.errors import GradientError, ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.source import Span
from autodiff.core.engine.aliasing import share_alias, version_counter_of, watch_node
from autodiff.core.engine.custom_function import Context
from autodiff.core.engine.public_functions import IN_PLACE, PublicFunction
from autodiff.core.engine.public_functions import METHODS as FUNCTION_METHODS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_floating_dtype
from autodiff.core.graph.device import Device
from autodiff.core.graph.node import ArrayNode, Leaf, Node, OpNode, ScalarNode
from autodiff.core.graph.state import mode
from autodiff.core.methods.bookkeeping import TENSOR_ATTRIBUTES, transposed
from autodiff.core.methods.lookup import TENSOR_METHODS, find_tensor_method
from autodiff.grammar.objects import custom_functions, methods, sequence_methods
from autodiff.grammar.objects.operators import with_article
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    NAMED_RESULTS,
    UNBOUND,
    BoundMethod,
    Drawing,
    FunctionClass,
    Module,
    Namespace,
    ProgressBar,
    ScriptFunction,
    Size,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

in_place_changes = LazyModule("autodiff.core.engine.in_place")
custom_calls = LazyModule("autodiff.core.engine.custom_call")
fixed_arrays = LazyModule("autodiff.grammar.objects.fixed_arrays")
numpy_functions = LazyModule("autodiff.grammar.objects.numpy_functions")
numpy_ufuncs = LazyModule("autodiff.grammar.objects.numpy_ufuncs")
#: What numpy has behind functions of two arrays, as in ``np.add.reduce``.
UFUNC_METHODS = ("accumulate", "at", "outer", "reduce")
side_modules = LazyModule("autodiff.grammar.objects.side_modules")
plain_functions = LazyModule("autodiff.grammar.objects.plain_functions")

NON_LEAF_GRAD_WARNING = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't"
    " be populated during autograd.backward(). If you indeed want the .grad field to be populated for a"
    " non-leaf Tensor, use .retain_grad() on the non-leaf Tensor. If you access the non-leaf Tensor by"
    " mistake, make sure you access the leaf Tensor instead. See"
    " github.com/pytorch/pytorch/pull/30531 for more information."
)


def read_grad(x: Tensor) -> Tensor | None:
    if not x.is_leaf and not x.retains_grad and x.grad is None:
        runtime.tell(NON_LEAF_GRAD_WARNING)
    return x.grad


def read_grad_fn(x: Tensor) -> Node | None:
    return None if x.grad_fn is None else custom_calls.call_node_and_output(x.grad_fn)[0]


#: Operations for which torch wraps a plain number in a tensor and lists it in ``next_functions``.
NUMBER_WRAPPING_NODES = frozenset(
    ["AddBackward0", "SubBackward0", "MulBackward0", "DivBackward0", "WhereBackward0"]
)


def next_functions(node: Any) -> tuple[Any, ...]:
    """Return the (node, output index) pairs of a node's operands, as torch's ``next_functions``.

    Untracked tensors and wrapped numbers are (None, 0). Operands that only select, such as a mask, are left
    out. The two operands of ``rsub`` are in reverse order.
    """
    inputs = [x for index, x in enumerate(node.inputs) if x is not None and not is_selector(node, index)]
    if node.grad_fn_name == "RsubBackward0":
        inputs.reverse()
    below = [custom_calls.call_node_and_output(x) if x.tracked else (None, 0) for x in inputs]
    if len(below) == 1 and node.grad_fn_name in NUMBER_WRAPPING_NODES:
        below.append((None, 0))
    return tuple(below)


def is_selector(node: Any, index: int) -> bool:
    """Whether an operand only selects among the others, as a condition does, and has no gradient."""
    from autodiff.core.ops.elementwise.comparison import no_gradient

    vjps = () if node.op is None else node.op.vjps
    return index < len(vjps) and vjps[index] is no_gradient


# Importing these modules registers their methods, which completes the table.
METHOD_MODULES = (custom_functions, sequence_methods)
METHODS = methods.METHODS
for _name, _method in TENSOR_METHODS.items():
    METHODS.setdefault((Tensor, _name), _method)

#: The function that reads ``value.name``, by class and name.
ATTRIBUTE_READERS: dict[tuple[type, str], Callable[[Any], Any]] = {
    (Tensor, "data"): lambda x: x.data_alias(),
    (Tensor, "grad"): read_grad,
    (Tensor, "grad_fn"): read_grad_fn,
    (Tensor, "is_leaf"): lambda x: x.is_leaf,
    (Tensor, "requires_grad"): lambda x: x.requires_grad,
    (Tensor, "retains_grad"): lambda x: x.retains_grad,
    (Tensor, "shape"): lambda x: Size(x.shape),
    (Tensor, "dtype"): lambda x: x.dtype,
    (Tensor, "ndim"): lambda x: x.ndim,
    (Device, "type"): lambda device: device.type,
    (Device, "index"): lambda device: device.index,
    (Tensor, "T"): transposed,
    **{(Tensor, name): read for name, read in TENSOR_ATTRIBUTES.items()},
    (Context, "saved_tensors"): lambda ctx: ctx.saved_tensors,
    (Context, "needs_input_grad"): lambda ctx: ctx.needs_input_grad,
    (slice, "start"): lambda s: s.start,
    (slice, "stop"): lambda s: s.stop,
    (slice, "step"): lambda s: s.step,
    (range, "start"): lambda r: r.start,
    (range, "stop"): lambda r: r.stop,
    (range, "step"): lambda r: r.step,
}
for _kind in (Leaf, ScalarNode, ArrayNode):
    ATTRIBUTE_READERS[_kind, "next_functions"] = next_functions
ATTRIBUTE_READERS[Leaf, "variable"] = lambda node: methods.variable_of(node)


def get_attribute(owner: Any, name: str, span: Span) -> Any:
    """Return the value of ``owner.name``; raise ScriptError if there is none."""
    if runtime.prints_numbers and owner.__class__ is Tensor and (name == "dtype" or name == "T"):
        if name == "dtype":
            return numpy_functions.type_of_entries(owner)
        if owner.ndim != 2:  # torch warns of these
            return owner if owner.ndim < 2 else numpy_functions.transposed(owner)
    read = ATTRIBUTE_READERS.get((owner.__class__, name))
    if read is not None:
        return read(owner)
    if owner.__class__ is Namespace:
        member = owner.find(name)
        if member is not UNBOUND:
            return member
        from autodiff.grammar.objects.absent_table import READABLE_NAMESPACES, absent_namespace

        if f"{owner.name}.{name}" in READABLE_NAMESPACES:
            return absent_namespace(f"{owner.name}.{name}")
    elif owner.__class__ is Drawing:
        return side_modules.drawing_member(owner, name)
    elif owner.__class__ is ProgressBar:
        return side_modules.PROGRESS_METHOD
    elif owner.__class__ is Context and name in owner.names:
        return owner.names[name]
    elif owner.__class__ is Module and name in owner.settings:
        return owner.settings[name]
    elif owner.__class__ is FunctionClass and name in owner.methods:
        return owner.methods[name]
    elif owner.__class__ in NAMED_RESULTS and name in owner.fields:
        return owner.field(name)
    elif name.startswith("_saved_") and isinstance(owner, OpNode):
        from autodiff.grammar.objects.saved_values import read_saved_value

        return read_saved_value(owner, name, span)
    if name == "size" and owner.__class__ is Tensor and runtime.plain_functions:
        return owner.entry_count
    if name == "at" and owner.__class__ is Tensor and runtime.fixed_arrays.startswith("jax"):
        return fixed_arrays.ArrayAt(owner)
    if name in UFUNC_METHODS and owner.__class__ is PublicFunction and runtime.plain_functions:
        behind = numpy_ufuncs.ufunc_method(owner, name)
        if behind is not None:
            return behind
    method = find_method(owner, name)
    if method is not None:
        return BoundMethod(owner, name, method)
    raise missing_attribute_error(owner, name, span)


def find_method(owner: Any, name: str) -> Callable[..., Any] | None:
    """Return the function of ``owner.name(...)``, which takes the owner first; None if there is none."""
    kind = owner.__class__
    if kind is Tensor and runtime.plain_functions and name in ("copy", "dot"):
        method: Callable[..., Any] | None = plain_functions.ARRAY_METHODS[name]
        return method
    if kind is Tensor and runtime.prints_numbers and name in numpy_functions.NUMPY_METHODS:
        method = numpy_functions.NUMPY_METHODS[name]
        return method
    method = METHODS.get((kind, name))
    if method is not None or kind is not Tensor:
        return method
    method = find_tensor_method(name)
    if method is None and runtime.plain_functions:  # as in steps, whose arrays are those of any script
        method = numpy_functions.NUMPY_METHODS.get(name)
    return method


def attribute_names(owner: Any) -> set[str]:
    """Return the names of all attributes and methods of a value."""
    kind = owner.__class__
    names = {name for k, name in (*ATTRIBUTE_READERS, *METHODS) if k is kind}
    if kind is Tensor:
        names.update(FUNCTION_METHODS, IN_PLACE)
        if runtime.prints_numbers:
            names.update(numpy_functions.NUMPY_METHODS, plain_functions.ARRAY_METHODS)
    elif kind is Namespace:
        names.update(owner.names())
    elif kind is Context:
        names.update(owner.names)
    elif kind is FunctionClass:
        names.update(owner.methods)
    elif kind is Module:
        names.update(owner.settings)
    elif kind in NAMED_RESULTS:
        names.update(owner.fields)
    return names


def missing_attribute_error(owner: Any, name: str, span: Span) -> ScriptError:
    """Return the error for an attribute that a value does not have."""
    kind = owner.__class__
    if kind is Namespace or kind is Tensor:
        from autodiff.grammar.objects.absent_table import absence_error, torch_only_error

        full = f"{'Tensor' if kind is Tensor else owner.name}.{name}"
        missing = absence_error(full, span) or torch_only_error(full, span)
        if missing is not None:
            return missing
    if kind is Namespace:
        message = f"module '{owner.name}' has no attribute '{name}'"
        caret = f"`{owner.name}` has no `{name}` here"
    elif kind is FunctionClass:
        message = f"type object '{owner.name}' has no attribute '{name}'"
        caret = f"the class `{owner.name}` has no `{name}`"
    else:
        message = f"'{type_name(owner)}' object has no attribute '{name}'"
        caret = f"{with_article(type_name(owner))} has no `{name}`"
    help: tuple[str, ...] = ()
    if kind is Tensor and name == "append":
        joined = "np.append(x, y)" if runtime.prints_numbers else "torch.cat([x, y])` or `torch.stack([...])"
        help = (f"write `{joined}`",)
    if kind is Namespace and owner.name == "scipy.special":
        help = ("`autodiff ops special.` lists the special functions that there are",)
    return ScriptError(message, code="E0204", caret=caret, help=help, span=span, repair_context=(owner, name))


# -- assignment -------------------------------------------------------------------------------------


def set_data(x: Tensor, value: Any) -> None:
    """Run ``x.data = value``: the tensor takes over the memory of ``value`` and keeps its own history."""
    if value.__class__ is not Tensor:
        raise ScriptError(f"Variable data has to be a tensor, but got {type_name(value)}", code="E0203")
    if x.requires_grad:
        require_floating_dtype(
            value, "data set to a tensor that requires gradients must be floating point or complex dtype"
        )
    node = x.node
    if value is not x:
        if x.alias is not None:  # tensors that shared the old memory keep sharing it
            x.alias.members[:] = [member for member in x.alias.members if member() is not x]
        share_alias(value, x)
    x.value = value.value
    if isinstance(node, Leaf):
        x.node = Leaf(value.value, tracked=node.tracked, grad_slot=node.grad_slot, site=mode.site)
        x.node.name = node.name
        x.value = x.node.out
    elif isinstance(node, OpNode) and x.value.__class__ is float:
        # Later uses of x must read the new value. That of a number is read from the node, so x needs a new
        # one; arrays are stored separately.
        watch_node(version_counter_of(x), node)
        in_place_changes.replace_node_unrecorded(x, node)


def set_grad(x: Tensor, value: Any) -> None:
    if value is not None and value.__class__ is not Tensor:
        raise ScriptError(
            f"assigned grad expected to be a Tensor or None but got grad of type {type_name(value)}",
            code="E0203",
        )
    if value is x:
        raise GradientError(
            "can't assign Variable as its own grad",
            code="E0410",
            caret="a tensor is not its own gradient",
            operands=(x,),
        )
    x.grad = value


def set_requires_grad(x: Tensor, value: Any) -> None:
    if value.__class__ is not bool:
        raise ScriptError(
            "requires_grad must be a bool",
            caret=f"this is {with_article(type_name(value))}; write True or False",
        )
    if value:
        require_floating_dtype(x, "only Tensors of floating point and complex dtype can require gradients")
    x.set_requires_grad(value)


ATTRIBUTE_WRITERS: dict[tuple[type, str], Callable[[Any, Any], None]] = {
    (Tensor, "data"): set_data,
    (Tensor, "grad"): set_grad,
    (Tensor, "requires_grad"): set_requires_grad,
}


IGNORED_SETTINGS = {("torch.backends.cudnn", name) for name in ("deterministic", "benchmark", "enabled")}


def set_attribute(owner: Any, name: str, value: Any, span: Span) -> None:
    """Run ``owner.name = value``; raise ScriptError if the attribute cannot be assigned."""
    write = ATTRIBUTE_WRITERS.get((owner.__class__, name))
    if write is not None:
        write(owner, value)
    elif owner.__class__ is Context and (Context, name) not in ATTRIBUTE_READERS:
        owner.names[name] = value
    elif owner.__class__ is Drawing or (
        owner.__class__ is Namespace and (owner.name, name) in IGNORED_SETTINGS
    ):
        return  # settings of drawings and of the GPU: accepted, without effect
    elif (owner.__class__, name) in ATTRIBUTE_READERS or owner.__class__ is ScriptFunction:
        raise ScriptError(
            f"attribute '{name}' of '{attribute_class_name(owner)}' objects is not writable",
            code="E0204",
            caret=f"`{name}` cannot be assigned",
            span=span,
        )
    else:
        raise ScriptError(
            f"'{type_name(owner)}' object has no attribute '{name}'",
            code="E0204",
            caret=f"there is no `{name}` to assign",
            span=span,
            repair_context=(owner, name),
        )


def attribute_class_name(owner: Any) -> str:
    """Return the class name in messages about a value's attributes; for tensors it is torch's base class."""
    return "torch._C.TensorBase" if owner.__class__ is Tensor else type_name(owner)


def delete_attribute(owner: Any, name: str, span: Span) -> None:
    """Run ``del owner.name``. Of a tensor's attributes only ``grad`` can be deleted."""
    if owner.__class__ is Tensor and name == "grad":
        owner.grad = None
        return
    if owner.__class__ is Context and name in owner.names:
        del owner.names[name]
        return
    if owner.__class__ is Tensor and name == "data":
        message, code = "Deleting tensor data is not allowed. Delete tensor instead!", "E0410"
    elif owner.__class__ is Tensor and name == "requires_grad":
        message, code = "requires_grad must be a bool", "E0410"
    elif (owner.__class__, name) in ATTRIBUTE_READERS:
        message, code = (
            f"attribute '{name}' of '{attribute_class_name(owner)}' objects is not writable",
            "E0204",
        )
    else:
        message, code = f"'{type_name(owner)}' object has no attribute '{name}'", "E0204"
    raise ScriptError(message, code=code, caret=f"`{name}` cannot be deleted", span=span)
