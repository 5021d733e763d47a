"""``autodiff ops``: the functions a script can call, with their derivatives."""

from __future__ import annotations

from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from autodiff.core.engine.public_functions import PublicFunction
    from autodiff.grammar.reference.catalog import FunctionEntry


def command(session: Session) -> None:
    """Show one function, or list all, those of a family, or those whose names match a word."""
    from autodiff.grammar.reference import catalog

    query = session.request.argument
    if session.format == "markdown":
        from autodiff.cli.render.reference import markdown_text

        chosen = matching_functions(query)
        entries = [catalog.describe(function) for function in chosen]
        session.show_text(markdown_text(by_family(entries), catalog.internal_records() if not query else ()))
        return
    exact = catalog.find_functions(query) if query else []
    inner = catalog.op_record(query) if query and not exact else None
    if session.format == "json":
        from autodiff.cli.render.reference import json_text

        functions = exact or matching_functions(query)
        session.show_text(json_text([catalog.describe(function) for function in functions]))
        return
    from autodiff.cli.render.functions import entry_lines, list_lines, record_lines

    if inner is not None:
        session.show(record_lines(inner, session.out.width))
    elif exact:
        for at, function in enumerate(exact):
            if at:
                session.show([()])
            session.show(entry_lines(catalog.describe(function), session.out.width, session.out.is_terminal))
        others = [function.name for function in catalog.search_functions(query) if function not in exact]
        if others:
            session.hint("also with this in their names: " + ", ".join(dict.fromkeys(others)))
    else:
        entries = [catalog.list_entry(function) for function in matching_functions(query)]
        width = session.out.width if session.out.is_terminal else None
        session.show(list_lines(by_family(entries), width))
        session.hint("`autodiff ops NAME` shows one with its rule and an example")


def matching_functions(query: str) -> Sequence[PublicFunction]:
    """The functions that match a query. Raises UsageError if there are none."""
    from autodiff.grammar.reference import catalog

    if not query:
        return list(catalog.public_names())
    found = catalog.find_functions(query) or catalog.search_functions(query)
    if not found:
        raise no_such_function(query)
    return found


def by_family(entries: Sequence[FunctionEntry]) -> list[tuple[str, str, list[FunctionEntry]]]:
    from autodiff.grammar.reference.catalog import family_title

    families: dict[str, list[FunctionEntry]] = {}
    for entry in entries:
        families.setdefault(entry.family, []).append(entry)
    return [(family, family_title(family), members) for family, members in families.items()]


def no_such_function(query: str) -> UsageError:
    from autodiff.core.base.did_you_mean import closest_name
    from autodiff.grammar.reference.catalog import is_language_name, known_names

    if is_language_name(query):
        return UsageError(
            f"`{query}` is no function of numbers, so it has no rule",
            code="E0615",
            help=("docs/language.md describes what it does",),
        )
    near = closest_name(query, known_names())
    proposal = f"did you mean `{near}`?" if near else "`autodiff ops` lists all of them"
    return UsageError(f"there is no function or family `{query}`", code="E0615", help=(proposal,))
