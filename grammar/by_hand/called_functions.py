"""The lines of a function that a script calls for its gradients, as steps in the place of the call.

What the function returns has the name of a variable of its own. For a gradient whose name does not say by
what it is, an expression that is returned is a step too: ``return`` is read as an assignment.
"""

from __future__ import annotations

from autodiff.core.base.errors import CompileError
from autodiff.core.base.source import Source, Span
from autodiff.grammar.by_hand.formula import root_name
from autodiff.grammar.by_hand.step_lines import clips
from autodiff.grammar.by_hand.training_turns import (
    Turn,
    TurnSearch,
    bound_parameters,
    call_of,
    elements_of,
    own_statements,
    targets_of,
)
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import assigned_names, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

#: Names for what is returned, of five letters at most: one stands with ``=`` in place of ``return``.
RESULT_NAMES = ("grad", "slope", "grad_")


class FunctionCall:
    """A call at top level of a function that has steps: the ``turn`` that its lines are, and its ``line``.

    ``targets`` are the names that get its results, ``results`` those of them that are variables of the
    function, by these names.
    """

    __slots__ = ("function", "line", "results", "targets", "turn")

    def __init__(
        self, turn: Turn, function: tree.FunctionDef, targets: list[str], results: dict[str, str], line: int
    ) -> None:
        self.turn, self.function, self.line = turn, function, line
        self.targets, self.results = targets, results

    @property
    def parameters(self) -> list[str]:
        return [one.name for one in self.function.parameters]

    def clip(self) -> tree.Call | None:
        """Return the last call that bounds gradients which the lines have made."""
        end = self.turn.body[-1].span.end
        calls = [part for part in walk(*self.function.body) if isinstance(part, tree.Call) and clips(part)]
        return next((part for part in reversed(calls) if part.span.start >= end), None)

    @property
    def losses(self) -> list[str]:
        """The names of the values that may be the loss whose gradients the steps are."""
        return targets_of(*self.turn.body)


def calls_of_functions(
    source: Source, unclear: Collection[str] = (), script: tree.Script | None = None
) -> list[FunctionCall]:
    """Return the calls at top level whose functions have steps, in their order.

    ``unclear`` are names of gradients that do not say by what they are, ``script`` is the tree of a turn.
    """
    try:
        script = script or parse_to_first_error(source)
    except CompileError:
        return []
    functions = {one.name: one for one in script.body if isinstance(one, tree.FunctionDef)}
    made = []
    for at, statement in enumerate(script.body):
        call = call_of(statement)
        function = functions.get("" if call is None else root_name(call.function))
        given = None if call is None or function is None else bound_parameters(function, call)
        if function is None or given is None:
            continue
        body, results = function.body, results_of(function, statement)
        replaced: list[tuple[int, str]] = []
        if not set(unclear).isdisjoint(targets_of(statement)):
            body, results, replaced = with_named_result(function, statement, results)
        others = frozenset(name for target, name in results.items() if target in unclear)
        search = TurnSearch(source, script, False, others=others)
        found = search.turn_of(body, None) if any(map(search.made_by, body)) else None
        if found is not None:
            found.within((*script.body[:at], *given), Span(function.span.start, body[0].span.start))
            turn, line = Turn(source, script, found, replaced), source.position(statement.span.start)[0]
            made.append(FunctionCall(turn, function, targets_of(statement), results, line))
    return made


def results_of(function: tree.FunctionDef, statement: tree.Statement) -> dict[str, str]:
    """Return the variables of a function that it returns, by the names which a statement gives them."""
    returned = [one.value for one in own_statements(function.body) if isinstance(one, tree.Return)]
    parts = elements_of(returned[-1]) if returned and returned[-1] is not None else ()
    names = [one.id if isinstance(one, tree.Name) else "" for one in parts]
    targets = targets_of(statement)
    pairs = zip(targets, names, strict=True) if len(names) == len(targets) else ()
    return {target: name for target, name in pairs if name}


def with_named_result(
    function: tree.FunctionDef, statement: tree.Statement, results: dict[str, str]
) -> tuple[tree.Body, dict[str, str], list[tuple[int, str]]]:
    """Return the body of a function without the return at its end, where what it returns has names.

    With it come the names by those that a statement which calls it gives them, and what stands in place of
    ``return``, which is as long.
    """
    *body, last = function.body
    targets, own = targets_of(statement), {name.id for name in assigned_names(*body)}
    if results and isinstance(last, tree.Return):
        return tuple(body), results, []
    name = next((one for one in RESULT_NAMES if one not in own), "")
    if not isinstance(last, tree.Return) or last.value is None or len(targets) > 1 or not name:
        return function.body, results, []
    made = tree.Assign(last.span, (tree.Name(last.span, name),), last.value)
    return (*body, made), {targets[0]: name}, [(last.span.start, f"{name:<5}=")]
