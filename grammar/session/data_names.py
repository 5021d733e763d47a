"""Which of a script's names the columns of a data file stand for.

A column is the value of a name that the script reads and does not assign, or assigns as a plain constant.
What the script computes stays, and so do the constants of the language and the functions that the script
calls. A function that it only reads, as ``t`` in ``a*t``, is no value, so the column is meant.
"""

from __future__ import annotations

import re

from autodiff.core.base.source import Source, Span
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.grammar.interpret.scope import resolve
from autodiff.grammar.objects.builtins.namespaces import builtin_value
from autodiff.grammar.objects.values import NUMBER_CLASSES, UNBOUND
from autodiff.grammar.session.assignment_plan import top_level_assignments
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error
from autodiff.grammar.syntax.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator

COMPUTED = "the script computes it"
#: What follows a name in the header of a table: ``t [s]``, ``t (s)``, ``t / s``.
UNIT = re.compile(r"\s*[\[(/].*")
BUILTIN = "the language has a function or constant of that name, which the script uses"


def sort_columns(source: Source, columns: Iterable[str]) -> tuple[list[str], dict[str, str], list[str]]:
    """Return the columns that are values, the reasons why others of the script's names are none, all inputs.

    Raises CompileError for a script that does not parse.
    """
    script = parse_to_first_error(source)
    names = resolve(script)
    read = {name for name, scope in names.reads if scope.find(name) is None}
    called = {
        node.function.id
        for node in walk(script)
        if isinstance(node, tree.Call) and isinstance(node.function, tree.Name)
    }
    free = [name for name in sorted(read) if is_free(name, name in called)]
    first: dict[str, tree.Expression | None] = {}
    for target, written in top_level_assignments(script.body):
        first.setdefault(target.id, written)
    computed = set(names.module.slots).difference(imported_names(script))
    constants = [name for name, written in first.items() if is_constant(written, computed)]
    inputs = [*(name for name in free if builtin_value(name) is UNBOUND), *constants]
    used = [column for column in columns if column in free or column in constants]
    reasons = {
        column: BUILTIN if column in read else COMPUTED
        for column in columns
        if column not in used and (column in read or column in names.module.slots)
    }
    return used, reasons, inputs


def read_before_assigned(source: Source, columns: Iterable[str]) -> dict[str, Span]:
    """Return the columns that a script assigns from themselves, as in ``t = t[ok]``, and where it reads them.

    Nothing gives them a value there. Raises CompileError for a script that does not parse.
    """
    script = parse_to_first_error(source)
    names = resolve(script)
    found = {}
    for column in columns:
        places = names.reads.get((column, names.module), ())
        if not places or column not in names.module.slots:
            continue
        bound = names.module.first_binding[column]
        statement = next((one for one in script.body if bound.start <= one.span.end), None)
        if isinstance(statement, tree.Assign) and places[0].span.start <= statement.span.end:
            found[column] = places[0].span
    return found


def function_as_number(source: Source, given: Collection[str]) -> tree.Name | None:
    """Return the first name that stands where only a value can, and means a function of the language.

    It is an operand, or what a function is called with: ``t`` in ``a*t`` and in ``exp(t)``. ``given`` are the
    names that have values from elsewhere. Raises CompileError for a script that does not parse.
    """
    script = parse_to_first_error(source)
    functions = {
        place.span
        for (name, scope), places in resolve(script).reads.items()
        if scope.find(name) is None and name not in given and builtin_value(name).__class__ is PublicFunction
        for place in places
    }

    for node in walk(script):
        used: tuple[tree.Expression, ...] = ()
        if isinstance(node, tree.Unary):
            used = (node.operand,)
        elif isinstance(node, tree.Binary):
            used = (node.left, node.right)
        elif isinstance(node, tree.Call) and node.function.span in functions:
            used = tuple(argument.value for argument in node.arguments)
        for name in used:
            if isinstance(name, tree.Name) and name.span in functions:
                return name
    return None


def nearly_named(columns: Collection[str], inputs: Collection[str]) -> dict[str, str]:
    """Return the inputs that columns seem to be meant for: their names differ in case, or by a unit.

    >>> nearly_named(["q", "D [m]", "T"], ["Q", "D", "T"])
    {'q': 'Q', 'D [m]': 'D'}
    """
    missing = {name.casefold(): name for name in inputs if name not in columns}
    bare = {column: UNIT.sub("", column).casefold() for column in columns if column not in inputs}
    return {column: missing[name] for column, name in bare.items() if name in missing}


def is_free(name: str, is_called: bool) -> bool:
    """Whether a name that the script reads and does not bind can be a column."""
    value = builtin_value(name)
    return value is UNBOUND or not (is_called or value.__class__ in NUMBER_CLASSES)


def imported_names(script: tree.Script) -> Iterator[str]:
    """Yield the names that imports bind."""
    for node in walk(script):
        if isinstance(node, (tree.Import, tree.ImportFrom)):
            yield from (alias or name.partition(".")[0] for name, alias in node.names)


def is_constant(written: tree.Expression | None, variables: Collection[str]) -> bool:
    """Whether an assigned expression reads none of these variables."""
    return written is not None and not any(
        isinstance(node, tree.Name) and node.id in variables for node in walk(written)
    )
