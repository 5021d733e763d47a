"""Checks whether torch's argument parser accepts the arguments of a call, before core is called.

The result depends almost only on the classes of the arguments and is cached by them, so a call in a loop is
checked once.
"""

from __future__ import annotations

from functools import cache

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.public_functions import FUNCTIONS, MISSING, NAMESPACES, Parameter, PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: The usual ways to make a tensor, accepted in advance: their check would take 10 % of a short script's time.
USUAL_CALLS: tuple[tuple[Any, ...], ...] = tuple(
    [
        ("torch.tensor", data, *named)
        for data in (
            float,
            int,
            (list, float, frozenset([float])),
            (list, int, frozenset([int])),
            (list, list, frozenset([list])),
        )
        for named in (
            (),
            ("requires_grad", bool),
            ("dtype", DType),
            ("dtype", "requires_grad", DType, bool),
            ("requires_grad", "dtype", bool, DType),
        )
    ]
)
#: The accepted calls: the function's key, the classes of the positional arguments, the names and classes of
#: the keyword arguments.
ACCEPTED_CALLS: set[tuple[Any, ...]] = set(USUAL_CALLS)
#: Keyword arguments that are accepted here but no longer by torch, as the reference documents.
EXTRA_KEYWORDS = {"Tensor.backward": "retain_variables"}


def check_call(key: str, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Raise ScriptError for arguments that torch's argument parser rejects.

    The arguments of a method begin with its tensor. If core rejects the arguments too, its own error is
    raised, because it has better proposals. Arguments in a deprecated order are accepted with a warning.
    """
    call = (key, *[class_key(x) for x in args], *kwargs, *[class_key(x) for x in kwargs.values()])
    if call in ACCEPTED_CALLS:
        return
    if key in EXTRA_KEYWORDS:
        kwargs = {name: x for name, x in kwargs.items() if name != EXTRA_KEYWORDS[key]}
    from autodiff.grammar.objects.torch_argument_errors import UNKNOWN, find_mistake

    is_method = key.startswith("Tensor.")
    mistake = find_mistake(key, args, kwargs, is_method)
    if mistake is None:
        opaque = Tensor.of(0.0, requires_grad=True)
        # A tensor of one number may be accepted as a number. The result is cached only if it does not depend
        # on that: if any other tensor would be accepted too.
        others = [opaque if x.__class__ is Tensor else x for x in args]
        named = {name: opaque if x.__class__ is Tensor else x for name, x in kwargs.items()}
        if find_mistake(key, others, named, is_method) is None and len(ACCEPTED_CALLS) < 10_000:
            ACCEPTED_CALLS.add(call)
        return
    from autodiff.core.engine.deprecated_calls import match_deprecated_order

    reordered = match_deprecated_order(key.rpartition(".")[2], args, kwargs, is_method)
    if reordered is not None:
        mode.warn(deprecation_warning(key, reordered))
        return
    # In a script without tensors numbers are leaves, and are accepted as numbers.
    others = [UNKNOWN if is_leaf_number(x) else x for x in args]
    named = {name: UNKNOWN if is_leaf_number(x) else x for name, x in kwargs.items()}
    if find_mistake(key, others, named, is_method) is None:
        return
    if function.__class__ is PublicFunction:
        try:
            function.bind(tuple(args), kwargs)
        except ScriptError as error:
            error.repair_context = (
                *(error.repair_context or (function, None, None))[:3],
                tuple(args),
                kwargs,
            )
            raise
    refused = None
    if mistake.value is not UNKNOWN:
        refused = (Parameter(str(mistake.argument), mistake.kind, MISSING, False, False), mistake.value)
    raise ScriptError(
        mistake.message,
        code="E0310",
        repair_context=(function, mistake.argument, refused, tuple(args), kwargs),
    )


def deprecation_warning(key: str, reordered: dict[str, Any]) -> str:
    """Return torch's warning for a deprecated order of arguments; ``reordered`` has them in it, by name."""
    from autodiff.core.engine.deprecated_calls import NUMBER_PARAMETERS
    from autodiff.grammar.objects.torch_argument_errors import parse_overloads, signature_entry

    entry = signature_entry(key)
    assert entry is not None
    called, _, signature = entry
    forms = [form.text for form in parse_overloads(signature)]
    is_method = key.startswith("Tensor.")
    listed = [
        f"{'Number' if name in NUMBER_PARAMETERS else 'Tensor'} {name}"
        for name in reordered
        if name != "input" or not is_method
    ]
    end = ", *, Tensor out = None" if "Tensor out" in forms[0] else ""
    present = "\n    ".join(called + form for form in forms)
    return (
        f"This overload of {called} is deprecated:\n    {called}({', '.join(listed)}{end})\nConsider using"
        f" one of the following signatures instead:\n    {present}"
    )


def class_key(x: Any) -> Any:
    """Return what the check depends on: the class of an argument, for sequences with those of the entries."""
    kind = x.__class__
    if isinstance(x, (list, tuple)):
        return kind, x[0].__class__ if x else None, frozenset([entry.__class__ for entry in x])
    return kind


def is_leaf_number(x: Any) -> bool:
    return x.__class__ is Tensor and x.requires_grad and not x.ndim


def takes_base(function: Any, count: int) -> bool:
    """Whether a call with ``count`` arguments is that of ``log`` with a base, which torch's ``log`` lacks."""
    return count == 2 and function is FUNCTIONS["torch.log"]


@cache
def function_key(function: PublicFunction, name: str, namespace: str = "") -> str:
    """Return the key of a function in core's table, such as ``F.relu``; empty if it has none."""
    keys = [f"{owner}.{name}" for owner in (namespace, *NAMESPACES)]
    return next((key for key in keys if FUNCTIONS.get(key) is function), "")


__all__ = ["check_call", "function_key", "takes_base"]
