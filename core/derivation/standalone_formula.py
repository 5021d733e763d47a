"""The formula for programs: one expression of variables, numbers and functions that stands alone.

The formula for people leaves out what they can see: a dimension of size 1, the entries of a large constant,
the meaning of an invented name or of an earlier value of a variable, the computation of a function defined in
the script. This one leaves out nothing, and results of the script are written out down to the inputs while it
stays short. It is evaluated while it is written, which gives the shape of each part.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.lazy_imports import np
from autodiff.core.engine.custom_call import CustomCallOp, OutputPartOp, call_node_and_output, replay_random
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.dtypes import dtype_of
from autodiff.core.graph.node import Leaf, Node, OpNode
from autodiff.core.graph.op import OPS, RULE_ERRORS
from autodiff.core.graph.state import enable_grad, mode
from autodiff.core.graph.values import as_stored
from autodiff.core.paths.operand_symbols import NoExpressionError, custom_call_node, op_symbol
from autodiff.core.symbolic.callable_form import as_script_call, expand_to_shape
from autodiff.core.symbolic.evaluate import compute_source_head
from autodiff.core.symbolic.expr import (
    ONE,
    WHERE_BRACKETS,
    ZERO,
    Expr,
    call,
    expand_names,
    expr_text,
    name_expr,
    names_in,
    ones,
    postfix,
    postorder,
    zeros,
)
from autodiff.core.symbolic.fractions import collect_fractions
from autodiff.core.symbolic.literals import ArrayText
from autodiff.core.symbolic.simplify import NEGATED_COMPARISONS, simplify
from autodiff.core.symbolic.symbol import CustomCallName, Symbol, as_symbol, spell_params

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from autodiff.core.paths.operand_symbols import OperandSymbols

    Shape = tuple[int, ...]
    EvaluatedExpr = tuple[Expr, Any]

#: A formula of more symbols is not written out.
LONGEST_FORMULA = 1_000_000
#: A formula in the inputs alone has at most this many symbols; a longer one calls results by their names.
LONGEST_IN_INPUTS = 200
#: Fractions are collected in formulas of at most this many symbols: a loop may square the work.
LONGEST_COLLECTED = 2_000


def write_formula(
    root: Expr,
    shared: Mapping[str, Expr],
    formulas: OperandSymbols,
    gradient: Any,
    place: Shape | None,
) -> tuple[str, str]:
    """The formula of a gradient, or of its entry at ``place``, and the part that has no formula ("" if none).

    ``shared`` are meanings of names in addition to those of ``formulas``. An expression that divides 0 by 0
    or compares NaN at the script's values, where backward gives something else, has no formula that can be
    evaluated there.
    """
    shape = np.shape(gradient)
    if not np.size(gradient):
        return expr_text(zeros(shape)), ""
    completer = FormulaCompleter(formulas, shared)
    try:
        with np.errstate(all="ignore"), enable_grad():
            expr, value = completer.close_in_inputs(root, shape) or completer.close(root)
            if completer.undefined is not None and not _is_close(value, gradient):
                return "", expr_text(completer.undefined, 60)
            if place or not _broadcasts_to(np.shape(value), shape):
                expr, _ = fit_to_shape((expr, value), shape)
    except NoExpressionError as error:
        return "", error.part
    return expr_text(_at(expr, place or ()), claims=WHERE_BRACKETS), ""


def write_entry_formula(
    root: Expr,
    places: Mapping[str, tuple[Node, Shape]],
    values: Mapping[str, float],
    formulas: OperandSymbols,
) -> tuple[str, str] | None:
    """The formula of an entry in terms of entries of other tensors, which are at ``places``; else None.

    ``values`` has the values of all names.
    """
    completer = FormulaCompleter(formulas, {})
    bound: dict[str, EvaluatedExpr] = {}
    try:
        with np.errstate(all="ignore"), enable_grad():
            for spelled in names_in(root):
                bound[spelled] = name_expr(spelled), values[spelled]
                if spelled in places:
                    node, place = places[spelled]
                    whole = fit_to_shape(completer.close(formulas.symbol(node).expr), node.shape)
                    bound[spelled] = _at(whole[0], place), values[spelled]
            return expr_text(completer.close(root, bound)[0], claims=WHERE_BRACKETS), ""
    except NoExpressionError:
        return None


def _at(expr: Expr, place: Shape) -> Expr:
    return postfix(expr, f"[{','.join(map(str, place))}]") if place else expr


class FormulaCompleter:
    """Completes the formulas of one graph."""

    def __init__(self, formulas: OperandSymbols, shared: Mapping[str, Expr]) -> None:
        self.formulas = formulas
        self.shared = shared
        #: The first part whose value is nan while the values of its operands are not.
        self.undefined: Expr | None = None

    def close(self, root: Expr, bound: Mapping[str, EvaluatedExpr] | None = None) -> EvaluatedExpr:
        """The expression with everything that it leaves out, and its value. ``bound`` replaces names."""
        bound = bound or {}
        root = self._expand_names(root)
        if root.size > LONGEST_FORMULA:
            raise NoExpressionError
        done: dict[int, EvaluatedExpr] = {}
        for expr in postorder(root):
            args = [done[id(arg)] for arg in expr.args]
            done[id(expr)] = self._complete_head(expr, args, bound)
        return done[id(root)]

    def close_in_inputs(self, root: Expr, shape: Shape) -> EvaluatedExpr | None:
        """As ``close``, with results of the script written out; None if that is long or not possible."""
        try:
            expr = self._expand_names(root, self.formulas.result)
            if expr.size > LONGEST_FORMULA:
                return None
            short = simplify(expr) if shape or expr.size > LONGEST_COLLECTED else expr
            if not shape and short.size <= LONGEST_COLLECTED:
                short = collect_fractions(short)
            if short.size > LONGEST_IN_INPUTS:
                return None
            completer = FormulaCompleter(self.formulas, {})
            closed = completer.close(short)
        except NoExpressionError:
            return None
        if np.shape(closed[1]) != shape:
            return None
        self.undefined = completer.undefined
        return closed

    def _expand_names(self, root: Expr, result: Callable[[str], Expr | None] | None = None) -> Expr:
        """The expression without invented names and versions of variables; ``result`` expands others."""
        meanings: dict[str, Expr] = {}
        todo = names_in(root)
        while todo:
            spelled = todo.pop()
            if spelled in meanings:
                continue
            meaning = self.shared.get(spelled) or (result and result(spelled))
            meaning = meaning or self.formulas.definition(spelled)
            if meaning is not None:
                meanings[spelled] = meaning
                todo += names_in(meaning)
        return expand_names(root, meanings)

    def _complete_head(
        self, expr: Expr, args: list[EvaluatedExpr], bound: Mapping[str, EvaluatedExpr]
    ) -> EvaluatedExpr:
        if expr.head == "number":
            return expr, expr.value
        if expr.head == "name":
            return bound[expr.value] if expr.value in bound else self._variable(expr.value)
        if isinstance(expr.value, CustomCallName):
            return self._complete_custom_call(expr, args)
        if expr.params and expr.params.get("function") == "answer":
            return args[0]
        if expr.shapes is not None and len(expr.shapes) == len(args):
            args = [fit_to_shape(arg, shape) for arg, shape in zip(args, expr.shapes, strict=True)]
        written = Expr(
            expr.head,
            tuple(arg for arg, _ in args),
            expr.value,
            complete_details(expr),
            expr.params,
            expr.shapes,
        )
        if written.size > LONGEST_FORMULA:
            raise NoExpressionError
        values = [value for _, value in args]
        try:
            value = compute_source_head(expr, values)
            said = as_script_call(written, values, value) if expr.head in ("call", "postfix") else written
        except (AutodiffError, *RULE_ERRORS):
            said = None
        if said is not None and said.head == "call" and not self.formulas.is_free(str(said.value)):
            said = with_namespace(said)
        if said is None:
            raise NoExpressionError(str(expr.value if expr.head in ("call", "postfix") else expr.head))
        compares = expr.head in NEGATED_COMPARISONS
        if self.undefined is None and any(map(has_nan, values)) == compares and (compares or has_nan(value)):
            self.undefined = said
        return said, value

    def _variable(self, spelled: str) -> EvaluatedExpr:
        if isinstance(spelled, ArrayText):
            return name_expr(f"tensor({spelled.array.tolist()})"), spelled.array
        value = self.formulas.values.get(spelled)
        if value is None:
            raise NoExpressionError(spelled)
        return name_expr(spelled), value

    # -- functions defined in the script --------------------------------------------------------------------

    def _complete_custom_call(self, expr: Expr, args: list[EvaluatedExpr]) -> EvaluatedExpr:
        """A call of a function defined in the script, as the operations that it ran."""
        node = expr.value.node
        try:
            if expr.value.operand is None:
                return self._forward(node, args)
            if isinstance(node.op, OutputPartOp):
                return self._output_part(node, args[0])
            return self._backward(expr, args[0])
        except AutodiffError:
            raise NoExpressionError(expr.value) from None

    def _forward(self, node: OpNode, args: list[EvaluatedExpr]) -> EvaluatedExpr:
        whole, position = call_node_and_output(node)
        assert isinstance(whole.op, CustomCallOp)
        made = whole.op.call
        if whole is node:  # the only output that a gradient flows through
            position = next(at for at, slot in enumerate(made.slots) if slot is not None)
        bound: dict[str, EvaluatedExpr] = {}
        leaves: dict[Node, str] = {}
        operands: list[Any] = []
        for at, (x, value) in enumerate(zip(made.operands, made.values, strict=True)):
            if isinstance(x, Tensor):
                operands.append(_placeholder(value, x, f"?{at}", leaves))
                bound[f"?{at}"] = fit_to_shape(args[at], np.shape(value))
            else:
                operands.append(x)
        context = type(made.context)(tuple(isinstance(x, Tensor) for x in operands))
        site = mode.site  # the statements of a script's forward change it
        try:
            with replay_random(made.random_state):
                result = made.forward(context, *operands)
        finally:
            mode.site = site
        output = result[position] if isinstance(result, (tuple, NamedResult)) else result
        return self._complete_recorded(output, leaves, bound)

    def _output_part(self, node: OpNode, g: EvaluatedExpr) -> EvaluatedExpr:
        """The gradient of the row of all outputs when one of them receives ``g``."""
        [row] = node.operands
        symbol = Symbol(name_expr("?"), node.shape, dtype=dtype_of(node.out))
        taken = node.op.vjps[0](symbol, None, Symbol(name_expr("row"), row.shape, dtype=dtype_of(row)))
        return self.close(as_symbol(taken).expr, {"?": fit_to_shape(g, node.shape)})

    def _backward(self, expr: Expr, g: EvaluatedExpr) -> EvaluatedExpr:
        node = expr.value.node
        made = node.op.call
        made.reached_outputs |= {
            part.value.node.op.position
            for part in postorder(expr)
            if isinstance(part.value, CustomCallName)
            and isinstance(part.value.node.op, OutputPartOp)
            and part.value.node.inputs[0] is node
        }
        leaves: dict[Node, str] = {}
        like = Tensor.of(node.out)
        received = np.broadcast_to(np.asarray(g[1], dtype=dtype_of(node.out).name), node.shape)
        answer = made.call_backward(_placeholder(received, like, "?", leaves))[expr.value.operand]
        if answer is None:
            return ZERO, 0
        if answer.node is None or not answer.node.tracked:
            if np.any(answer.data):  # numbers that were not computed from the incoming gradient
                raise NoExpressionError(expr.value)
            return ZERO, 0
        return self._complete_recorded(answer, leaves, {"?": fit_to_shape(g, node.shape)})

    def _complete_recorded(
        self, made: Tensor, leaves: Mapping[Node, str], bound: Mapping[str, EvaluatedExpr]
    ) -> EvaluatedExpr:
        """A tensor as the operations that made it, down to placeholders and values named in the graph."""
        root = made.source()
        known: dict[Node, Symbol] = {}
        stack = [root]
        while stack:
            node = stack[-1]
            if node in known:
                stack.pop()
            elif node in leaves:
                known[node] = Symbol(name_expr(leaves[node]), node.shape, dtype=dtype_of(node.out))
            elif self.formulas.contains(node):
                known[node] = self.formulas.symbol(node)
            elif isinstance(node, OpNode):
                source = custom_call_node(node)
                missing = [x for x in source.inputs if x is not None and x not in known]
                if missing:
                    stack.extend(missing)
                    continue
                operands = tuple(
                    as_symbol(value) if below is None else known[below]
                    for below, value in zip(source.inputs, source.operands, strict=True)
                )
                written = op_symbol(node, operands)
                if written is None:
                    raise NoExpressionError(node.op.name)
                known[node] = written
            else:
                known[node] = as_symbol(node.out)
        return self.close(known[root].expr, bound)


def with_namespace(written: Expr) -> Expr | None:
    """The call of a function whose name is a variable of the script: ``torch.mean(x)``; None if not there."""
    spelled = f"torch.{written.value}"
    if spelled not in FUNCTIONS:
        return None
    return Expr("call", written.args, spelled, written.details, written.params, written.shapes)


def has_nan(value: Any) -> bool:
    array = np.asarray(value)
    return array.dtype.kind == "f" and bool(np.isnan(array).any())


def _placeholder(value: Any, like: Tensor, spelled: str, leaves: dict[Node, str]) -> Tensor:
    """A tensor that requires a gradient. Its node is added to ``leaves``."""
    array = as_stored(np.array(value))
    if not like.dtype.is_floating_point:
        return Tensor.of(array)
    leaf = Leaf(array, tracked=True)
    leaves[leaf] = spelled
    made = Tensor.of(array, leaf, True)
    copy: Tensor = OPS["clone"](made)  # a copy may be changed in place, a leaf may not
    return copy


def fit_to_shape(closed: EvaluatedExpr, shape: Shape) -> EvaluatedExpr:
    """The expression and its value, reshaped or expanded to ``shape``."""
    expr, value = closed
    own = np.shape(value)
    if own == shape:
        return closed
    array = np.asarray(value)
    if array.size == int(np.prod(shape)) and own:
        written = call("reshape", expr, details=(str(shape),), params={"shape": shape})
        return written, array.reshape(shape)
    if not _broadcasts_to(own, shape):
        raise NoExpressionError(str(expr.head))
    written = ones(shape) if expr == ONE else expand_to_shape(expr, value, shape)
    return written, np.broadcast_to(array, shape)


def _is_close(value: Any, gradient: Any) -> bool:
    """Whether a formula has the value of the gradient where that is a number, up to single precision."""
    return bool((np.isclose(value, gradient, rtol=1e-3, atol=1e-6) | np.isnan(gradient)).all())


def _broadcasts_to(own: Shape, shape: Shape) -> bool:
    """Whether the shape ``own`` broadcasts to ``shape``."""
    return len(own) <= len(shape) and all(
        n in (1, m) for n, m in zip(reversed(own), reversed(shape), strict=False)
    )


def complete_details(expr: Expr) -> tuple[str, ...]:
    """The further arguments of a call, with all entries of arrays."""
    if expr.head == "call" and expr.details and expr.details == spell_params(expr.params or {}):
        return spell_params(expr.params or {}, complete=True)
    return expr.details
