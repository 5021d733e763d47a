"""The functions that users can call: their signatures, namespaces and methods, and argument binding.

A function is an op itself or a few lines over ops; the modules in ``core/ops`` declare them. Arguments are
bound and checked here against the signature, so that no unchecked argument of a script reaches numpy.
"""

from __future__ import annotations

from autodiff.core.base.errors import ArgumentError, ScriptError, type_name
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.device import require_cpu
from autodiff.core.graph.dtypes import dtype_from
from autodiff.core.graph.op import Op
from autodiff.core.graph.registry import LazyTable, declare
from autodiff.core.graph.state import mode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


MISSING: Any = object()


def as_tensor(value: Any) -> Any:
    return value if value.__class__ is Tensor else MISSING


def as_tensor_or_number(value: Any) -> Any:
    return value if value.__class__ is Tensor or value.__class__ in (float, int, bool) else MISSING


def as_int(value: Any) -> Any:
    if value.__class__ is int:
        return value
    # In a script without tensors every number is a leaf; an integral one is accepted as an int.
    if value.__class__ is Tensor and value.entry_count == 1 and float(value.item()).is_integer():
        mode.count(value)
        return int(value.item())
    return MISSING


def as_float(value: Any) -> Any:
    if value.__class__ in (float, int, bool):
        return value
    return value.item() if value.__class__ is Tensor and value.entry_count == 1 else MISSING


def as_bool(value: Any) -> Any:
    return value if value.__class__ is bool else MISSING


def as_ints(value: Any) -> Any:
    """Return a tuple of ints made from one int, several ints, or a tuple or list of ints."""
    if value.__class__ is int:
        return (value,)
    if value.__class__ is tuple and len(value) == 1 and isinstance(value[0], (tuple, list)):
        value = value[0]
    if not isinstance(value, (tuple, list)):
        value = (value,)
    # torch checks only the type of the first: a later True counts as 1.
    ints = tuple(int(n) if at and n.__class__ is bool else as_int(n) for at, n in enumerate(value))
    return MISSING if any(n is MISSING for n in ints) else ints


def as_tensors(value: Any) -> Any:
    if value.__class__ is tuple and len(value) == 1 and isinstance(value[0], (tuple, list)):
        value = value[0]
    if isinstance(value, (tuple, list)) and all(v.__class__ is Tensor for v in value):
        return list(value)
    return MISSING


def as_dtype(value: Any) -> Any:
    dtype = dtype_from(value)
    return MISSING if dtype is None else dtype


def as_str(value: Any) -> Any:
    return value if value.__class__ is str else MISSING


#: For each kind, a description of the accepted values and a conversion that returns MISSING for others.
ARGUMENT_KINDS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "value": ("Tensor or Number", as_tensor_or_number),
    "tensor": ("Tensor", as_tensor),
    "tensors": ("tuple of Tensors", as_tensors),
    "int": ("int", as_int),
    "float": ("Number", as_float),
    "bool": ("bool", as_bool),
    "ints": ("tuple of ints", as_ints),
    "size": ("tuple of ints", lambda value: as_ints(value) if isinstance(value, (tuple, list)) else MISSING),
    "sizes": (
        "tuple of ints",
        lambda value: (as_ints if isinstance(value, (tuple, list)) else as_int)(value),
    ),
    "dtype": ("torch.dtype", as_dtype),
    "str": ("str", as_str),
    "any": ("anything", lambda value: value),
}


#: For each kind, the classes whose values the conversion returns unchanged.
UNCONVERTED_CLASSES: dict[str, frozenset[type]] = {
    kind: frozenset(classes)
    for kind, classes in {
        **dict.fromkeys(ARGUMENT_KINDS, ()),
        "value": (Tensor, float, int, bool),
        "tensor": (Tensor,),
        "int": (int,),
        "float": (float, int, bool),
        "bool": (bool,),
        "str": (str,),
    }.items()
}


#: ``"torch.sum"``, ``"F.relu"``, ``"linalg.det"``: every public name with its namespace.
FUNCTIONS: dict[str, PublicFunction] = LazyTable("functions")

#: The functions that are also methods of a tensor, by bare name.
METHODS: dict[str, PublicFunction] = LazyTable("methods")

#: The methods that change their tensor, such as ``exp_``, by bare name.
IN_PLACE: dict[str, PublicFunction] = LazyTable("in_place")

NAMESPACES = ("torch", "F", "linalg", "special")

NOT_COMPUTED: Any = object()

#: numpy's names of some arguments, which torch accepts too.
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other"}
#: Functions that torch implements in Python, where numpy's names are not accepted, and functions of F that
#: torch implements in C++, where they are.
PYTHON_FUNCTIONS = frozenset(["norm", "split", "split_with_sizes"])
CPP_FUNCTIONS_OF_F = frozenset(["gelu", "hardshrink", "linear", "logsigmoid", "softplus", "softshrink"])


class Parameter:
    """A parameter. ``kind`` is a key of ARGUMENT_KINDS; ``default`` is MISSING if an argument is required."""

    __slots__ = ("default", "keyword_only", "kind", "name", "variadic")

    def __init__(self, name: str, kind: str, default: Any, variadic: bool, keyword_only: bool) -> None:
        self.name = name
        self.kind = kind
        self.default = default
        self.variadic = variadic
        self.keyword_only = keyword_only

    def collect_variadic(self, values: Sequence[Any]) -> Any:
        """Return the values of a variadic parameter as a tuple; for sizes, ``None`` alone means no sizes."""
        is_none = len(values) == 1 and values[0] is None and self.kind == "ints" and self.default is None
        return None if is_none else tuple(values)


class PublicFunction:
    """A public function. ``signature`` is written as in Python: ``sum(input, dim: ints = None)``."""

    __slots__ = (
        "_parameters",
        "_plans",
        "_unary_call",
        "_unary_defaults",
        "doc",
        "example",
        "implementation",
        "in_place",
        "name",
        "signature",
    )

    def __init__(
        self, signature: str, implementation: Callable[..., Any], in_place: bool, doc: str, example: str
    ) -> None:
        self.signature = signature
        self.name = signature[: signature.index("(")].rpartition(".")[2]
        self.implementation = implementation
        self.in_place = in_place
        self.doc = doc
        self.example = example
        self._parameters: tuple[Parameter, ...] | None = None
        self._plans: dict[tuple[Any, ...], list[tuple[Parameter, Any, int]]] = {}
        self._unary_defaults: tuple[Any, ...] | None = NOT_COMPUTED
        self._unary_call: Any = NOT_COMPUTED

    def __repr__(self) -> str:
        return f"<function {self.name}>"

    def usage(self, skipped: int = 0) -> str:
        """Return the signature without kinds: ``sum(input, dim=None, keepdim=False, *, dtype=None)``.

        The first ``skipped`` parameters are omitted.
        """
        shown: list[str] = []
        for parameter in self.parameters[skipped:]:
            if parameter.keyword_only and not any(text.startswith("*") for text in shown):
                shown.append("*")
            text = ("*" if parameter.variadic else "") + parameter.name
            shown.append(text if parameter.default is MISSING else f"{text}={parameter.default!r}")
        return f"{self.name}({', '.join(shown)})"

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parsed signature. It is parsed on first use, because a script uses few of the functions."""
        if self._parameters is None:
            inside = self.signature[self.signature.index("(") + 1 : self.signature.rindex(")")]
            self._parameters = parse_parameters(inside)
        return self._parameters

    @property
    def unary_defaults(self) -> tuple[Any, ...] | None:
        """The defaults that follow the tensor in a call with only one tensor; None if it needs ``bind``."""
        if self._unary_defaults is NOT_COMPUTED:
            first, *rest = self.parameters or (None,)
            self._unary_defaults = (
                None
                if first is None
                or first.kind not in ("value", "tensor")
                or first.keyword_only
                or any(p.variadic for p in self.parameters)
                or any(p.default is MISSING for p in rest)
                else tuple(p.default for p in rest)
            )
        return self._unary_defaults

    @property
    def of_one(self) -> Callable[[Tensor], Any] | None:
        """The function of one tensor that such a call runs without binding; None if it needs ``bind``."""
        if self._unary_call is NOT_COMPUTED:
            after, implementation = self.unary_defaults, self.implementation
            if after:
                self._unary_call = lambda x: implementation(x, *after)
            else:
                of_one = implementation.of_one if implementation.__class__ is Op else None
                self._unary_call = None if after is None else of_one or implementation
        return self._unary_call  # type: ignore[no-any-return] # a callable or None

    def __call__(self, first: Any = MISSING, /, *others: Any, **kwargs: Any) -> Any:
        if first.__class__ is Tensor and not others and not kwargs:
            of_one = self._unary_call
            if of_one is NOT_COMPUTED:
                of_one = self.of_one
            if of_one is not None:
                return of_one(first)
        args = () if first is MISSING else (first, *others)
        try:
            return self.implementation(*self.bind(args, kwargs))
        except ScriptError as error:
            if error.code == "E0310":
                from autodiff.core.engine.deprecated_calls import call_in_deprecated_order

                answer = call_in_deprecated_order(self, args, kwargs)
                if answer is not NotImplemented:
                    return answer
                about = (
                    error.repair_context[:3]
                    if error.repair_context and error.repair_context[0] is self
                    else (self, None, None)
                )
                error.repair_context = (*about, args, kwargs)
            raise

    def with_parameters(self, parameters: tuple[Parameter, ...]) -> PublicFunction:
        """Return a copy of the function with other parameters and an empty plan cache."""
        twin = PublicFunction(self.signature, self.implementation, self.in_place, self.doc, self.example)
        twin._parameters = parameters
        return twin

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Return the implementation's arguments in signature order, checked and converted."""
        known = self._plans.get((len(args), *kwargs))
        if known is not None:
            return self.bind_by_plan(known, args, kwargs)
        if "device" in kwargs and "device: device" in self.signature:
            require_cpu(kwargs["device"])
            kwargs = {name: value for name, value in kwargs.items() if name != "device"}
        bound: list[Any] = []
        plan: list[tuple[Parameter, Any, int]] = []
        rest = list(args)
        used = 0
        if kwargs and not NUMPY_NAMES.keys().isdisjoint(kwargs):
            kwargs = self.without_numpy_names(kwargs)
        for position, parameter in enumerate(self.parameters):
            if parameter.variadic:
                value: Any = parameter.collect_variadic(rest)
                source: slice | str = slice(position, None)
                # Variadic sizes may be passed as one list by keyword; variadic tensors may not.
                if not rest and parameter.kind == "ints" and parameter.name in kwargs:
                    value, source = kwargs[parameter.name], parameter.name
                    used += 1
                elif not rest and parameter.default is MISSING:
                    raise self.missing(position, kwargs)
                elif not rest:
                    bound.append(parameter.default)
                    continue
                plan.append((parameter, source, position))
                rest = []
            elif rest and not parameter.keyword_only:
                value = rest.pop(0)
                plan.append((parameter, position, position))
                if parameter.name in kwargs:
                    raise self.error(f"got multiple values for argument '{parameter.name}'", parameter.name)
            elif parameter.name in kwargs:
                value = kwargs[parameter.name]
                plan.append((parameter, parameter.name, position))
                used += 1
            elif parameter.default is not MISSING:
                plan.append((parameter, None, position))
                bound.append(parameter.default)
                continue
            else:
                raise self.missing(position, kwargs)
            bound.append(self.convert(value, parameter, position))
        if rest:
            limit = sum(not p.keyword_only for p in self.parameters)
            raise self.error(
                f"takes {limit} positional argument{'s' * (limit != 1)} but {len(args)} were given", limit
            )
        if used != len(kwargs):
            names = [p.name for p in self.parameters if not p.variadic or p.kind == "ints"]
            for name in kwargs:
                if name == "out":
                    raise self.out_error(args)
                if name not in names:
                    raise self.error(f"got an unexpected keyword argument '{name}'", name)
        if len(plan) == len(self.parameters) and len(self._plans) < 100:
            self._plans[len(args), *kwargs] = plan
        return bound

    def out_error(self, args: tuple[Any, ...]) -> ScriptError:
        """Return the error for ``out=``, which names a tensor that is written over."""
        tracked = [x for x in args if getattr(x, "requires_grad", False)]
        if tracked:
            message = (
                f"{self.name}(): functions with out=... arguments don't support automatic differentiation,"
                " but one of the arguments requires grad."
            )
            caret = "a result that is written over another tensor has no graph"
        else:
            message, caret = f"{self.name}(): `out=` is not in the language", "results are new tensors"
        way_out = f"give the result a name: `y = torch.{self.name}(...)`"
        return ScriptError(message, code="E0310", operands=tuple(tracked), caret=caret, help=(way_out,))

    def bind_by_plan(self, plan: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """Like ``bind``, with the plan of an earlier call with as many arguments and the same keywords."""
        bound = []
        for parameter, source, position in plan:
            if source is None:
                bound.append(parameter.default)
                continue
            value = kwargs[source] if source.__class__ is str else args[source]
            if source.__class__ is slice:
                value = parameter.collect_variadic(value)
            as_it_is = value.__class__ in UNCONVERTED_CLASSES[parameter.kind]
            bound.append(value if as_it_is else self.convert(value, parameter, position))
        return bound

    def without_numpy_names(self, kwargs: dict[str, Any]) -> dict[str, Any]:
        """Return the keywords with numpy's names, which torch's C++ functions accept, replaced by torch's."""
        names = [p.name for p in self.parameters]
        is_functional = self.signature.startswith("F.") and self.name not in CPP_FUNCTIONS_OF_F
        if is_functional or self.name in PYTHON_FUNCTIONS:
            return kwargs
        renamed = {}
        for name, value in kwargs.items():
            other = NUMPY_NAMES.get(name)
            is_numpys = name not in names and other in names and other not in kwargs
            renamed[other if is_numpys and other else name] = value
        return renamed

    def missing(self, position: int, kwargs: dict[str, Any]) -> ScriptError:
        """Return torch's error for required arguments from ``position`` on that the call does not pass."""
        required = [
            p.name for p in self.parameters[position:] if p.default is MISSING and p.name not in kwargs
        ]
        listed = ", ".join([f'"{name}"' for name in required])
        plural = "s" if len(required) == 1 else ""
        return self.error(f"missing {len(required)} required positional argument{plural}: {listed}", None)

    def convert(self, value: Any, parameter: Parameter, position: int) -> Any:
        """Return the value converted to the parameter's kind; raise torch's error if that fails."""
        accepted, convert = ARGUMENT_KINDS[parameter.kind]
        if value is None and (parameter.default is None or parameter.name == "requires_grad"):
            return parameter.default
        converted = convert(value)
        if converted is MISSING:
            only = parameter.variadic and value.__class__ is tuple and len(value) == 1
            given = value[0] if only else value
            what = f"not {type_name(given)}"
            if isinstance(given, (tuple, list)):
                for at, entry in enumerate(given):
                    if convert((entry,)) is MISSING:
                        what = f"but found element of type {type_name(entry)} at pos {at}"
                        break
            raise self.error(
                f"argument '{parameter.name}' (position {position + 1}) must be {accepted}, {what}",
                position,
                (parameter, given),
            )
        return converted

    def error(
        self, message: str, argument: int | str | None, refused: tuple[Parameter, Any] | None = None
    ) -> ScriptError:
        """Return an error about an argument, given by position or keyword.

        ``refused`` is the parameter with the value it rejected. ``__call__`` adds all arguments of the call
        to ``about``, because torch's wording depends on all of them.
        """
        return ArgumentError(
            f"{self.name}() {message}".replace("() argument", "(): argument"),
            repair_context=(self, argument, refused),
        )


def parse_parameters(text: str) -> tuple[Parameter, ...]:
    """Parse ``input, dim: ints = None, *, keepdim: bool = False``. Defaults are numbers, strings or names.

    Without a kind, ``input`` is a tensor and any other parameter a tensor or number, as mostly in torch. A
    ``device`` is skipped: the implementation does not take it, because there is only one device.
    """
    parameters = []
    keyword_only = False
    for part in filter(None, (p.strip() for p in text.split(","))):
        if part == "*":
            keyword_only = True
            continue
        declared, _, default = (p.strip() for p in part.partition("="))
        name, _, kind = (p.strip() for p in declared.partition(":"))
        if kind == "device":
            continue
        variadic = name.startswith("*")
        parameters.append(
            Parameter(
                name.lstrip("*"),
                kind or ("tensor" if name == "input" else "value"),
                _default_value(default) if default else MISSING,
                variadic,
                keyword_only,
            )
        )
    return tuple(parameters)


_WORDS = {"None": None, "True": True, "False": False}


def _default_value(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if text[0] in "'\"":
        return text[1:-1]
    return float(text) if "." in text or "e" in text else int(text)


def expose(
    signature: str,
    implementation: Callable[..., Any],
    *,
    also: tuple[str, ...] = (),
    method: bool = True,
    in_place: bool = False,
    example: str = "",
) -> None:
    """Make ``implementation`` public under the signature's name and the names ``also``.

    A name without a namespace belongs to ``torch`` and, if ``method``, is a method too. ``in_place`` adds the
    method with a trailing underscore. ``example`` is a call for the reference, if a plain call says little.
    """
    doc = implementation.doc if isinstance(implementation, Op) else implementation.__doc__ or ""
    function = PublicFunction(signature, implementation, in_place, doc.strip(), example)
    qualified = signature[: signature.index("(")]
    for name in (qualified, *also):
        declare(FUNCTIONS, name if "." in name else f"torch.{name}", function)
    if method:
        for name in (function.name, *also):
            if "." not in name:
                METHODS[name] = function
                if in_place:
                    IN_PLACE[f"{name}_"] = function


def public(signature: str, **where: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return ``expose`` as a decorator, for functions that are a few lines over ops."""

    def enter(implementation: Callable[..., Any]) -> Callable[..., Any]:
        expose(signature, implementation, **where)
        return implementation

    return enter


def find_function(name: str) -> PublicFunction | None:
    """Return the function that a bare name means: the one in the first of NAMESPACES that has it, or None."""
    for namespace in NAMESPACES:
        function = FUNCTIONS.get(f"{namespace}.{name}")
        if function is not None:
            return function
    return None


__all__ = [
    "FUNCTIONS",
    "IN_PLACE",
    "METHODS",
    "NAMESPACES",
    "Parameter",
    "PublicFunction",
    "expose",
    "find_function",
    "public",
]
