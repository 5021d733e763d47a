"""Repairs of calls whose arguments do not fit the function (E0310).

The message is torch's for the same call; ``grammar.objects.torch_argument_errors`` computes it.
"""

from __future__ import annotations

from autodiff.core.base.did_you_mean import similar_names
from autodiff.core.base.errors import Edit, Fix, Label
from autodiff.core.base.source import Span
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import METHODS, MISSING, Parameter, PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import DTYPES
from autodiff.grammar.help.failure_scene import Scene, with_parentheses
from autodiff.grammar.objects.argument_check import function_key
from autodiff.grammar.objects.attributes import find_method
from autodiff.grammar.objects.torch_argument_errors import (
    NO_SINGLE_ARGUMENT,
    UNKNOWN,
    find_mistake,
    inner_message,
    torch_message_name,
)
from autodiff.grammar.objects.values import (
    NUMBER_CLASSES,
    UNBOUND,
    BoundMethod,
    Builtin,
    Namespace,
    ScriptFunction,
    type_name,
)
from autodiff.grammar.repair.proposals.custom_functions import add_context
from autodiff.grammar.repair.proposals.library_words import LibraryWords
from autodiff.grammar.repair.proposals.none_values import explain_none
from autodiff.grammar.repair.proposals.operand_types import call_it
from autodiff.grammar.repair.proposals.value_uses import int_edit
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

#: Names of arguments in other libraries, with the names here.
KEYWORD_SYNONYMS: dict[str, tuple[str, ...]] = {
    "axis": ("dim",),
    "dim": ("axis",),
    "keepdim": ("keepdims",),
    "correction": ("ddof",),
    "axes": ("dim", "dims"),
    "dims": ("dim",),
    "keepdims": ("keepdim",),
    "grad": ("requires_grad",),
    "trainable": ("requires_grad",),
    "gradients": ("gradient",),
    "grad_outputs": ("gradient",),
    "retain": ("retain_graph",),
    "minimum": ("min",),
    "mn": ("min",),
    "maximum": ("max",),
    "mx": ("max",),
    "low": ("min",),
    "high": ("max",),
    "type": ("dtype",),
    "shape": ("size",),
    "value": ("fill_value",),
    "label": ("target",),
    "labels": ("target",),
    "pred": ("input",),
    "alpha": ("negative_slope",),
    "eps": ("epsilon",),
}


class CallScene:
    """The failed call: its arguments, the function it calls, and that function's parameters."""

    __slots__ = ("call", "function", "is_method", "owner", "scene")

    def __init__(self, scene: Scene, call: tree.Call) -> None:
        self.scene = scene
        self.call = call
        self.owner: Any = UNBOUND
        self.is_method = False
        if isinstance(call.function, tree.Attribute):
            self.owner = scene.value(call.function.object)
            self.is_method = self.owner.__class__ is not Namespace
        found = scene.error.repair_context[0] if scene.error.repair_context else self.called()
        self.function = found.function if found.__class__ in (Builtin, BoundMethod) else found

    def called(self) -> Any:
        """Return the function that is called."""
        callee = self.call.function
        if self.is_method and isinstance(callee, tree.Attribute):
            owner = Tensor.of(0.0) if self.owner is UNBOUND else self.owner
            return find_method(owner, callee.name) or UNBOUND
        return self.scene.value(callee)

    @property
    def keywords(self) -> list[str]:
        """The names of the function's parameters."""
        function: Any = self.function
        if function.__class__ is PublicFunction:
            return [p.name for p in function.parameters]
        if function.__class__ is ScriptFunction:
            return [*function.code.names, *function.code.keyword_only]
        if function is UNBOUND or function.__class__ is Namespace:
            return []
        code = getattr(function, "func", function).__code__  # of a partial function, the whole one's
        return list(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])

    @property
    def usage(self) -> str:
        """The function's signature as Python would write it; empty if it is unknown."""
        function = self.function
        if function.__class__ is PublicFunction:
            return function.usage(skipped=1 if self.is_method else 0)
        if function.__class__ is ScriptFunction:
            made = self.scene.function(function.name)
            if made is not None:
                shown = [self.scene.text(parameter) for parameter in made.parameters]
                return f"{function.name}({', '.join(shown)})"
        return ""

    def argument(self, at: Any) -> tree.Argument | None:
        """Return the argument for the parameter at a position or of a name; None if it is not given."""
        given = self.call.arguments
        if at.__class__ is int:
            position = at - self.is_method
            if 0 <= position < len(given) and not any(a.star for a in given[: position + 1]):
                found = given[position]
                if found.keyword is None:
                    return found
            names = self.keywords
            at = names[at] if at < len(names) else None
        return next((argument for argument in given if at is not None and argument.keyword == at), None)

    def insert(self, text: str) -> Edit:
        """Return the edit that adds one more argument."""
        end = self.call.span.end - 1
        return Edit(Span(end, end), f", {text}" if self.call.arguments else text)


def fit_arguments(scene: Scene) -> Iterator[Fix]:
    """Propose arguments that fit, and move the caret to the one that does not."""
    call, error = scene.node, scene.error
    if not isinstance(call, tree.Call):
        return
    yield from add_context(scene)
    if error.message.endswith("object is not callable"):
        yield from function_of_input(scene, call)
        return
    made = CallScene(scene, call)
    message = use_torch_message(made)
    if "unexpected keyword argument '" in message:
        name = message.partition("argument '")[2].partition("'")[0]
        yield from fit_keyword(made, name)
    elif message.endswith("takes no keyword arguments"):
        named = next((argument.keyword for argument in call.arguments if argument.keyword), None)
        if named is not None:
            yield from fit_keyword(made, named)
        if len(call.arguments) == 1:
            bare = f"{scene.text(call.function)}()"
            yield Fix(f"leave it out: {bare}", Edit(call.span, bare))
    elif not error.repair_context:
        return
    else:
        _, parameter_key, refused, *_ = error.repair_context
        where = made.argument(parameter_key)
        if where is not None:
            error.span = where.value.span if refused else where.span
        if refused is not None and where is not None:
            yield from fit_value(made, where, parameter_key, *refused)
        elif " missing " in message:
            yield from fit_missing(made, message)
        elif parameter_key is None:
            pass
        elif parameter_key is NO_SINGLE_ARGUMENT:
            yield from mark_result(made)
        elif "multiple values" in message:
            error.caret = f"`{parameter_key}` is given by position and by name"
            if where is not None:
                yield from drop_argument(made, where)
        elif parameter_key.__class__ is int:
            yield from fit_count(made, parameter_key, where)
    if made.usage:
        function = call.function
        error.labels.append(Label(function.span, made.usage))


def function_of_input(scene: Scene, call: tree.Call) -> Iterator[Fix]:
    """Propose a lambda in ``jacobian(x ** 2, x)``, which takes the function and not its result."""
    if len(call.arguments) < 2:
        return
    result, at = call.arguments[0].value, call.arguments[1].value
    scene.error.span = result.span
    scene.error.caret = "this is a result; the function it comes from is wanted"
    if isinstance(at, tree.Name):
        text = f"lambda {at.id}: {scene.text(result)}"
        yield Fix(f"make it a function: {text}", Edit(result.span, text))


def fit_keyword(made: CallScene, name: str) -> Iterator[Fix]:
    """Propose names for a keyword that the function does not take."""
    scene = made.scene
    where = made.argument(name)
    if where is None:
        return
    at = Span(where.span.start, where.span.start + len(name))
    scene.error.span = at
    called = scene.text(made.call.function).rpartition(".")[2]
    scene.error.caret = f"`{called}` takes no `{name}`"
    usual = [name] if name in KEYWORD_SYNONYMS else similar_names(name, KEYWORD_SYNONYMS)
    others = [key for other in usual for key in KEYWORD_SYNONYMS[other] if key in made.keywords]
    for other in list(dict.fromkeys([*others, *similar_names(name, made.keywords)]))[:3]:
        yield Fix(f"did you mean `{other}`?", Edit(at, other))
    if name == "requires_grad":
        yield from mark_result(made)
    if (called, name) == ("log", "base") and made.call.arguments[1:] == (where,):
        yield from log_to_base(made, where)


def log_to_base(made: CallScene, where: tree.Argument) -> Iterator[Fix]:
    """Propose ``log2(x)`` for ``log(x, base=2)``, and a quotient of logarithms for other bases."""
    scene, call = made.scene, made.call
    base, function = scene.text(where.value), scene.text(call.function)
    given = scene.text(call.arguments[0])
    quotient = f"({function}({given}) / {function}({base}))"
    named = f"{function}{base}({given})" if base in ("2", "10") else quotient
    yield Fix(f"write {named}", Edit(call.span, named))


def mark_result(made: CallScene) -> Iterator[Fix]:
    """Propose ``requires_grad_()`` behind a call that takes no ``requires_grad=``."""
    where = made.argument("requires_grad")
    if where is None or len(made.call.arguments) < 2:
        return
    if LibraryWords(made.scene).module == "numpy":
        made.scene.error.caret = "arrays are inputs without it"
        yield from drop_argument(made, where)
        return
    text = made.scene.text(made.call)
    start, end = where.span.start - made.call.span.start, where.span.end - made.call.span.start
    marked = f"{text[:start].rstrip().rstrip(',')}{text[end:]}.requires_grad_()"
    yield Fix(f"mark the result: {marked}", Edit(made.call.span, marked))


def drop_argument(made: CallScene, where: tree.Argument) -> Iterator[Fix]:
    """Propose the call without one of its arguments."""
    given = [argument for argument in made.call.arguments if argument is not where]
    texts = ", ".join([made.scene.text(argument) for argument in given])
    inside = Span(made.call.function.span.end, made.call.span.end)
    yield Fix(f"leave one out: {made.scene.text(made.call.function)}({texts})", Edit(inside, f"({texts})"))


def fit_missing(made: CallScene, message: str) -> Iterator[Fix]:
    """Propose a value for an argument that was left out."""
    scene, call = made.scene, made.call
    text = scene.text(call)
    quote = '"' if '"' in message else "'"
    names = message.split(quote)[1::2]
    scene.error.caret = (
        f"{' and '.join([f'`{name}`' for name in names])} {'is' if len(names) < 2 else 'are'} missing"
    )
    callee = call.function
    if isinstance(callee, tree.Attribute) and callee.name == "transpose" and made.is_method:
        owner = scene.text(callee.object)
        yield Fix(f"to swap rows and columns: {owner}.T", Edit(call.span, f"{owner}.T"))
    for argument in call.arguments:
        if (
            argument.keyword
            and argument.keyword not in made.keywords
            and similar_names(argument.keyword, names)
        ):
            at = Span(argument.span.start, argument.span.start + len(argument.keyword))
            scene.error.span = at
            scene.error.caret = f"not one of its arguments, and {scene.error.caret}"
            other = similar_names(argument.keyword, names)[0]
            yield Fix(f"did you mean `{other}`?", Edit(at, other))
            return
    if names == ["dim"]:
        for dim in ("-1", "0"):
            yield Fix(
                f"along the {'last' if dim == '-1' else 'first'} dimension: {text[:-1]}"
                f"{', ' if call.arguments else ''}dim={dim})",
                made.insert(f"dim={dim}"),
            )
    elif made.function.__class__ is ScriptFunction:
        # The script may have a value of that name.
        known = [name for name in names if scene.values.get(name, UNBOUND) is not UNBOUND]
        if known == names:
            given = ", ".join([f"{name}={name}" for name in names])
            yield Fix(f"give it: {text[:-1]}{', ' if call.arguments else ''}{given})", made.insert(given))


def fit_count(made: CallScene, at: Any, where: tree.Argument | None) -> Iterator[Fix]:
    """Propose a list or fewer arguments, where there are more arguments than parameters."""
    scene, call = made.scene, made.call
    limit = at - made.is_method
    scene.error.caret = "this is one too many" if len(call.arguments) == limit + 1 else "these are too many"
    if where is not None:
        scene.error.span = where.span.extend_to(call.arguments[-1].span)
    plain = [argument for argument in call.arguments if argument.keyword is None and not argument.star]
    name = scene.text(call.function).rpartition(".")[2]
    if name in ("tensor", "as_tensor") and len(plain) > 1:
        inside = plain[0].span.extend_to(plain[-1].span)
        listed = f"[{scene.source.excerpt(inside)}]"
        whole_call = f"{scene.text(call.function)}({listed})"
        text = scene.source.excerpt(inside)
        if point := decimal_number(plain, text):
            yield Fix(f"write a decimal point: {scene.text(call.function)}({point})", Edit(inside, point))
        yield Fix(f"several numbers go in a list: {whole_call}", Edit(inside, listed))
    elif where is not None and limit >= 0:
        kept = call.arguments[:limit]
        texts = ", ".join([scene.text(argument) for argument in kept])
        inside = Span(call.function.span.end, call.span.end)
        yield Fix(f"leave out the rest: {scene.text(call.function)}({texts})", Edit(inside, f"({texts})"))


def decimal_number(plain: list[tree.Argument], text: str) -> str:
    """Return ``1.5`` for the arguments ``1,5``, a number with a decimal comma; empty for others."""
    if len(plain) != 2 or not all(isinstance(part.value, tree.Number) for part in plain):
        return ""
    whole, _, rest = text.partition(",")
    return f"{whole}.{rest}" if whole.isdigit() and rest.isdigit() else ""


def fit_value(
    made: CallScene, where: tree.Argument, parameter_at: Any, parameter: Any, given: Any
) -> Iterator[Fix]:
    """Propose another value for an argument of the wrong type."""
    scene, node = made.scene, where.value
    error, text = scene.error, scene.text(where.value)
    if given.__class__ is tuple and parameter.variadic and parameter.kind == "ints":
        # Sizes as separate arguments: the first that is no whole number is wrong.
        wrong = next((i for i, size in enumerate(given) if size.__class__ is not int), 0)
        beside = made.argument(parameter_at + wrong)
        if beside is not None:
            where, node, given = beside, beside.value, given[wrong]
            error.span, text = node.span, scene.text(beside.value)
    error.message = error.message.replace(f"not {type(given).__name__}", f"not {type_name(given)}")
    error.caret = f"this is {type_phrase(given)}"
    if given.__class__ is float and parameter.kind in ("int", "ints", "size"):
        error.caret = f"this is {given!r}, no whole number"
    if given is None:
        yield from explain_none(scene, node)
    elif (
        given.__class__ in (BoundMethod, Builtin, PublicFunction, ScriptFunction) and parameter.kind != "str"
    ):
        yield from call_it(scene, given, node)
    elif parameter.kind in ("tensor", "value"):
        yield from tensor_instead(made, where, given)
    elif parameter.kind == "tensors":
        yield from tensors_instead(made, given)
    elif parameter.kind == "str":
        quoted = f'"{text.rpartition(".")[2]}"'
        if quoted[1:-1].isidentifier():
            yield Fix(f"put its name in quotes: {quoted}", Edit(node.span, quoted))
    elif parameter.kind in ("int", "ints", "size") and given.__class__ is float:
        if isinstance(node, tree.Number) and given.is_integer():
            yield Fix(f"write a whole number: {int(given)}", Edit(node.span, str(int(given))))
        elif isinstance(node, tree.Binary) and node.op == "/":
            halves = f"{scene.text(node.left)} // {scene.text(node.right)}"
            yield Fix(f"divide to a whole number: {halves}", Edit(node.span, halves))
        else:
            yield Fix(f"make it a whole number: int({text})", int_edit(scene, node))
    elif parameter.kind == "size" and given.__class__ is int:
        yield Fix(f"a shape is a tuple: ({text},)", Edit(node.span, f"({text},)"))
    elif parameter.kind == "dtype":
        named = text.strip("'\"").rpartition(".")[2]
        named = named if named in DTYPES else "float64" if named == "float" else ""
        if named:
            yield Fix(f"did you mean `torch.{named}`?", Edit(node.span, f"torch.{named}"))
    elif parameter.kind == "bool" and given.__class__ in (int, str):
        word = str(bool(given) and given not in ("False", "false", "0"))
        yield Fix(f"did you mean `{word}`?", Edit(node.span, word))


def tensor_instead(made: CallScene, where: tree.Argument, given: Any) -> Iterator[Fix]:
    """Propose a tensor for a number, list or named result."""
    scene, node = made.scene, where.value
    text = scene.text(node)
    if given.__class__ is NamedResult and "values" in given.fields:
        yield Fix(
            f"take the values: {with_parentheses(text)}.values",
            Edit(node.span, f"{with_parentheses(text)}.values"),
        )
    elif given.__class__ in NUMBER_CLASSES:
        number = f"{text}." if isinstance(node, tree.Number) and isinstance(node.value, int) else text
        yield Fix(f"make it a tensor: torch.tensor({number})", Edit(node.span, f"torch.tensor({number})"))
        callee = made.call.function
        if callee.span.start != callee.span.end and made.function.__class__ is PublicFunction:
            name = made.function.name
            math = scene.value(tree.Name(node.span, "math"))
            if math.__class__ is Namespace and math.find(name) is not UNBOUND:
                yield Fix(
                    f"or compute with plain numbers: math.{name}({text})", Edit(callee.span, f"math.{name}")
                )
    elif given.__class__ in (list, tuple):
        stacks = given and all(entry.__class__ is Tensor for entry in given)
        wrapped = f"torch.stack({text})" if stacks else f"torch.tensor({text})"
        yield Fix(f"make it a tensor: {wrapped}", Edit(node.span, wrapped))


def tensors_instead(made: CallScene, given: Any) -> Iterator[Fix]:
    """Propose a list for tensors that are passed as separate arguments."""
    scene = made.scene
    plain = [argument for argument in made.call.arguments if argument.keyword is None and not argument.star]
    tensors = []
    for argument in plain:
        if isinstance(argument.value, tree.Number):
            break
        tensors.append(argument)
    if given.__class__ is Tensor and len(tensors) > 1:
        inside = tensors[0].span.extend_to(tensors[-1].span)
        listed = f"[{scene.source.excerpt(inside)}]"
        scene.error.caret = "the tensors go in a list"
        yield Fix(f"put them in a list: {scene.text(made.call.function)}({listed})", Edit(inside, listed))


def type_phrase(given: Any) -> str:
    """Return a phrase for the type of a value, such as ``a Python number``."""
    from autodiff.grammar.objects.operators import with_article

    if given.__class__ in (int, float):
        return "a Python number"
    if given.__class__ in (list, tuple):
        return f"a Python {type_name(given)}"
    return with_article(type_name(given))


# -- torch's message ---------------------------------------------------------------------------------------


def use_torch_message(made: CallScene) -> str:
    """Put torch's first line in place of core's, and return the line that says what to repair.

    It is torch's line too, unless torch leaves open which argument of a function with overloads it was.
    """
    error = made.scene.error
    own = error.message
    if not error.repair_context and made.owner.__class__ is Tensor:
        return use_method_message(made)
    if made.function.__class__ is not PublicFunction or len(error.repair_context) < 5:
        return own
    function, at, refused, args, kwargs = error.repair_context
    key = torch_key(made)
    name = key.partition(".")[2]
    if made.is_method and function not in (METHODS.get(name), METHODS.get(name.removesuffix("_"))):
        args = (made.owner, *args)  # a tensor method that calls the function, such as new_zeros
    found = find_mistake(key, args, kwargs, made.is_method)
    if found is None or (found.argument is NO_SINGLE_ARGUMENT and has_unknown_types(args, kwargs)):
        called = torch_message_name(key)
        if refused is not None:
            is_changed = is_in_place(function, args, kwargs)
            said = inner_message(key, refused[0].name, refused[1], is_changed)
            error.message = said or with_torch_position(own, made, at, refused[0])
        elif called is not None and own.startswith(f"{function.name}()"):
            error.message = called + own.removeprefix(function.name)
        return error.message
    error.message = found.message
    if found.argument is NO_SINGLE_ARGUMENT:
        return own
    refused = None
    if found.value is not UNKNOWN:
        refused = (parameter_at(function, found.argument, found.kind), found.value)
    error.repair_context = (function, found.argument, refused, args, kwargs)
    return found.message


def is_in_place(function: PublicFunction, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether the call passes a true ``inplace``."""
    names = [parameter.name for parameter in function.parameters]
    by_position = dict(zip(names, args, strict=False))
    inplace = (by_position | kwargs).get("inplace")
    return inplace.__class__ is not Tensor and bool(inplace)  # of a tensor the truth may be refused


def with_torch_position(message: str, made: CallScene, at: int, parameter: Parameter) -> str:
    """Return core's line with the argument's position as torch counts it, and none for keywords."""
    where = made.argument(at)
    if parameter.keyword_only or (where is not None and where.keyword is not None):
        return message.replace(f" (position {at + 1})", "")
    return message.replace(f"(position {at + 1})", f"(position {at})") if made.is_method else message


def use_method_message(made: CallScene) -> str:
    """Put torch's message for a tensor method that core has no function for, by the argument count."""
    error, given = made.scene.error, made.call.arguments
    if not any(argument.star for argument in given):
        positional = [UNKNOWN for argument in given if argument.keyword is None]
        named = {argument.keyword: UNKNOWN for argument in given if argument.keyword is not None}
        found = find_mistake(torch_key(made), [made.owner, *positional], named, is_method=True)
        if found is not None and found.argument is not NO_SINGLE_ARGUMENT:
            error.message = found.message
    return error.message


def has_unknown_types(args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
    """Whether types of some arguments are not known, as in a script that does not run."""
    return any(x is UNKNOWN for x in (*args, *kwargs.values()))


def torch_key(made: CallScene) -> str:
    """Return the function's key in core's table by the name in the call: ``F.relu``, ``Tensor.relu``."""
    name = made.scene.text(made.call.function).rpartition(".")[2]
    if made.is_method:
        return f"Tensor.{name}"
    owner = getattr(made.owner, "name", "").rpartition(".")[2]
    return function_key(made.function, name, {"functional": "F"}.get(owner, owner))


def parameter_at(function: PublicFunction, at: int | str, kind: str) -> Parameter:
    """Return the parameter at a position or of a name, else a new one of the kind that torch takes there."""
    for number, parameter in enumerate(function.parameters):
        if at in (number, parameter.name) or (parameter.variadic and at.__class__ is int):
            return parameter
    return Parameter(str(at), kind, MISSING, False, False)
