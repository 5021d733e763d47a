"""The linter: finds likely mistakes in a script without running it.

Every family is a module with a table ``LINTS``. A lint has a code, a title, a one-sentence reason, a function
that finds it and an example that makes the mistake; its findings carry the edits that repair it. Uses of
names and members that do not exist are found as well (``resolution``), with the errors a run would give.
"""

from __future__ import annotations

from autodiff.core.base.errors import AutodiffError, CompileError, Fix
from autodiff.core.base.repaired_lines import with_code
from autodiff.core.base.source import Source
from autodiff.core.engine.public_functions import find_function
from autodiff.grammar.help.syntax.recovery import ErrorSearch
from autodiff.grammar.interpret.scope import ScriptScopes, check_names, resolve
from autodiff.grammar.interpret.script_kind import fixed_arrays, is_plain, name_finder, prints_numbers
from autodiff.grammar.lints import (
    broadcasts,
    effects,
    gradients,
    habits,
    leaves,
    logarithms,
    numerics,
    recording,
    training,
    updates,
)
from autodiff.grammar.lints import names as naming
from autodiff.grammar.lints.finding import Lint, Subject
from autodiff.grammar.lints.flow import Flow
from autodiff.grammar.lints.resolution import unresolved
from autodiff.grammar.lints.values import NOT_FUNCTIONS
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.repair.complete_error import complete_error
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse
from autodiff.grammar.syntax.walk import statements
from autodiff.grammar.translate.error_rewrites import rewrite_all

MOST_TRIALS, MOST_KEPT = 6, 2
MOST_MENDED = 25  # number of mistakes per script for which repairs are tried
FAMILIES = (
    *(updates, gradients, leaves, recording, effects, training, naming, habits, numerics),
    *(logarithms, broadcasts),
)
LINTS: dict[str, Lint] = dict(sorted((lint.code, lint) for family in FAMILIES for lint in family.LINTS))

__all__ = ["LINTS", "Lint", "is_error", "lint"]


def lint(source: Source) -> list[AutodiffError]:
    """The errors and lint findings of a script, in the order of its text.

    Raises CompileError if the script does not parse. Errors have the codes and proposals they have when the
    script runs; the codes of lints begin with L.

    >>> [found.code for found in lint(Source("x = torch.tensor([1.0], requires_grad=True)\\nx += 1\\n"))]
    ['L003']
    >>> [found.code for found in lint(Source("x = torch.tensro([1.0])\\nprint(torch.epx(y))\\n"))]
    ['E0204', 'E0204', 'E0201']
    """
    try:
        script = parse(source)
    except CompileError as error:
        keep_what_compiles(error, source)
        left, others = unresolved_elsewhere(error, source)
        error.other_errors += others
        if left is not None:
            propose_all(others, left, source, 1 + len(error.other_errors))
        error.other_errors.sort(key=begin)
        rewrite_all([error, *error.other_errors], source)
        raise
    names, flow, errors = read(script, source)
    propose_all(errors, script, source, len(errors))
    rewrite_all(sorted(errors, key=begin), source)
    subject = Subject(source, script, names, flow)
    found = {(wrong.span.start, wrong.span.end): wrong for wrong in errors if wrong.span is not None}
    for one in LINTS.values():
        for made in one.find(subject):
            assert made.span is not None
            made.code = one.code
            if "\n" in source.excerpt(made.span):  # edits may break parentheses that span lines
                made.fixes = tuple(fix for fix in made.fixes if compiles(fix.apply(source.text)))
            made.fixes = tuple([with_code(fix, source) for fix in made.fixes])
            same = found.setdefault((made.span.start, made.span.end), made)  # one finding per span
            if is_error(same) and not same.fixes:  # the lint may have the repairs that the error lacks
                same.fixes, same.labels = made.fixes, [*same.labels, *made.labels]
    return [found[place] for place in sorted(found)]


def unresolved_elsewhere(
    error: CompileError, source: Source
) -> tuple[tree.Script | None, list[AutodiffError]]:
    """The script without the lines that do not parse, and the resolution errors of its other lines."""
    search = ErrorSearch(source)
    if error.span is None or not search.leave_out(error):
        return None, []
    script = search.run()
    if script is None:
        return None, []
    names = resolve(script, sorted(search.names))
    set_kind(names)
    flow = Flow(script, is_function, bound_names(script, names))
    left_out = {source.position(line)[0] for line in search.lines}
    known = {one.span for one in (error, *error.other_errors)}
    found = []
    for one in unresolved(script, names, source, flow, frozenset(search.names)):
        if one.span is not None and one.span not in known:
            known.add(one.span)
            if source.position(one.span.start)[0] not in left_out:
                found.append(one)
    return script, found


def begin(error: AutodiffError) -> int:
    return error.span.start if error.span is not None else 0


def is_error(found: AutodiffError) -> bool:
    """Whether a finding is an error that keeps the script from running; others are only likely mistakes."""
    return not found.code.startswith("L")


def read(script: tree.Script, source: Source) -> tuple[ScriptScopes, Flow, list[AutodiffError]]:
    """The scopes of a script, its recorded events, and its resolution errors."""
    errors: list[AutodiffError] = []
    names = resolve(script)
    set_kind(names)
    try:
        check_names(names, script, source, name_finder(names))
    except CompileError as error:
        errors = [error, *error.other_errors]
        error.other_errors = []
    flow = Flow(script, is_function, bound_names(script, names))
    places = {one.span for one in errors}
    errors += [one for one in unresolved(script, names, source, flow) if one.span not in places]
    return names, flow, errors


def set_kind(names: ScriptScopes) -> None:
    """Set what kind of script this is, as when it runs."""
    runtime.plain_functions = is_plain(names)
    runtime.prints_numbers = runtime.plain_functions and prints_numbers(names)
    runtime.fixed_arrays = fixed_arrays(names) if runtime.plain_functions else ""


def count_mistakes(source: Source) -> int:
    """The number of errors of a script, whether it parses or not."""
    try:
        return len(read(parse(source), source)[2])
    except CompileError as error:
        return 1 + len(error.other_errors) + len(unresolved_elsewhere(error, source)[1])


def propose_all(errors: list[AutodiffError], script: tree.Script, source: Source, count: int) -> None:
    """Add repairs to the first errors and clear those of the rest, which would take too long to try."""
    for error in errors[MOST_MENDED:]:
        error.fixes = ()
    for error in errors[:MOST_MENDED]:
        propose(error, script, source, count)


def propose(error: AutodiffError, script: tree.Script, source: Source, count: int) -> None:
    """Add the repairs that a run would propose, and keep those that reduce the number of mistakes."""
    if not error.fixes:
        complete_error(error, script, source, {})
    kept: list[Fix] = []
    for fix in error.fixes[:MOST_TRIALS]:
        if len(kept) == MOST_KEPT:
            break
        if count_mistakes(Source(fix.apply(source.text), source.name)) < count:
            kept.append(fix)
    error.fixes = tuple(kept)
    if kept and "E0140" <= error.code <= "E0149":
        error.help = ()  # the help text only repeats the repairs


def compiles(text: str) -> bool:
    """Whether a text parses and all its names resolve."""
    try:
        resolve_fully(Source(text))
    except CompileError:
        return False
    return True


def resolve_fully(source: Source) -> None:
    """Parse a script and look up its names; raise a CompileError if either fails."""
    script = parse(source)
    names = resolve(script)
    check_names(names, script, source, name_finder(names))


def keep_what_compiles(error: CompileError, source: Source) -> None:
    """Remove the repairs that do not reduce the number of mistakes."""
    everything = [error, *error.other_errors]
    for one in everything:
        kept = []
        for fix in one.fixes:
            try:
                repaired = Source(fix.apply(source.text), source.name)
                resolve_fully(repaired)
            except CompileError as other:
                if 1 + len(other.other_errors) >= len(everything):
                    continue
            kept.append(fix)
        one.fixes = tuple(kept[:MOST_KEPT])


def is_function(name: str) -> bool:
    """Whether the language has a tensor function of this name."""
    return name not in NOT_FUNCTIONS and find_function(name) is not None


def bound_names(script: tree.Script, names: ScriptScopes) -> frozenset[str]:
    """The names that something other than an import binds."""
    imported = {
        alias or name.partition(".")[0]
        for node in statements(script)
        if isinstance(node, (tree.Import, tree.ImportFrom))
        for name, alias in node.names
    }
    scopes = [names.module, *names.scope_of.values()]
    return frozenset(name for scope in scopes for name in scope.slots) - imported
