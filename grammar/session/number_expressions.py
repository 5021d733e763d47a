"""Which expressions of the text are inputs: numbers, named constants, lists and functions of these.

An expression that reads a variable is computed, and what it is assigned to is no input.
"""

from __future__ import annotations

from autodiff.core.graph.dtypes import DType
from autodiff.grammar.interpret.scope import ScriptScopes
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

NAMED_CONSTANTS = frozenset(["pi", "e", "inf", "nan", "tau"])
ARITHMETIC = frozenset(["+", "-", "*", "/", "//", "%", "**"])
#: The modules whose constants and functions may stand in an input, "" for names without a module.
NUMBER_MODULES = frozenset(
    [
        *("", "math", "numpy", "numpy.random", "torch", "scipy.special", "scipy.stats.norm"),
        *("autograd.numpy", "autograd.numpy.random", "jax.numpy"),
    ]
)
#: What scripts call these modules, and parts of them, without an import.
MODULE_NAMES = {
    "np": "numpy",
    "special": "scipy.special",
    "norm": "scipy.stats.norm",
    "math": "math",
    "torch": "torch",
}
#: Python's functions whose result is a number, if the arguments are.
PYTHON_FUNCTIONS = frozenset(["abs", "float", "int", "max", "min", "pow", "round", "sum"])
#: Functions that make arrays which scripts fill afterwards.
FILLING_FUNCTIONS = frozenset(["zeros", "ones", "full"])
#: Functions that make arrays of data: grids of points, and the identity.
DATA_FUNCTIONS = frozenset(["arange", "eye", "linspace"])
#: Functions of numpy, its generators and Python that draw numbers.
RANDOM_FUNCTIONS = frozenset(
    """
    exponential gauss integers normal rand randint randn random random_sample standard_normal uniform
    """.split()
)
#: Keywords of functions whose values are no numbers.
NO_NUMBERS = frozenset(["dtype"])


def is_literal_number(node: tree.Expression, names: ScriptScopes) -> bool:
    """Whether an expression is a number that the text has: a literal, a named constant, or made of these.

    That is arithmetic with such numbers, a nested list of them, or a function of ``math``, numpy or Python.
    """
    stack: list[tuple[tree.Expression, bool]] = [(node, False)]
    found = False
    while stack:
        node, is_argument = stack.pop()
        if isinstance(node, tree.Number):
            found = True
        elif isinstance(node, tree.Unary) and node.op in ("-", "+"):
            stack.append((node.operand, is_argument))
        elif isinstance(node, tree.Binary) and node.op in ARITHMETIC:
            if isinstance(node.left, tree.ListDisplay) or isinstance(node.right, tree.ListDisplay):
                return False
            stack += [(node.left, is_argument), (node.right, is_argument)]
        elif isinstance(node, tree.ListDisplay) or (is_argument and isinstance(node, tree.TupleDisplay)):
            if not node.elements:
                return False
            stack += [(part, is_argument) for part in node.elements]
        elif isinstance(node, tree.Call):
            is_drawn = not node.arguments and called_name(node) in RANDOM_FUNCTIONS
            if not (node.arguments or is_drawn) or not is_number_function(node.function, names):
                return False
            found = found or is_drawn
            if any(one.star for one in node.arguments):
                return False
            stack += [(one.value, True) for one in node.arguments if one.keyword not in NO_NUMBERS]
        elif is_named_constant(node, names):
            found = True
        else:
            return False
    return found


def is_named_constant(node: tree.Expression, names: ScriptScopes) -> bool:
    """Whether an expression is ``pi``, ``math.pi`` or the like."""
    module, _, name = (full_name(node, names) or "").rpartition(".")
    return name in NAMED_CONSTANTS and module in NUMBER_MODULES


def is_number_function(node: tree.Expression, names: ScriptScopes) -> bool:
    """Whether an expression is a function of ``math``, numpy or Python that makes numbers from numbers."""
    full = full_name(node, names)
    if full is None:
        return False
    module, _, name = full.rpartition(".")
    if module == "" and name in PYTHON_FUNCTIONS:
        return True
    if module not in NUMBER_MODULES or module == "torch":
        return False
    from autodiff.grammar.objects.builtins.namespaces import namespace, plain_namespace, plain_value
    from autodiff.grammar.objects.values import UNBOUND

    if module == "":
        from autodiff.grammar.objects.builtins.plain_names import own_value

        return own_value(name) is not UNBOUND and callable(plain_value(name))
    member = (plain_namespace(module) or namespace(module)).find(name)
    return callable(member) or member.__class__ is DType


def is_filled_array(node: tree.Expression) -> bool:
    """Whether an expression is ``np.zeros(3)`` or the like."""
    return called_name(node) in FILLING_FUNCTIONS


def makes_numbers(node: tree.SyntaxNode) -> bool:
    """Whether an expression draws random numbers or fills an array, as first values of weights are made."""
    return any(called_name(part) in RANDOM_FUNCTIONS | FILLING_FUNCTIONS for part in walk(node))


def is_data(node: tree.Expression) -> bool:
    """Whether an expression is ``np.linspace(0, 1, 5)`` or the like, an input where there is no other."""
    return called_name(node) in DATA_FUNCTIONS


def called_name(node: tree.SyntaxNode) -> str:
    """Return the name of the function that an expression calls, without its module; "" for others."""
    if not isinstance(node, tree.Call):
        return ""
    function = node.function
    if isinstance(function, tree.Attribute):
        return function.name
    return function.id if isinstance(function, tree.Name) else ""


def full_name(node: tree.Expression, names: ScriptScopes) -> str | None:
    """Return the name of a module's member with that of its module: ``math.pi`` for ``m.pi``, ``pi`` for a
    name that needs no import. None for variables and other expressions.
    """
    members: list[str] = []
    while isinstance(node, tree.Attribute):
        members.append(node.name)
        node = node.object
    if not isinstance(node, tree.Name):
        return None
    scope = names.module
    imported = [*scope.imports.get(node.id, []), *scope.members.get(node.id, [])]
    if node.id not in scope.slots:
        first = MODULE_NAMES.get(node.id, node.id) if members else node.id
    elif scope.assignment_count(node.id) or not imported:
        return None
    else:
        first = imported[-1]
    return ".".join([first, *reversed(members)])
