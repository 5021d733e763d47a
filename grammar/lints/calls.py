"""What is known of the result of a call: a leaf, a plain tensor, a computed tensor, a number, or unknown."""

from __future__ import annotations

from autodiff.grammar.interpret.scope import LIST_MUTATORS
from autodiff.grammar.lints.evaluate import EXPRESSIONS, Evaluator, in_namespace
from autodiff.grammar.lints.values import (
    CUTTING,
    FLOAT_MAKERS,
    FUNCTION,
    GRAPH,
    INTEGER_MAKERS,
    LEAF,
    LIST,
    MAKERS,
    MIXED,
    NO_SLOPE,
    NOT_FUNCTIONS,
    NUMBER,
    OTHER,
    PLAIN,
    SEVERAL,
    UNKNOWN,
    WHOLE,
    WITHOUT_GRADIENT,
    Value,
    ancestors,
)
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.grammar.lints.flow import Flow

#: Whether a dtype holds integers, by its name.
INTEGER_TYPES = {
    **dict.fromkeys(("int", "int8", "int16", "int32", "int64", "long", "uint8", "bool"), True),
    **dict.fromkeys(("float", "float16", "float32", "float64", "double", "half"), False),
}
#: Methods that convert a tensor to another type, or whose result is not tracked.
CONVERSIONS = frozenset("detach_ to type double float long int bool type_as register_hook".split())


def function_name(flow: Evaluator, node: Any) -> str:
    """The bare name of the built-in function that a call calls; "" where it calls anything else."""
    if isinstance(node, tree.Name):
        return node.id if flow.look_up(node.id) is None else ""
    if isinstance(node, tree.Attribute) and in_namespace(node):
        part: Any = node
        while isinstance(part, tree.Attribute):
            part = part.object
        return node.name if flow.look_up(part.id) is None else ""
    return ""


def read_call(flow: Flow, node: tree.Call) -> Value:
    function = node.function
    name = function_name(flow, function)
    if not name and isinstance(function, tree.Attribute):
        owner = flow.value(function.object)
        inputs = flow.values(argument.value for argument in node.arguments)
        return call_method(flow, node, function, owner, inputs)
    inputs = flow.values(argument.value for argument in node.arguments)
    if name:
        return call_builtin(flow, node, name, inputs)
    called = flow.value(function)
    flow.note("call", node, called)
    if called.kind == FUNCTION and called.node.__class__ in (tree.FunctionDef, tree.Lambda):
        return flow.call_script(node, called, inputs)
    flow.note("opaque", node, called)
    flow.escape(inputs)
    return Value(UNKNOWN, node, inputs)


def keyword(node: tree.Call, name: str) -> Any:
    """The expression passed for a keyword; None where the keyword is absent."""
    return next((argument.value for argument in node.arguments if argument.keyword == name), None)


def argument_of(node: tree.Call, name: str, place: int) -> Any:
    """The expression passed for a parameter, by keyword or by position; None where it is absent."""
    named = keyword(node, name)
    positional = [argument.value for argument in node.arguments if argument.keyword is None]
    return named if named is not None or len(positional) <= place else positional[place]


def is_constant(node: Any, value: object) -> bool:
    return isinstance(node, tree.Constant) and node.value is value


def call_builtin(flow: Flow, node: tree.Call, name: str, inputs: tuple[Value, ...]) -> Value:
    if name in MAKERS or name == "Variable":
        return make_tensor(flow, node, name, inputs)
    if name in ("float", "int") and inputs and inputs[0].is_tensor:
        return Value(NUMBER, node, inputs[:1], cut=name)
    if name == "range":
        made = Value(OTHER, node, inputs)
        made.number = turns_of_range(inputs)
        return made
    if name == "grad":
        by_node = {id(part.value): one for part, one in zip(node.arguments, inputs, strict=True)}
        outputs, wanted = (
            by_node.get(id(argument_of(node, parameter, place)), Value(UNKNOWN))
            for place, parameter in enumerate(("outputs", "inputs"))
        )
        flow.note("pass", node, outputs, wanted)
        if not is_constant(keyword(node, "create_graph") or tree.Constant(node.span, False), False):
            return Value(UNKNOWN, node, inputs)
        several = wanted.inputs if wanted.kind == LIST else (wanted,)
        return Value(LIST, node, tuple([gradient_of(node, one, outputs) for one in several]))
    if name in ("no_grad", "enable_grad", "inference_mode", "set_grad_enabled"):
        if name == "set_grad_enabled" and isinstance(flow.statement, tree.ExpressionStatement):
            flow.recording = None
        return Value(OTHER, node)
    if name == "set_default_dtype":
        flow.default_is_double = False
    if name in ("print", "display", "len", "str", "repr", "isinstance", *NOT_FUNCTIONS):
        return Value(OTHER, node)
    if name in ("list", "tuple") and len(inputs) == 1 and inputs[0].kind == LIST:
        return Value(LIST, node, inputs[0].inputs)
    if name in ("enumerate", "zip", "reversed", "sorted", "list", "tuple"):
        flow.escape(inputs)
        return Value(UNKNOWN, node, inputs)
    if name in WITHOUT_GRADIENT:
        return without_gradient(node, name, inputs)
    if flow.is_function(name):
        return flow.operation(node, name, inputs)
    return Value(UNKNOWN, node, inputs)


def without_gradient(node: tree.Call, name: str, inputs: tuple[Value, ...]) -> Value:
    """The result of a function that has no derivative."""
    made = Value(PLAIN if any(one.is_tensor for one in inputs) else UNKNOWN, node, inputs, cut=NO_SLOPE)
    made.single = name not in SEVERAL
    return made


def gradient_of(node: tree.Call, wanted: Value, outputs: Value) -> Value:
    made = Value(PLAIN, node)
    made.grad_of, made.outputs = wanted, outputs
    return made


def turns_of_range(inputs: tuple[Value, ...]) -> int | None:
    """The number of iterations of a ``for`` over a range; None where the arguments are not known integers."""
    numbers = [one.number for one in inputs if isinstance(one.number, int)]
    if len(numbers) != len(inputs) or not 0 < len(numbers) < 4 or numbers[2:] == [0]:
        return None
    return len(range(*numbers))


def make_tensor(flow: Flow, node: tree.Call, name: str, inputs: tuple[Value, ...]) -> Value:
    """The new tensor of ``tensor(...)``, ``zeros(...)`` and similar functions."""
    first = inputs[0] if inputs else Value(UNKNOWN)
    made = Value(PLAIN, node)
    if name == "Variable":
        made.integer = first.integer if first.is_tensor else None
        made.inputs = (first,)
        if not first.is_tensor:
            made.kind = UNKNOWN
    elif name in FLOAT_MAKERS:
        made.integer = False
    elif name in INTEGER_MAKERS:
        made.integer = True
    elif name in ("tensor", "as_tensor"):
        made.integer = integer_entries(first)
        whole = tensor_inside(first)
        if whole:
            made.inputs, made.cut = whole, "tensor"
            if first.kind == LIST:
                stackable = all(one.is_tensor or one.cut == "item" for one in first.inputs)
                made.cut = LIST if stackable else MIXED
            source = first.inputs[0] if first.cut == "tolist" else first
            if source.is_tensor:
                made.integer = source.integer
                if name == "tensor" and not any(map(is_of_numpy, ancestors(source))):
                    flow.note("copy", node, source)
        elif unknown_inside(first):
            made.inputs = (Value(UNKNOWN),)
    elif name == "arange":
        integers = [one.integer for one in inputs]
        made.integer = None if None in integers else all(integers)
    elif name in ("full", "full_like"):
        made.integer = inputs[1].integer if len(inputs) > 1 else None
    else:
        made.integer = first.integer if first.is_tensor else None
    if (dtype := keyword(node, "dtype")) is not None:
        made.integer = INTEGER_TYPES.get(last_word(dtype))
    else:
        made.is_double = flow.default_is_double and name in (
            "tensor",
            "zeros",
            "ones",
            "rand",
            "randn",
            "full",
            "linspace",
            "eye",
        )
    asked = keyword(node, "requires_grad")
    if asked is not None and not is_constant(asked, False):
        made.kind = LEAF if is_constant(asked, True) else UNKNOWN
    flow.note("maker", node, made, inputs)
    return made


def is_of_numpy(value: Value) -> bool:
    """Whether the value is an array in real numpy, where copying an array into a tensor is fine."""
    function = value.node.function if isinstance(value.node, tree.Call) else None
    while isinstance(function, tree.Attribute):
        function = function.object
    return value.cut == "numpy" or (isinstance(function, tree.Name) and function.id == "np")


def last_word(node: Any) -> str:
    """``float64`` of ``torch.float64``."""
    return node.name if isinstance(node, tree.Attribute) else node.id if isinstance(node, tree.Name) else ""


def integer_entries(value: Value) -> bool | None:
    """Whether nested lists hold only integers; None where that is not known."""
    if value.kind != LIST:
        return value.integer if value.kind == NUMBER else None
    inside = [integer_entries(part) for part in value.inputs]
    if False in inside:
        return False
    return None if None in inside or not inside else True


def tensor_inside(value: Value) -> tuple[Value, ...]:
    """The tensors from which a new tensor is made, and the numbers taken out of tensors."""
    if value.kind == LIST:
        return tuple([one for part in value.inputs for one in tensor_inside(part)])
    return (value,) if value.is_tensor or (value.kind in (NUMBER, UNKNOWN) and value.inputs) else ()


def unknown_inside(value: Value) -> bool:
    return value.kind == UNKNOWN or (value.kind == LIST and any(map(unknown_inside, value.inputs)))


def call_method(
    flow: Flow, node: tree.Call, function: tree.Attribute, owner: Value, inputs: tuple[Value, ...]
) -> Value:
    """The result of the method call ``x.name(...)``."""
    name = function.name
    flow.note("method", node, owner)
    if owner.kind == LIST:
        if name == "append" and inputs:
            flow.note("keep", node, inputs[0], owner)
        if name == "append" and not flow.conditional and not flow.loops:
            owner.inputs += inputs
        elif name in LIST_MUTATORS:
            owner.kind = UNKNOWN
        return Value(UNKNOWN, node)
    if not owner.is_tensor:
        if owner.grad_of is not None:
            flow.note("reset", node, owner.grad_of)
        flow.escape((owner, *inputs))
        return Value(UNKNOWN, node, (owner, *inputs))
    if name == "backward":
        flow.note("backward", node, owner)
        flow.note("pass", node, owner)
        return Value(OTHER, node)
    if name == "retain_grad":
        owner.retained = True
        return Value(OTHER, node)
    if name == "requires_grad_":
        given = node.arguments[0].value if node.arguments else None
        flow.set_requires_grad(node, owner, None if given is None else is_constant(given, True))
        return owner
    made = converted_or_cut(flow, node, name, owner)
    if made is not None:
        return made
    if name in WITHOUT_GRADIENT:
        return without_gradient(node, name, (owner, *inputs))
    if name in ("size", "dim", "numel", "nelement", "element_size", "is_floating_point"):
        return Value(OTHER, node)
    if name.endswith("_") and (name in ("zero_", "fill_", "copy_") or flow.is_function(name[:-1])):
        flow.note("in-place", node, owner, inputs)
        flow.change(owner, inputs)
        return owner
    if name in ("contiguous", "cpu") or flow.is_function(name):
        return flow.operation(node, name, (owner, *inputs))
    return Value(UNKNOWN, node, (owner, *inputs))


def converted_or_cut(flow: Flow, node: tree.Call, name: str, owner: Value) -> Value | None:
    """The result of a method that gives a tensor another dtype, or takes its value out of the graph.

    None for every other method.
    """
    if name in ("float", "double") and owner.kind in (PLAIN, GRAPH):
        made = flow.operation(node, name, (owner,))
        made.integer = False
        return made
    if name == "float" and owner.kind == LEAF and owner.is_double:
        return flow.operation(node, name, (owner,))  # a copy in single precision; without a change it is x
    if name in ("long", "int", "bool") and owner.requires_grad:
        made = Value(PLAIN, node, (owner,), cut=WHOLE)
        made.integer = True
        return made
    if name in CONVERSIONS:
        if name == "detach_":
            owner.kind = UNKNOWN
        return Value(UNKNOWN, node, (owner,))
    if name in CUTTING:
        # Arrays are tensors here. numpy() of a tensor that requires a gradient is an error.
        is_tensor = name == "detach" or (name == "numpy" and owner.kind == PLAIN)
        made = Value(PLAIN if is_tensor else NUMBER if name == "item" else UNKNOWN, node, (owner,), cut=name)
        made.integer = owner.integer if is_tensor else None
        return made
    return None


EXPRESSIONS[tree.Call] = read_call
