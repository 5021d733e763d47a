"""Which expressions of the text are inputs: numbers, named constants, lists and functions of these.

An expression that reads a variable is computed, and what it is assigned to is no input.
"""

from __future__ import annotations

from autodiff.core.base.source import Source
from autodiff.core.graph.dtypes import DType
from autodiff.grammar.interpret.scope import ScriptScopes
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

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
#: Functions whose arguments are sizes from this place on, if no keyword gives them.
SIZES_FROM = {
    **dict.fromkeys(["eye", "ones", "rand", "randn", "zeros"], 0),
    **dict.fromkeys(["full", "random", "random_sample", "standard_normal"], 0),
    **dict.fromkeys(["exponential", "poisson"], 1),
    **dict.fromkeys(["beta", "binomial", "gamma", "integers", "laplace", "linspace", "lognormal"], 2),
    **dict.fromkeys(["normal", "randint", "uniform"], 2),
}
#: The keywords of sizes.
SIZE_KEYWORDS = frozenset(["num", "shape", "size"])
#: Functions of numpy that make generators of random numbers.
GENERATORS = frozenset(["RandomState", "default_rng"])
#: Keywords of functions whose values are no numbers.
NO_NUMBERS = frozenset(["dtype"])


def is_literal_number(
    node: tree.Expression, source: Source, names: ScriptScopes, generators: Collection[str] = ()
) -> bool:
    """Whether an expression is a number that the text has: a literal, a named constant, or made of these.

    That is arithmetic with such numbers, a nested list of them, or a function of ``math``, numpy or Python.
    The sizes of arrays that it draws or fills may be any expressions, and a name among them may scale the
    array, as in ``np.random.randn(n, m)/np.sqrt(n)``. ``generators`` are names of random generators.
    """
    stack: list[tuple[tree.Expression, bool]] = [(node, False)]
    may_have_sizes = "(" in source.excerpt(node.span)
    found = False
    counts: set[str] = set()
    read: set[str] = set()
    while stack:
        node, is_argument = stack.pop()
        if isinstance(node, tree.Number):
            found = True
        elif isinstance(node, tree.Name) and node.id in read:
            pass  # a long sum reads one name in many terms
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
        elif is_size(node):
            pass
        elif isinstance(node, tree.Call):
            is_drawn = not node.arguments and called_name(node) in RANDOM_FUNCTIONS
            is_known = is_number_function(node.function, names) or draws_from(node, generators)
            if not (node.arguments or is_drawn) or not is_known:
                return False
            sizes = size_arguments(node)
            counts.update(part.id for size in sizes for part in walk(size) if isinstance(part, tree.Name))
            found = found or is_drawn or bool(sizes)
            others = [one for one in node.arguments if one not in sizes]
            if any(one.star for one in others):
                return False
            stack += [(one.value, True) for one in others if one.keyword not in NO_NUMBERS]
        elif is_named_constant(node, names):
            found = True
        elif isinstance(node, tree.Name):
            if not may_have_sizes:
                return False
            read.add(node.id)
        else:
            return False
    return found and read <= counts


def is_size(node: tree.Expression) -> bool:
    """Whether an expression is ``X.shape[0]`` or ``len(X)``: it has no gradient, as sizes among arguments."""
    shape = node.object if isinstance(node, tree.Subscript) else None
    return called_name(node) == "len" or (isinstance(shape, tree.Attribute) and shape.name == "shape")


def size_arguments(call: tree.Call) -> list[tree.Argument]:
    """Return the arguments of a call that are sizes of the array that it draws or fills."""
    name = called_name(call)
    given = [one for one in call.arguments if one.keyword is None]
    start = SIZES_FROM.get(name)
    if name == "arange":
        return given[min(len(given) - 1, 1) :][:1]
    if start is None:
        return []
    stop = None if name in ("eye", "rand", "randn") else start + 1
    return given[start:stop] + [one for one in call.arguments if one.keyword in SIZE_KEYWORDS]


def draws_from(call: tree.Call, generators: Collection[str]) -> bool:
    """Whether a call is ``rng.normal(...)`` or the like of one of the ``generators``."""
    function = call.function
    return (
        isinstance(function, tree.Attribute)
        and isinstance(function.object, tree.Name)
        and function.object.id in generators
    )


def makes_generator(node: tree.Expression, names: ScriptScopes) -> bool:
    """Whether an expression is ``np.random.default_rng(0)`` or the like."""
    full = full_name(node.function, names) if isinstance(node, tree.Call) else None
    return full is not None and full.rpartition(".")[2] in GENERATORS


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
