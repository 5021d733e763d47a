"""Lints: what a script says that PyTorch's users mean otherwise, found without running it.

Every family is a module with a table ``LINTS``. A lint has a code, a title, the reason in one sentence, a
function that finds it and an example that makes the mistake; its findings carry the edits that repair it.
"""

from __future__ import annotations

from autodiff.core import ops
from autodiff.core.errors import AutodiffError, CompileError
from autodiff.core.functions import find
from autodiff.core.span import Source
from autodiff.grammar import syntax
from autodiff.grammar.lints import effects, gradients, habits, leaves, updates
from autodiff.grammar.lints import names as naming
from autodiff.grammar.lints.finding import Lint, Subject
from autodiff.grammar.lints.flow import Flow
from autodiff.grammar.lints.values import NOT_FUNCTIONS
from autodiff.grammar.namespaces import builtin
from autodiff.grammar.parser import parse
from autodiff.grammar.scope import Names, resolve
from autodiff.grammar.values import UNBOUND
from autodiff.grammar.walk import walk

# Importing the ops declares every function a script can call.
FUNCTIONS_ARE_KNOWN = ops
MOST_KEPT = 2
FAMILIES = (updates, gradients, leaves, effects, naming, habits)
LINTS: dict[str, Lint] = {lint.code: lint for family in FAMILIES for lint in family.LINTS}

__all__ = ["LINTS", "Lint", "lint"]


def lint(source: Source) -> list[AutodiffError]:
    """Everything the lints find in a script, in the order of its text; a CompileError if it is no script.

    >>> [found.code for found in lint(Source("x = torch.tensor([1.0], requires_grad=True)\\nx += 1\\n"))]
    ['L003']
    """
    try:
        script, names = compile_names(source)
    except CompileError as error:
        keep_what_compiles(error, source)
        raise
    flow = Flow(script, is_function, bound_names(script, names))
    subject = Subject(source, script, names, flow)
    found: dict[tuple[int, int], AutodiffError] = {}
    for one in LINTS.values():
        for made in one.find(subject):
            assert made.span is not None
            made.code = one.code
            if "\n" in source.excerpt(made.span):  # brackets that go on over lines may get lost in an edit
                made.fixes = tuple(fix for fix in made.fixes if compiles(fix.apply(source.text)))
            found.setdefault((made.span.start, made.span.end), made)  # one mistake, one finding
    return [found[place] for place in sorted(found)]


def compile_names(source: Source) -> tuple[syntax.Script, Names]:
    """The tree of a script and its scopes."""
    script = parse(source)
    return script, resolve(script, source, lambda name: builtin(name) is not UNBOUND)


def compiles(text: str) -> bool:
    """Whether a text is a script."""
    try:
        compile_names(Source(text))
    except CompileError:
        return False
    return True


def keep_what_compiles(error: CompileError, source: Source) -> None:
    """Drop the repairs with which the script has as many mistakes as before."""
    everything = [error, *error.further]
    for one in everything:
        kept = []
        for fix in one.fixes:
            try:
                compile_names(Source(fix.apply(source.text), source.name))
            except CompileError as other:
                if 1 + len(other.further) >= len(everything):
                    continue
            kept.append(fix)
        one.fixes = tuple(kept[:MOST_KEPT])


def is_function(name: str) -> bool:
    """Whether the language has a function of tensors of this name."""
    return name not in NOT_FUNCTIONS and find(name) is not None


def bound_names(script: syntax.Script, names: Names) -> frozenset[str]:
    """Every name that something other than an import binds."""
    imported = {
        alias or name.partition(".")[0]
        for node in walk(script)
        if isinstance(node, (syntax.Import, syntax.ImportFrom))
        for name, alias in node.names
    }
    scopes = [names.module, *names.of.values()]
    return frozenset(name for scope in scopes for name in scope.slots) - imported
