"""Checks whether torch's argument parser accepts the arguments of a call, before core is called.

The result depends almost only on the classes of the arguments and is cached by them, so a call in a loop is
checked once.
"""

from __future__ import annotations

from functools import cache

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.argument_kinds import MISSING
from autodiff.core.engine.public_functions import FUNCTIONS, NAMESPACES, Function, Parameter
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import DType
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

#: The usual ways to make a tensor, accepted in advance: their check would take 10 % of a short script's time.
FIRST_CALLS: tuple[tuple[Any, ...], ...] = tuple(
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
FITTING: set[tuple[Any, ...]] = set(FIRST_CALLS)
#: Keyword arguments that are accepted here but no longer by torch, as the reference documents.
TAKE_MORE = {"Tensor.backward": "retain_variables"}


def check(key: str, function: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> None:
    """Raise ScriptError for arguments that torch's argument parser rejects.

    The arguments of a method begin with its tensor. If core rejects the arguments too, its own error is
    raised, because it has better proposals. Arguments in a deprecated order are accepted with a warning.
    """
    call = (key, *[kind_of(x) for x in args], *kwargs, *[kind_of(x) for x in kwargs.values()])
    if call in FITTING:
        return
    if key in TAKE_MORE:
        kwargs = {name: x for name, x in kwargs.items() if name != TAKE_MORE[key]}
    from autodiff.grammar.objects.torch_argument_errors import UNKNOWN, blame

    is_method = key.startswith("Tensor.")
    found = blame(key, args, kwargs, is_method)
    if found is None:
        opaque = Tensor.of(0.0)
        opaque.requires_grad = True
        # A tensor of one number may be accepted as a number. The result is cached only if it does not depend
        # on that: if any other tensor would be accepted too.
        others = [opaque if x.__class__ is Tensor else x for x in args]
        named = {name: opaque if x.__class__ is Tensor else x for name, x in kwargs.items()}
        if blame(key, others, named, is_method) is None and len(FITTING) < 10_000:
            FITTING.add(call)
        return
    from autodiff.core.engine.legacy_calls import in_present_order

    older = in_present_order(key.rpartition(".")[2], args, kwargs, is_method)
    if older is not None:
        mode.warn(deprecated(key, older))
        return
    # In a script without tensors numbers are leaves, and are accepted as numbers.
    others = [UNKNOWN if is_leaf_number(x) else x for x in args]
    named = {name: UNKNOWN if is_leaf_number(x) else x for name, x in kwargs.items()}
    if blame(key, others, named, is_method) is None:
        return
    if function.__class__ is Function:
        try:
            function.bind(tuple(args), kwargs)
        except ScriptError as error:
            error.about = (*(error.about or (function, None, None))[:3], tuple(args), kwargs)
            raise
    refused = None
    if found.value is not UNKNOWN:
        refused = (Parameter(str(found.argument), found.kind, MISSING, False, False), found.value)
    raise ScriptError(
        found.message, code="E0310", about=(function, found.argument, refused, tuple(args), kwargs)
    )


def deprecated(key: str, older: dict[str, Any]) -> str:
    """Return torch's warning for a deprecated order of arguments; ``older`` has them in it, by name."""
    from autodiff.core.engine.legacy_calls import NUMBERS
    from autodiff.grammar.objects.torch_argument_errors import entry_of, forms_of

    entry = entry_of(key)
    assert entry is not None
    called, _, signature = entry
    forms = [form.text for form in forms_of(signature)]
    is_method = key.startswith("Tensor.")
    listed = [
        f"{'Number' if name in NUMBERS else 'Tensor'} {name}"
        for name in older
        if name != "input" or not is_method
    ]
    end = ", *, Tensor out = None" if "Tensor out" in forms[0] else ""
    present = "\n    ".join(called + form for form in forms)
    return (
        f"This overload of {called} is deprecated:\n    {called}({', '.join(listed)}{end})\nConsider using"
        f" one of the following signatures instead:\n    {present}"
    )


def kind_of(x: Any) -> Any:
    """Return what the check depends on: the class of an argument, for sequences with those of the entries."""
    kind = x.__class__
    if isinstance(x, (list, tuple)):
        return kind, x[0].__class__ if x else None, frozenset([entry.__class__ for entry in x])
    return kind


def is_leaf_number(x: Any) -> bool:
    return x.__class__ is Tensor and x.requires_grad and not x.ndim


@cache
def key_of(function: Function, name: str, namespace: str = "") -> str:
    """Return the key of a function in core's table, such as ``F.relu``; empty if it has none."""
    keys = [f"{owner}.{name}" for owner in (namespace, *NAMESPACES)]
    return next((key for key in keys if FUNCTIONS.get(key) is function), "")


__all__ = ["check", "key_of"]
