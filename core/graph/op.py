"""The Op record of a primitive: its forward, its derivative rule, its spelling and its graph name.

An Op is called like a function. On arrays and floats it computes a value; on Tensors it also records a node;
on Symbols it builds an expression. Rules are written in terms of ops, so one rule serves gradients,
gradients of gradients and printed derivations. The ops themselves are declared in ``core/ops``.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from autodiff.core.base.lazy_imports import np
from autodiff.core.graph.registry import LazyTable, declare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from autodiff.core.graph.node import Node

    Rule = Callable[..., Any]
    Saved = tuple[tuple[int | str, ...], ...]

#: Every primitive by name. The tests, the ``ops`` command and the derivations read this table.
OPS: dict[str, Op] = LazyTable("ops")

PLAIN_NUMBERS = (float, int, bool)

#: The ``doc`` of ops that scripts define; it distinguishes them from built-in ops.
CUSTOM_OP_DOC = "a function defined in the script"

#: For each operand class, the function that applies an op to it. Tensor and Symbol register themselves here.
APPLIERS: dict[type, Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]] = {}

#: What rules and ops raise for operands they do not support, such as symbols without entries.
RULE_ERRORS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)

#: For each number of operands, the factory of the fast path that calls an op without parameters.
FAST_CALL_FACTORIES: dict[int, Callable[[Op], Callable[..., Any]]] = {}


class Op:
    """A primitive function with its derivative rule.

    ``forward(*operands, **params)`` works on ndarrays. ``scalar``, if given, works on Python floats and may
    raise the errors of ``math``. There is one rule per operand: either a partial, d out/d operand as a number
    or ``(out, *operands) -> factor``, or a vjp, ``(g, out, *operands, **params) -> cotangent``.
    ``fast_vjps`` are hand-written versions of the vjps for ndarrays only; one may return None to decline.

    ``is_elementwise``: the op broadcasts its operands. The engine undoes broadcasting; rules never do.
    ``is_view``: the result shares memory with the operand in torch.
    ``real``: integers are converted to floats first.
    ``saves_params``: a parameter (an index, a mask) is saved for backward and freed with it.
    ``saved``: for each operand, the values torch saves for its derivative (operand numbers and ``"out"``),
    given if they differ from what the rule here reads. An in-place change of a saved value makes backward
    fail; other changes do not. ``"inside"`` stands for a value that only torch's function has, such as the
    1/x in a/x. ``saved`` may also be a function of the node.
    ``kinds``: the kinds of numbers (letters of "bif") that torch has a kernel for, if not all; ``kernel`` is
    torch's name of that kernel.
    ``grad_fn``: the name torch prints, or a function of the node.
    ``fused_backward``: the name of the single node that torch records for the whole derivative when the pass
    itself is recorded (``create_graph``).
    ``reads_input``: torch's derivative depends on the operand, with slope 0, so the gradient has a gradient
    of zeros.
    """

    __slots__ = (
        "__call__",
        "doc",
        "fast_vjps",
        "forward",
        "fused_backward",
        "grad_fn",
        "infix",
        "is_elementwise",
        "is_view",
        "kernel",
        "kinds",
        "kink",
        "name",
        "of_one",
        "partials",
        "pattern",
        "reads_input",
        "real",
        "recipe",
        "saved",
        "saves_params",
        "scalar",
        "slope",
        "vjps",
    )

    def __init__(
        self,
        name: str,
        forward: Callable[..., Any],
        *,
        partials: tuple[int | Rule, ...] = (),
        vjps: tuple[Rule, ...] = (),
        fast_vjps: tuple[Rule, ...] = (),
        is_elementwise: bool = False,
        is_view: bool = False,
        real: bool = False,
        scalar: Callable[..., float] | None = None,
        infix: str | None = None,
        grad_fn: str | Callable[[Node], str] | None = None,
        saves_params: bool = False,
        saved: Saved | Callable[[Node], Saved] | None = None,
        fused_backward: str = "",
        reads_input: bool = False,
        kinds: str = "",
        kernel: str = "",
        kink: str = "",
        doc: str = "",
    ) -> None:
        self.name = name
        self.forward = forward
        self.partials = partials
        self.vjps = vjps
        self.fast_vjps = fast_vjps
        self.scalar = scalar
        self.infix = infix
        self.grad_fn = grad_fn or "".join(word.capitalize() for word in name.split("_")) + "Backward0"
        self.is_elementwise = is_elementwise
        self.is_view = is_view
        self.real = real
        self.saves_params = saves_params
        # Filled in by the first backward pass through the op; see ``core/fast/rule_analysis.py``.
        self.recipe: tuple[tuple[int, Any], ...] = ()
        self.pattern = 0
        self.slope: Any = None
        self.saved = saved
        self.fused_backward = fused_backward
        self.reads_input = reads_input
        self.kinds = kinds
        self.kernel = kernel
        self.kink = kink
        self.doc = doc
        of_one = FAST_CALL_FACTORIES.get(1)
        is_of_one = scalar is not None and len(partials or vjps) == 1
        self.of_one: Callable[[Any], Any] | None = of_one(self) if of_one is not None and is_of_one else None
        self.__call__: Callable[..., Any] = self.of_one or self.apply

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def apply(self, *operands: Any, **params: Any) -> Any:
        return self.dispatch(operands, params)

    def dispatch(self, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Compute a value, record a node or build an expression, depending on the operands' classes."""
        for operand in operands:
            apply = APPLIERS.get(operand.__class__)
            if apply is not None:
                return apply(self, operands, params)
        return self.evaluate(operands, params)

    def evaluate(self, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Return the value for plain numbers and arrays without recording anything."""
        if self.scalar is not None and not params:
            for operand in operands:
                if operand.__class__ not in PLAIN_NUMBERS:
                    break
            else:
                return self.evaluate_scalars(*operands)
        return self.forward(*operands, **params)

    def evaluate_scalars(self, *operands: float) -> float:
        """Return the value for Python floats; IEEE arithmetic replaces ``math`` where that raises."""
        assert self.scalar is not None
        try:
            out = self.scalar(*operands)
            if out.__class__ is float:
                return out
        except (ArithmeticError, ValueError):
            pass
        with np.errstate(all="ignore"):
            return float(self.forward(*(np.float64(x) for x in operands)))

    def contribution(
        self, index: int, g: Any, out: Any, operands: tuple[Any, ...], params: dict[str, Any]
    ) -> Any:
        """Return the cotangent of operand ``index`` for the cotangent ``g`` of ``out``.

        Broadcasting is not undone yet. Works on floats, arrays, Tensors and Symbols.
        """
        if self.vjps:
            if self.fast_vjps and g.__class__ is np.ndarray:
                c = self.fast_vjps[index](g, out, *operands, **params)
                if c is not None:
                    return c
            return self.vjps[index](g, out, *operands, **params)
        partial = self.partials[index]
        if isinstance(partial, int):
            return g if partial == 1 else -g if partial == -1 else OPS["zero"](g)
        return g * partial(out, *operands)

    def scalar_contribution(self, index: int, g: float, out: float, operands: tuple[Any, ...]) -> float:
        """Like ``contribution`` for Python floats; IEEE arithmetic replaces ``math`` where that raises."""
        try:
            if self.vjps:
                c = self.vjps[index](g, out, *operands)
            else:
                partial = self.partials[index]
                if isinstance(partial, int):
                    c = g if partial == 1 else -g if partial == -1 else 0.0
                else:
                    c = g * partial(out, *operands)
            if c.__class__ is float:
                return c
        except (ArithmeticError, ValueError):
            pass
        with np.errstate(all="ignore"):
            return float(
                self.contribution(index, np.float64(g), np.float64(out), tuple(map(np.float64, operands)), {})
            )

    def reset_rule_cache(self) -> None:
        """Reset what the rules cache between operands of one node. Built-in ops cache nothing."""

    def named(
        self,
        grad_fn: str,
        *,
        saved: Saved | Callable[[Node], Saved] | None = None,
        is_view: bool | None = None,
        reads_input: bool | None = None,
        kink: str | None = None,
    ) -> Op:
        """Return this op with another ``grad_fn`` name, for functions that torch records as one node.

        The other arguments replace the attributes of the same name unless they are None. Results are cached.
        """
        key = (self, grad_fn, saved, is_view, reads_input, kink)
        if key not in _WITH_GRAD_FN:
            details = {name: attrgetter(name)(self) for name in Op.__init__.__kwdefaults__ or ()}
            changed = {"saved": saved, "is_view": is_view, "reads_input": reads_input, "kink": kink}
            details.update((name, value) for name, value in changed.items() if value is not None)
            _WITH_GRAD_FN[key] = Op(self.name, self.forward, **{**details, "grad_fn": grad_fn})
        return _WITH_GRAD_FN[key]


#: Cache of ``Op.named``, by op and arguments.
_WITH_GRAD_FN: dict[tuple[Any, ...], Op] = {}


class VariadicRules(tuple["Any", ...]):
    """The rules of an op with any number of operands: one function that takes the operand's index first.

    The tuple has one item, ``(rule, pieces)``. ``pieces``, if not None, returns the cotangents of all
    operands at once. The time is then linear in their number; one rule call per operand would be quadratic,
    because each call is passed all operands.
    """

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        rule, _ = super().__getitem__(0)
        return partial(rule, index)  # not a lambda: the ops reference inspects the function inside

    @property
    def all_at_once(self) -> Callable[..., Iterable[Any]] | None:
        pieces: Callable[..., Iterable[Any]] | None
        _, pieces = super().__getitem__(0)
        return pieces


def elementwise(name: str, forward: Callable[..., Any], *partials: int | Rule, **details: Any) -> Op:
    """Declare an elementwise op: ``partials`` are d out/d operand, one per operand.

    A partial is 1, -1, 0 or a function of ``(out, *operands)`` written in the project's own ops.

    >>> double = elementwise("double_for_doctest", lambda x: 2 * x, lambda out, x: 2.0)
    >>> double(np.asarray([3.0]))
    array([6.])
    >>> del OPS["double_for_doctest"]
    """
    return _register(Op(name, forward, partials=partials, is_elementwise=True, **details))


def selective(name: str, forward: Callable[..., Any], *vjps: Rule, **details: Any) -> Op:
    """Declare an elementwise op that passes ``g`` on or blocks it, entry by entry: its vjps use ``where``.

    Multiplying by a 0/1 mask would turn a blocked negative ``g`` into -0 and an infinite one into nan.
    """
    return _register(Op(name, forward, vjps=vjps, is_elementwise=True, **details))


def primitive(name: str, forward: Callable[..., Any], *vjps: Rule, **details: Any) -> Op:
    """Declare any other op: ``vjps`` map ``(g, out, *operands, **params)`` to one cotangent each."""
    return _register(Op(name, forward, vjps=vjps, **details))


def _register(op: Op) -> Op:
    declare(OPS, op.name, op)
    return op
