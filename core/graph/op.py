"""One primitive, one record: its forward, its derivative rule, its spelling, its name in a graph.

A record is called like a function. Given arrays and floats it computes; given Tensors it computes and
records a node; given Symbols it writes itself down. Rules are written in these records, so one rule
serves gradients, gradients of gradients and the printed derivation. Families live in ``core/ops``.
"""

from __future__ import annotations

from functools import partial

from autodiff.core.base.lazy import np
from autodiff.core.graph.registry import Table, declare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from autodiff.core.graph.node import Node

    Rule = Callable[..., Any]
    Saved = tuple[tuple[int | str, ...], ...]

#: Every primitive by name; the tests, ``ops`` and the derivations read this table.
OPS: dict[str, Op] = Table("ops")

PLAIN_NUMBERS = (float, int, bool)

#: The ``doc`` of ops that scripts define, which tells them from ours.
CUSTOM = "a function defined in the script"

#: How to apply a record to operands of a class: Tensor and Symbol enter themselves here.
APPLIERS: dict[type, Callable[[Op, tuple[Any, ...], dict[str, Any]], Any]] = {}

#: What rules and ops raise of operands that they were not made for: symbols without entries, other shapes.
REFUSALS = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)

#: By number of operands, what makes the short way to call a record without parameters.
SHORT_WAYS: dict[int, Callable[[Op], Callable[..., Any]]] = {}


class Op:
    """A mathematical function with its rule.

    ``forward(*operands, **params)`` works on ndarrays. ``scalar``, where there is one, works on Python
    floats and may raise what ``math`` raises. A rule per operand is either a partial, d out/d operand as a
    number or ``(out, *operands) -> factor``, or a vjp, ``(g, out, *operands, **params) -> cotangent``.
    ``fast_vjps`` are the vjps once more, for ndarrays only, where writing them by hand pays; one may decline
    by answering None.
    ``is_elementwise`` ops broadcast their operands; the engine undoes that, never a rule. ``is_view`` ops
    share memory with their operand in torch. ``real`` ops turn integers into floats first.
    ``saves_params`` says that a parameter (an index, a mask) is kept for backward and freed with it.
    ``saved`` lists per operand what torch keeps for its derivative (operand numbers and ``"out"``) where the
    rule here reads something else: an in-place change of what torch keeps is refused, of the rest it is not.
    ``"inside"`` stands for what only torch's function has, such as the 1/x in a/x. It may also be a function
    of the node.
    ``kinds`` are the kinds of numbers (of "bif") that torch has a kernel for, where there are others, and
    ``kernel`` is what it calls that.
    ``grad_fn`` is the name torch prints, or a function of the node; ``fused_backward`` the name of the node
    that torch records for the whole derivative when the pass is recorded (``create_graph``).
    ``reads_input`` says that torch's derivative is a function of the operand too, though with slope 0: the
    gradient then has a gradient, of zeros.
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
        "latex",
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
        latex: str | None = None,
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
        self.latex = latex
        self.is_elementwise = is_elementwise
        self.is_view = is_view
        self.real = real
        self.saves_params = saves_params
        # What passes have learned of the rules; see ``recipes``.
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
        of_one = SHORT_WAYS.get(1)
        is_of_one = scalar is not None and len(partials or vjps) == 1
        self.of_one: Callable[[Any], Any] | None = of_one(self) if of_one is not None and is_of_one else None
        self.__call__: Callable[..., Any] = self.of_one or self.apply

    def __repr__(self) -> str:
        return f"<op {self.name}>"

    def apply(self, *operands: Any, **params: Any) -> Any:
        return self.dispatch(operands, params)

    def dispatch(self, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """Compute, record or write down, as the classes of the operands ask for."""
        for operand in operands:
            apply = APPLIERS.get(operand.__class__)
            if apply is not None:
                return apply(self, operands, params)
        return self.evaluate(operands, params)

    def evaluate(self, operands: tuple[Any, ...], params: dict[str, Any]) -> Any:
        """The value for plain numbers and arrays; nothing is recorded."""
        if self.scalar is not None and not params:
            for operand in operands:
                if operand.__class__ not in PLAIN_NUMBERS:
                    break
            else:
                return self.evaluate_scalars(*operands)
        return self.forward(*operands, **params)

    def evaluate_scalars(self, *operands: float) -> float:
        """The value for Python floats, where ``math`` raises what IEEE arithmetic would answer."""
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
        """What operand ``index`` receives when ``out`` receives ``g``, before broadcasting is undone.

        Works for every kind of value the rule can read: floats, arrays, Tensors and Symbols.
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

    def contribution_of_numbers(self, index: int, g: float, out: float, operands: tuple[Any, ...]) -> float:
        """As ``contribution`` on Python floats; where ``math`` gives up, numpy's IEEE arithmetic answers."""
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

    def begin_pass(self) -> None:
        """Forget what the rules keep between the operands of a node; the package's own keep nothing."""

    def named(
        self,
        grad_fn: str,
        *,
        saved: Saved | Callable[[Node], Saved] | None = None,
        is_view: bool | None = None,
        reads_input: bool | None = None,
        kink: str | None = None,
    ) -> Op:
        """This op under another ``grad_fn`` name, for functions that torch records as one node.

        What else differs is given: what torch keeps for it, whether it is a view there, whether its
        derivative reads the operand, its kink.
        """
        key = (self, grad_fn, saved, is_view, reads_input, kink)
        if key not in _RENAMED:
            _RENAMED[key] = Op(
                self.name,
                self.forward,
                partials=self.partials,
                vjps=self.vjps,
                fast_vjps=self.fast_vjps,
                scalar=self.scalar,
                infix=self.infix,
                grad_fn=grad_fn,
                latex=self.latex,
                is_elementwise=self.is_elementwise,
                is_view=self.is_view if is_view is None else is_view,
                real=self.real,
                saves_params=self.saves_params,
                saved=self.saved if saved is None else saved,
                fused_backward=self.fused_backward,
                reads_input=self.reads_input if reads_input is None else reads_input,
                kinds=self.kinds,
                kernel=self.kernel,
                kink=self.kink if kink is None else kink,
                doc=self.doc,
            )
        return _RENAMED[key]


#: Records under other names, by the op, the name and the details that were asked for.
_RENAMED: dict[tuple[Any, ...], Op] = {}


class ForEach(tuple["Any", ...]):
    """The rules of an op with any number of operands: one function that is told which operand it is for.

    ``pieces``, where there is one, answers for all of them at once: time grows as their number does then, and
    not as its square, for each call of a rule is given all operands. Both make up the one item of the tuple.
    """

    __slots__ = ()

    def __getitem__(self, index: Any) -> Any:
        rule, _ = super().__getitem__(0)
        return partial(rule, index)  # the reference of ops looks at what it is part of

    @property
    def pieces(self) -> Callable[..., Iterable[Any]] | None:
        pieces: Callable[..., Iterable[Any]] | None
        _, pieces = super().__getitem__(0)
        return pieces


def elementwise(name: str, forward: Callable[..., Any], *partials: int | Rule, **details: Any) -> Op:
    """Declare an op that works entry by entry: ``partials`` are d out/d operand, one per operand.

    A partial is 1, -1, 0 or a function of ``(out, *operands)`` written in the project's own ops.

    >>> double = elementwise("double_for_doctest", lambda x: 2 * x, lambda out, x: 2.0)
    >>> double(np.asarray([3.0]))
    array([6.])
    >>> del OPS["double_for_doctest"]
    """
    return _register(Op(name, forward, partials=partials, is_elementwise=True, **details))


def selective(name: str, forward: Callable[..., Any], *vjps: Rule, **details: Any) -> Op:
    """Declare an entry-by-entry op that passes ``g`` on or stops it: its rules are vjps with ``where``.

    Multiplying by a 0/1 mask would turn a stopped negative ``g`` into -0 and an infinite one into nan.
    """
    return _register(Op(name, forward, vjps=vjps, is_elementwise=True, **details))


def primitive(name: str, forward: Callable[..., Any], *vjps: Rule, **details: Any) -> Op:
    """Declare any other op: ``vjps`` map ``(g, out, *operands, **params)`` to one cotangent each."""
    return _register(Op(name, forward, vjps=vjps, **details))


def _register(op: Op) -> Op:
    declare(OPS, op.name, op)
    return op
