"""What to do where a script is meant for one row at a time, and ``--data`` gives it whole columns.

Notes rows that are mixed with each other or with an array of the script, and writes the command for each row.
"""

from __future__ import annotations

import os
from shlex import quote

from autodiff.cli.command_line.options import COMMANDS
from autodiff.cli.command_line.script_source import STDIN, reads_stdin
from autodiff.cli.data_files.data_file import listed
from autodiff.cli.data_files.text_tables import find_separator
from autodiff.cli.process.streams import visible
from autodiff.cli.requests.data import data_files
from autodiff.cli.requests.values import values_of
from autodiff.core.base.errors import AutodiffError, ShapeError
from autodiff.core.base.lazy_imports import np
from autodiff.grammar.objects.runtime import discard_text, discard_warning
from autodiff.grammar.session.derivative_matrices import whole_subject
from autodiff.grammar.session.run import run_once

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from typing import Any

    from autodiff.cli.requests.derivatives import Question
    from autodiff.cli.requests.session import Session

#: Options that the command of a row does without: each row would write the same file.
NOT_REPEATED = ("data", "columns", "output")


def note_mixed_rows(session: Session, asked: Question) -> None:
    """Note that entries of the output are not those of single rows, where the script takes single numbers."""
    settings = asked.settings
    columns = {name: np.asarray(settings.sets[name]) for name in settings.data}
    counts = {np.shape(column) for column in columns.values()}
    is_fit = any(
        data.covariance is not None for data in data_files(values_of(session))
    )  # its values are no rows
    if is_fit or len(counts) != 1 or len(shape := counts.pop()) != 1 or shape[0] < 2:
        return
    count, output = shape[0], asked.report.output
    longer = shape_with(asked, {name: np.append(column, column[-1]) for name, column in columns.items()})
    replaced = [
        name for name, (before, _) in asked.execution.reshaped.items() if name in columns and not before
    ]
    advice = f"; {advice_for_rows(session, settings.data)}"
    if isinstance(longer, ShapeError):
        one = {name: float(column[0]) for name, column in columns.items()}
        if longer.span is not None and not isinstance(shape_with(asked, one), AutodiffError):
            line, _ = asked.execution.source.position(longer.span.start)
            session.note(
                f"line {line} takes {count:,} rows and no other number of them: each row meets one entry of"
                f" an array of the script there ({longer.message} with a row more){advice}"
            )
    elif replaced and longer == output.shape:
        one_value = "one number" if not output.shape else f"of shape {output.shape}"
        session.note(
            f"`{visible(output.name)}` has no entry for each of the {count:,} rows of {listed(replaced)}: it"
            f" is {one_value}, computed from all of them{advice}"
        )


def shape_with(asked: Question, values: dict[str, Any]) -> tuple[int, ...] | AutodiffError:
    """The shape of the output with other values of the columns, or the error that the script ends with."""
    settings = asked.settings.copy(sets={**asked.settings.sets, **values})
    settings.grad_output = None
    try:
        execution = run_once(asked.execution.source, settings, discard_text, discard_warning)
        return whole_subject(execution, settings).root.shape
    except AutodiffError as error:
        return error


def advice_for_rows(session: Session, names: Collection[str]) -> str:
    """How to run the script once for every row of ``--data``; ``names`` take the values of columns."""
    request = session.request
    command = loop_over_rows(session, names)
    if request.command not in ("jacobian", "propagate"):
        command = "autodiff grad SCRIPT --each FILE"
    if command:
        return f"run the script once for every row: `{command}`"
    given = " ".join(f"--set {quote(f'{name}=...')}" for name in sorted(names))
    return f"run the script once for every row, with its values in place of --data: {given}"


def loop_over_rows(session: Session, names: Collection[str]) -> str:
    """A command line for a shell that runs the script once for every row; "" where it would not be simple."""
    request = session.request
    paths = request.texts("data")
    columns = header(paths[0]) if len(paths) == 1 and not reads_stdin(request) else []
    used = [name for name in columns if name in names]
    if not used or len(used) < len(names):
        return ""
    words = ["autodiff", request.command, *([quote(request.argument)] if request.argument else [])]
    words += [*repeated_options(session, columns), *(f'--set {name}="${name}"' for name in used)]
    read = f"""IFS=, read -r {" ".join(columns)} || [ "${used[0]}" ]"""
    return f"tail -n +2 {quote(paths[0])} | while {read}; do {' '.join(words)}; done"


def header(path: str) -> list[str]:
    """The names in the first line of a CSV file with commas, ``_`` for one no shell has; [] for others."""
    if path == STDIN:
        return []
    with open(path, encoding="utf-8-sig", errors="replace") as file:
        line = file.readline()
    if find_separator(line, os.path.splitext(path)[1].lower()) != ",":
        return []
    return [name if is_shell_name(name) else "_" for name in map(str.strip, line.split(","))]


def is_shell_name(name: str) -> bool:
    """Whether a shell's variable can have this name; PATH and its like have other uses."""
    return (
        name.isascii() and name.isidentifier() and not (name.isupper() and name.isalpha() and len(name) > 1)
    )


def repeated_options(session: Session, columns: Sequence[str]) -> Iterator[str]:
    """The options of the command line; a column of deviations gives the value in the row."""
    values = session.request.values
    for option in COMMANDS[session.request.command].options:
        value, flag = values.get(option.name), option.flags[-1]
        if value == option.default or option.name in NOT_REPEATED:
            continue
        if isinstance(value, tuple):
            for text in value:
                yield f"{flag} {of_the_row(text, columns) if option.name == 'sigma' else quote(text)}"
        elif option.takes_value:
            yield f"{flag} {quote(str(value))}"
        else:
            yield flag


def of_the_row(sigmas: str, columns: Sequence[str]) -> str:
    """The values of ``--sigma`` with the shell's variables in place of columns."""
    parts = [part.partition("=") for part in sigmas.split(",")]
    return ",".join(
        f'{name}="${value}"' if value in columns else quote(f"{name}{equals}{value}")
        for name, equals, value in parts
    )
