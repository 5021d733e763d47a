"""Attaches rewrites to errors: one repair for everything that belongs together, or why there is none.

The rewrites themselves are in the other modules; ``REWRITES_BY_CODE`` chooses one by error code.
"""

from __future__ import annotations

from contextlib import suppress

from autodiff.core.base.errors import AutodiffError, Edit, Fix
from autodiff.core.base.source import Source
from autodiff.grammar.syntax import tree
from autodiff.grammar.translate.pasted_program import CannotRewriteError, PastedProgram, parse_pasted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

GROUPS = "make one optimizer for each group, with its own step size"
#: Codes of errors that get a rewrite: dictionary, `try`, class, layer, optimizer, loader or file, `filter`.
REWRITTEN_CODES = frozenset(["E0120", "E0122", "E0128", "E0140", "E0141", "E0143", "E0201"])


def add_rewrites(error: AutodiffError, source: Source) -> None:
    """Give an error the rewrite of its program, and list beside it what else needs one."""
    everything = (error, *error.other_errors)
    if not any(
        one.code in REWRITTEN_CODES and (one.code != "E0201" or is_list_function(one, source))
        for one in everything
    ):
        return
    pasted = parse_pasted(source)
    if pasted is None:
        return
    error.other_errors += other_absences(error, pasted)
    error.other_errors = rewrite_uncovered([error, *error.other_errors], source, error)[1:]


def rewrite_uncovered(
    errors: list[AutodiffError], source: Source, first: AutodiffError | None
) -> list[AutodiffError]:
    """Give each error its rewrite, and return the errors that no other rewrite covers."""
    kept: list[AutodiffError] = []
    rewritten: list[Edit] = []
    for one in errors:
        if any(covers(edit, one) for edit in rewritten):
            continue
        rewritten += add_rewrite(one, source, one is first)
        if not any(same.code == one.code and same.help == one.help and not one.fixes for same in kept):
            kept.append(one)
    return kept


def rewrite_all(errors: list[AutodiffError], source: Source) -> None:
    """Give errors their rewrites; an error that another rewrite covers keeps its text."""
    rewritten: list[Edit] = []
    for one in errors:
        if not any(covers(edit, one) for edit in rewritten):
            rewritten += add_rewrite(one, source, False)


def covers(edit: Edit, error: AutodiffError) -> bool:
    """Whether an edit replaces or removes the place of an error."""
    span = error.span
    return span is not None and edit.span.start <= span.start and span.end <= edit.span.end


def add_rewrite(error: AutodiffError, source: Source, is_first: bool) -> list[Edit]:
    """Return the edits of an error's rewrite, and set the fix or the reason why there is none."""
    if error.code not in REWRITTEN_CODES or (error.code == "E0201" and not is_list_function(error, source)):
        return []
    pasted = parse_pasted(source)  # read again: each rewrite adds its own names
    if pasted is None:
        return []
    try:
        found = REWRITES_BY_CODE[error.code](pasted, error)
    except CannotRewriteError as unable:
        error.fixes, error.help = (), (refusal_text(pasted, unable),)
        return []
    if found:
        if not is_first or error.code == "E0201":  # the first keeps its help, in case its rewrite fails
            error.help = ()
        written = "" if error.span is None else source.excerpt(error.span)
        introduction = pasted.introduction or INTRODUCTIONS.get(written) or INTRODUCTIONS[error.code]
        error.fixes = (Fix(describe_edits(pasted, found, introduction), *found),)
    return found


def other_absences(error: AutodiffError, pasted: PastedProgram) -> list[AutodiffError]:
    """Return errors for absent features that the program uses besides that of ``error``."""
    return [one for one in absences(pasted) if one.message != error.message]


def absences(pasted: PastedProgram) -> list[AutodiffError]:
    """Return errors for all absent features that the program uses outside of its classes."""
    from autodiff.grammar.interpret.scope import resolve
    from autodiff.grammar.lints.resolution import Resolver
    from autodiff.grammar.syntax.walk import path_to

    source = Source(pasted.masked, pasted.source.name)
    try:
        resolver = Resolver(resolve(pasted.script), source, pasted.script)
    except AutodiffError:
        return []
    inside = [node.span for node in pasted.classes.values()]
    found: list[AutodiffError] = []
    for one in resolver.errors:
        if one.span is None or not "E0140" <= one.code <= "E0149":
            continue
        if not any(span.start <= one.span.start < span.end for span in inside):
            whole = path_to(pasted.script, one.span)[-1]
            if isinstance(whole, tree.Attribute) and whole.name_span == one.span:
                one.span = whole.span
            found.append(one)
    # The arguments of a call come before the call, as when it runs.
    return sorted(found, key=lambda one: one.span.end if one.span else 0)


def refusal_text(pasted: PastedProgram, unable: CannotRewriteError) -> str:
    """Return the text that says why there is no rewrite, and what to do about it."""
    return f"{unable.subject} in line {pasted.line(unable.node)} cannot be rewritten; {unable.advice}"


def rewrite_models(pasted: PastedProgram, error: AutodiffError) -> list[Edit]:
    from autodiff.grammar.translate.model_uses import ModelEdits

    found = ModelEdits(pasted)
    if not found.is_about(error.span):
        return []
    found.rewrite()
    return found.edits


def rewrite_optimizers(pasted: PastedProgram, error: AutodiffError) -> list[Edit]:
    from autodiff.grammar.translate.optimizer_uses import OptimizerEdits

    steps = OptimizerEdits(pasted)
    steps.rewrite()
    return steps.edits


def rewrite_files(pasted: PastedProgram, error: AutodiffError) -> list[Edit]:
    from autodiff.grammar.translate.loaders import Loaders

    if error.span is not None and pasted.source.excerpt(error.span) == "open":
        from autodiff.grammar.translate.python_constructs import file_edits

        edits = file_edits(pasted, error.span)
        if edits:
            return edits
    if not error.repair_context or not str(error.repair_context[0]).startswith("torch.utils.data"):
        from autodiff.grammar.translate.file_reading import reading_advice

        error.help = (advice,) if (advice := reading_advice(pasted, error)) else error.help
        return []
    found = Loaders(pasted)
    found.rewrite()
    return found.edits


def rewrite_dictionaries(pasted: PastedProgram, error: AutodiffError) -> list[Edit]:
    from autodiff.grammar.syntax.walk import path_to
    from autodiff.grammar.translate.dictionaries import list_edits
    from autodiff.grammar.translate.optimizer_uses import is_optimizer
    from autodiff.grammar.translate.python_constructs import dictionary_edits
    from autodiff.grammar.translate.shared_dictionaries import variable_edits

    for node in path_to(pasted.script, error.span) if error.span else []:
        if isinstance(node, tree.Call) and is_optimizer(pasted.full(node.function)):
            raise CannotRewriteError(node, "groups of parameters", GROUPS)
    with suppress(CannotRewriteError):
        if edits := dictionary_edits(pasted, error.span):
            return edits
    with suppress(CannotRewriteError):
        return variable_edits(pasted)
    pasted.introduction = "keep the entries in lists:"
    return list_edits(pasted)


def rewrite_list_functions(pasted: PastedProgram, error: AutodiffError) -> list[Edit]:
    from autodiff.grammar.translate.python_constructs import comprehension_edits

    return comprehension_edits(pasted, error.span)


def is_list_function(error: AutodiffError, source: Source) -> bool:
    """Whether an unknown name is ``filter`` or ``map``."""
    return error.span is not None and source.excerpt(error.span) in ("filter", "map")


def rewrite_tries(pasted: PastedProgram, error: AutodiffError) -> list[Edit]:
    from autodiff.grammar.translate.python_constructs import try_edits

    return try_edits(pasted, error.span)


REWRITES_BY_CODE: dict[str, Callable[[PastedProgram, AutodiffError], list[Edit]]] = {
    "E0120": rewrite_dictionaries,
    "E0122": rewrite_tries,
    "E0128": rewrite_models,
    "E0140": rewrite_models,
    "E0141": rewrite_optimizers,
    "E0143": rewrite_files,
    "E0201": rewrite_list_functions,
}


INTRODUCTIONS = {
    "E0120": "use one variable per entry:",
    "E0122": "keep what is tried, and let an error end the script:",
    "E0128": "write it with leaves and functions:",
    "E0140": "write it with leaves and functions:",
    "E0141": "take the steps in a function:",
    "E0143": "make a list of the batches:",
    "E0201": "write it as a list:",
    "open": "print what you want to keep:",
}


def describe_edits(pasted: PastedProgram, edits: list[Edit], introduction: str) -> str:
    """Describe the edits in the order of the text; equal changes are listed once."""
    source = pasted.source
    lines, small, gone = [], [], []
    for edit in sorted(edits, key=lambda edit: (edit.span.start, edit.span.end)):
        old, new = source.excerpt(edit.span).strip(), edit.text.strip("\n").rstrip()
        first = source.position(edit.span.start)[0]
        last = source.position(max(edit.span.end - 1, edit.span.start))[0]
        where = f"line {first}" if last == first else f"lines {first} to {last}"
        if not new or new == "pass":
            gone.append((first, last))
        elif "\n" not in new + old and old:
            small.append(f"{new} in place of {old}")
        else:
            place = "in place of" if old else "after" if edit.text.startswith("\n") else "before"
            lines.append(f"{place} {where}:")
            lines += indented_block(new, source.position(edit.span.start)[1] - 1)
    if gone:
        lines.append(f"without {line_ranges(gone)}")
    lines += dict.fromkeys(small)
    return "\n".join([introduction, *["    " + line if line else "" for line in lines]])


def line_ranges(places: list[tuple[int, int]]) -> str:
    """Return a text such as ``lines 4 to 33, 36``; adjacent places are joined."""
    runs: list[tuple[int, int]] = []
    for first, last in places:
        if runs and first <= runs[-1][1] + 1:
            runs[-1] = runs[-1][0], max(last, runs[-1][1])
        else:
            runs.append((first, last))
    texts = [f"{first}" if first == last else f"{first} to {last}" for first, last in runs]
    return ("lines " if len(runs) > 1 or runs[0][0] != runs[0][1] else "line ") + ", ".join(texts)


def indented_block(text: str, margin: int) -> list[str]:
    """Return the lines of a new text, without the margin that all but the first have."""
    first, *rest = text.split("\n")
    return [
        "    " + first,
        *["    " + line.removeprefix(" " * margin) if line.strip() else "" for line in rest],
    ]
