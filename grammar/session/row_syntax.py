"""Whether a script does the same to every row, as its syntax shows: then rows are run as entries of vectors.

What may stand in it is listed, so that nothing else can mix rows. A branch on values of rows stays out;
``where`` and Python's ``max`` and ``min`` choose for every row by itself.
"""

from __future__ import annotations

from operator import add, mul, sub

from autodiff.core.engine.public_functions import METHODS, PublicFunction
from autodiff.core.graph.op import Op
from autodiff.grammar.interpret.compiler import Compiler
from autodiff.grammar.interpret.scope import ScriptScopes
from autodiff.grammar.objects.builtins.namespaces import builtin_value
from autodiff.grammar.objects.math_functions import MATH, NUMPY, ROWWISE
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

#: The modules below ``core/ops`` whose functions treat the entries of a tensor alike.
ELEMENTWISE = ("elementwise.", "nn.activations")
#: Functions there that do not: they answer for all entries, return places or parts, or have channels.
MIXING = frozenset(["allclose", "argwhere", "equal", "frexp", "nonzero", "prelu", "unravel_index"])
#: What may stand in such a script wherever the grammar has it.
SYNTAX = (
    *(tree.Script, tree.Assign, tree.ExpressionStatement, tree.Pass, tree.Import, tree.ImportFrom),
    *(tree.Name, tree.Number, tree.String, tree.Constant, tree.Argument, tree.Parameter, tree.Return),
)
OPERATORS = frozenset(["+", "-", "*", "/", "**", "%", "//"])
COMPARISONS = frozenset(["<", "<=", ">", ">=", "==", "!="])
#: How conditions of ``where`` are joined, and turned round.
LOGIC = frozenset(["&", "|", "~"])


#: The levels of operators in an expression whose number is looked for.
DEEPEST = 4
#: How numbers of turns are computed from others, as in ``range(n + 1)``.
OF_NUMBERS = {"+": add, "-": sub, "*": mul}


class RowSyntax:
    """The syntax of a script, and what its names mean.

    The functions of ``math`` need a script without tensors. ``max(x, 0)`` is a number of Python for some
    rows: functions take it in plain scripts only, and it has no methods.
    ``varying`` are the names that differ from row to row, or are inputs; ``given`` has the values of others.
    """

    def __init__(
        self,
        script: tree.Script,
        scopes: ScriptScopes,
        compiler: Compiler,
        without_tensors: bool,
        is_plain: bool,
        varying: Collection[str] = (),
        given: Mapping[str, Any] | None = None,
    ) -> None:
        self.script = script
        self.scopes = scopes
        self.compiler = compiler
        self.without_tensors = without_tensors
        self.is_plain = is_plain
        self.has_extremes = any(map(self.is_extreme, walk(script)))
        #: The script's own functions that may be called.
        self.functions = {
            node.name for node in script.body if isinstance(node, tree.FunctionDef) and self.is_own(node)
        }
        #: The numbers that names stand for, the same ones in every row.
        self.numbers: dict[str, Any] = {}
        for node in script.body:
            self.note_number(node, varying, given or {})
        #: The nodes that are alike because of where they stand.
        self.placed = {id(part) for node in walk(script) for part in self.parts_in_place(node)}

    def first_obstacle(self) -> tree.SyntaxNode | None:
        """The first piece of syntax that may not do the same to every row."""
        return next((node for node in walk(self.script) if not self.is_alike(node)), None)

    def parts_in_place(self, node: tree.SyntaxNode) -> Iterator[tree.SyntaxNode]:
        """Yield the parts of a node that are allowed in it, and not elsewhere."""
        if isinstance(node, tree.Call):
            if self.compiler.constant(node.function) is builtin_value("where") and node.arguments:
                yield from filter(is_condition, walk(node.arguments[0].value))
            elif not self.has_extremes and is_method(node.function, self.compiler):
                yield node.function
        elif isinstance(node, tree.Binary) and node.op == "*":
            # Truth values times numbers are numbers; the sum of two truth values depends on their class.
            for factor, other in ((node.left, node.right), (node.right, node.left)):
                if is_comparison(factor) and not isinstance(other, (tree.Comparison, tree.Constant)):
                    yield factor
        elif isinstance(node, tree.For) and self.has_known_turns(node):
            yield node
            yield from walk(node.iterable)
        elif isinstance(node, tree.If) and all(self.number(test) is not None for test, _ in node.branches):
            yield node
            yield from self.parts_not_run(node)

    def parts_not_run(self, branch: tree.If) -> Iterator[tree.SyntaxNode]:
        """Yield the tests of a branch that goes one way in every row, and what is on its other ways."""
        is_over = False
        for test, body in (*branch.branches, (None, branch.orelse)):
            if test is not None:
                yield from walk(test)
            is_taken = not is_over and (test is None or bool(self.number(test)))
            if not is_taken:
                for statement in body:
                    yield from walk(statement)
            is_over |= is_taken

    def note_number(self, node: tree.SyntaxNode, varying: Collection[str], given: Mapping[str, Any]) -> None:
        """Keep the number that a statement gives a name, if it is the name's only value in every row."""
        if not isinstance(node, tree.Assign) or len(node.targets) != 1:
            return
        (target,) = node.targets
        if not isinstance(target, tree.Name) or target.id in varying:
            return
        is_local = any(target.id in scope.slots for scope in self.scopes.scope_of.values())
        if is_local or self.scopes.module.binding_counts[target.id] != 1:
            return
        number = given.get(target.id, self.number(node.value))
        if isinstance(number, (int, float)):
            self.numbers[target.id] = number

    def number(self, node: tree.SyntaxNode, levels: int = DEEPEST) -> Any:
        """The number, or truth value, that a short expression is in every row; None if that is not known."""
        if isinstance(node, (tree.Number, tree.Constant)):
            return node.value if isinstance(node.value, (int, float)) else None
        if isinstance(node, tree.Name):
            return self.numbers.get(node.id)
        if not levels:
            return None
        if isinstance(node, tree.Unary):
            x = self.number(node.operand, levels - 1)
            known: dict[str, Any] = {} if x is None else {"-": -x, "+": x, "not": not x}
            return known.get(node.op)
        if isinstance(node, tree.Binary) and node.op in OF_NUMBERS:
            x, y = self.number(node.left, levels - 1), self.number(node.right, levels - 1)
            return None if x is None or y is None else OF_NUMBERS[node.op](x, y)
        return None

    def is_alike(self, node: tree.SyntaxNode) -> bool:
        """Whether a piece of syntax does the same to every entry of a vector."""
        if id(node) in self.placed and not isinstance(node, tree.Call):
            return True
        if isinstance(node, tree.Call):
            return all(not one.star for one in node.arguments) and self.is_alike_call(node)
        if isinstance(node, tree.FunctionDef):
            return node.name in self.functions
        if isinstance(node, tree.Attribute):
            return self.compiler.constant(node) is not UNBOUND
        if isinstance(node, (tree.Binary, tree.Unary)):
            return node.op in OPERATORS
        if isinstance(node, tree.AugmentedAssign):  # of numbers; a tensor would keep its shape
            return self.without_tensors and isinstance(node.target, tree.Name) and node.op in OPERATORS
        return isinstance(node, SYNTAX)

    def is_alike_call(self, call: tree.Call) -> bool:
        """Whether a call does the same to every entry of a vector."""
        function = self.compiler.constant(call.function)
        if id(call) in self.placed:  # range() of a loop
            return True
        if function is builtin_value("tensor"):  # of a number alone, which depends on no row
            return all(is_literal(one.value) for one in call.arguments if one.keyword is None)
        if self.is_extreme(call):
            are_numbers = len(call.arguments) > 1 and all(one.keyword is None for one in call.arguments)
            return self.is_plain and are_numbers
        if function is UNBOUND:
            is_own = isinstance(call.function, tree.Name) and call.function.id in self.functions
            return is_own or id(call.function) in self.placed
        is_of_math = self.without_tensors and any(function is MATH[name] for name in ROWWISE)
        is_clip = self.is_plain and function is self.compiler.find_builtin("np").find("clip")
        return is_of_math or is_clip or is_elementwise(function)

    def is_own(self, node: tree.FunctionDef) -> bool:
        """Whether the name of a function, and those of its variables, mean nothing else."""
        has_plain_parameters = all(
            not one.star and (one.default is None or is_literal(one.default)) for one in node.parameters
        )
        names_of_builtins = any(
            self.compiler.find_builtin(name) is not UNBOUND for name in self.scopes.scope_of[node].slots
        )
        is_bound_once = self.scopes.module.binding_counts[node.name] == 1 and not any(
            node.name in scope.slots for scope in self.scopes.scope_of.values()
        )
        return not node.decorators and has_plain_parameters and is_bound_once and not names_of_builtins

    def is_extreme(self, node: tree.SyntaxNode) -> bool:
        """Whether a piece of syntax is a call of Python's ``max`` or ``min``."""
        function = self.compiler.constant(node.function) if isinstance(node, tree.Call) else UNBOUND
        return function is builtin_value("max") or function is builtin_value("min")

    def has_known_turns(self, loop: tree.For) -> bool:
        """Whether a loop runs over the same numbers in every row."""
        if not isinstance(loop.target, tree.Name) or loop.orelse:
            return False
        turns = loop.iterable
        if isinstance(turns, tree.Call):
            is_range = self.compiler.constant(turns.function) is builtin_value("range")
            numbers = [None if one.star else self.number(one.value) for one in turns.arguments]
            return is_range and None not in numbers
        return isinstance(turns, (tree.ListDisplay, tree.TupleDisplay)) and all(
            self.number(element) is not None for element in turns.elements
        )


def is_method(function: tree.SyntaxNode, compiler: Compiler) -> bool:
    """Whether an expression is a method that treats the entries of its tensor alike, as ``x.abs`` is."""
    if not isinstance(function, tree.Attribute) or compiler.constant(function) is not UNBOUND:
        return False
    method = METHODS.get(function.name)
    return method is not None and is_elementwise(method)


def is_comparison(node: tree.SyntaxNode) -> bool:
    """Whether an expression compares values, each entry by itself."""
    return isinstance(node, tree.Comparison) and all(op in COMPARISONS for op, _ in node.rest)


def is_condition(node: tree.SyntaxNode) -> bool:
    """Whether a part of a condition compares values, or joins such comparisons."""
    return is_comparison(node) or (isinstance(node, (tree.Binary, tree.Unary)) and node.op in LOGIC)


def is_literal(node: tree.SyntaxNode) -> bool:
    """Whether an expression is a number, with or without a sign."""
    return isinstance(node.operand if isinstance(node, tree.Unary) else node, tree.Number)


def is_elementwise(function: object) -> bool:
    """Whether a function treats the entries of a tensor alike."""
    if not isinstance(function, PublicFunction):  # what is printed is left out
        builtin = (*NUMPY.values(), *map(builtin_value, ("abs", "print", "round")))
        return any(function is one for one in builtin)
    made = function.implementation
    if isinstance(made, Op):
        return made.is_elementwise
    module = made.__module__.removeprefix("autodiff.core.ops.")
    return module.startswith(ELEMENTWISE) and function.name not in MIXING
