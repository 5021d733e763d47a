"""The values that options give: literals, expressions of the language, and files of numbers.

An expression has the functions and constants of the language, and none of the script's names.
"""

from __future__ import annotations

import re

from autodiff.cli.command_line.fast_parser import Request
from autodiff.cli.command_line.script_source import STDIN, reads_stdin
from autodiff.core.base.errors import AutodiffError, CompileError, LimitError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.source import Source
from autodiff.grammar.syntax.parser import parse_expression, parse_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from autodiff.cli.command_line.script_source import Script
    from autodiff.cli.data_files.data_file import DataFile
    from autodiff.cli.requests.session import Session
    from autodiff.grammar.session.run import Settings

LONGEST_SHOWN = 40  # characters of a value in a message
FORMS = "write it as in 2.5, [[1, 2], [3, 4]], pi/4, linspace(0, 1, 5) or @FILE"
#: The prefixes of units, with their powers of ten.
PREFIXES = {"f": -15, "p": -12, "n": -9, "u": -6, "\u00b5": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12}
NUMBER = r"([-+]?(?:\d+\.?\d*|\.\d+))"
WITH_PREFIX = re.compile(rf"{NUMBER}\s?([{''.join(PREFIXES)}])")


class Values:
    """Reads the values of one command line; standard input can be read once.

    ``tables`` are the files of ``--data``, None until they are read.
    """

    __slots__ = ("request", "stdin_user", "tables")

    def __init__(self, request: Request) -> None:
        self.request = request
        self.tables: list[DataFile] | None = None
        self.stdin_user = "the script" if reads_stdin(request) else ""

    def read_all(self, option: str) -> dict[str, object]:
        """The values of an option that takes ``NAME=VALUE``."""
        values: dict[str, object] = {}
        for name, value in split_names(f"--{option}", self.request.texts(option)).items():
            values[name] = self.read(f"--{option} {name}", value, name)
            if values[name].__class__ is tuple and bare_comma(value) >= 0:
                raise bare_list(f"--{option} {name}", value)
        return values

    def read(self, option: str, text: str, name: str = "") -> object:
        """The value of an option: a number, nested lists, or an array. Raises UsageError for anything else.

        ``name`` is the variable that it is for, which chooses a column of a file.
        """
        if text.startswith("@"):
            return self.read_file(option, text[1:]).value_for(name)
        try:
            return parse_literal(text)
        except CompileError:
            return self.evaluate(option, text)

    def read_file(self, option: str, path: str, columns: Sequence[str] = ()) -> DataFile:
        """The content of a file; ``-`` is standard input."""
        from autodiff.cli.data_files.read import read_data

        if not path:
            raise UsageError(
                f"{option}: no file is named", code="E0610", help=("name one, as in @values.csv",)
            )
        if path == STDIN:
            if self.stdin_user:
                raise UsageError(
                    f"{option}: standard input holds {self.stdin_user} already",
                    code="E0610",
                    help=("read one of them from a file",),
                )
            self.stdin_user = f"what {option} reads"
        return read_data(path, self.request.number("max_input"), columns)

    def evaluate(self, option: str, text: str) -> object:
        """The value of an expression that uses no names of the script."""
        from autodiff.grammar.execution import execute
        from autodiff.grammar.objects.runtime import discard_text
        from autodiff.grammar.session.run import Settings

        source = Source(text, "<value>")
        settings = Settings(
            dtype=self.request.text("dtype") or "float64", seed=self.request.number("seed"), track=False
        )
        try:
            parse_expression(source)
            value = execute(source, settings, discard_text).last_value
        except LimitError as error:
            error.message, error.span = f"{option}: {error.message}", None
            raise
        except AutodiffError as error:
            raise no_value(option, text, error) from None
        return as_numbers(value, option, text)


def values_of(session: Session) -> Values:
    """The reader of a session's values."""
    if session.values is None:
        session.values = Values(session.request)
    return session.values


def give_values(session: Session, settings: Settings) -> None:
    """Enter the values of --set, --data and --grad-output into the settings of a run."""
    request, values = session.request, values_of(session)
    if request.texts("data") and not request.number("batch"):
        from autodiff.cli.requests.data import read_columns

        settings.sets = read_columns(session, values)
        settings.data = frozenset(settings.sets)
    settings.sets.update(values.read_all("set"))
    note_missing(session, settings)
    if session.columns and request.text("each") is None:
        from autodiff.cli.requests.row_sources import refuse_missing_column

        refuse_missing_column(session, settings.sets)
    output = request.text("grad_output")
    if output is not None and output != "ones":
        settings.grad_output = read_weight(values, output, session.script)


def note_missing(session: Session, settings: Settings) -> None:
    """Note how many values of files are nan, of each name."""
    for name, value in settings.sets.items():
        if getattr(value, "dtype", None) == "float64" and (count := int(np.count_nonzero(value != value))):
            at = [*map(int, np.argwhere(value != value)[0])]
            place = f"row {at[0] + 1:,}" if len(at) == 1 else f"`{name}{at or ''}`"
            verb = "is" if count == 1 else "are"
            session.note(
                f"{count:,} of {value.size:,} values of `{name}` {verb} missing and count{'s' * (count == 1)}"
                f" as nan, the first in {place}"
            )


def read_weight(values: Values, text: str, script: Script | None) -> object:
    """The value of ``--grad-output`` other than ``ones``, or the name of a variable of the script."""
    try:
        value = values.read("--grad-output", text)
    except UsageError as error:
        if text.isidentifier():
            if script is not None and re.search(rf"\b{text}\b", script.source.text):
                return text  # a variable of the script
            error.help = ("did you mean `--grad-output ones`?",)
        raise
    return list(value) if isinstance(value, tuple) else value


def split_names(option: str, texts: Iterable[str]) -> dict[str, str]:
    """The values of ``NAME=VALUE`` by name. Raises UsageError for a name that is given twice."""
    found: dict[str, str] = {}
    for text in texts:
        name, value = split_name(option, text)
        if name in found:
            both = " and ".join(f"`{name}={one[:LONGEST_SHOWN]}`" for one in (found[name], value))
            raise UsageError(f"{option} gives `{name}` twice: {both}", code="E0610", help=("leave one out",))
        found[name] = value
    return found


def split_name(option: str, text: str) -> tuple[str, str]:
    """The two parts of ``NAME=VALUE``."""
    name, equals, value = text.partition("=")
    name = name.strip()
    if equals and name.endswith("]") and name.partition("[")[0].isidentifier():
        whole = name.partition("[")[0]
        raise UsageError(
            f"{option} takes whole variables: `{name}` is one entry",
            code="E0610",
            help=(f"make the entry a variable of the script, from which it builds `{whole}`",),
        )
    if not equals or not name.isidentifier():
        raise UsageError(
            f"{option} takes NAME=VALUE, not `{text}`",
            code="E0610",
            help=(f"give a name and a value, as in {option} w1=2.5 or {option} 'W=[[1, 2], [3, 4]]'",),
        )
    if value.startswith("="):
        raise UsageError(
            f"{option} takes one `=`, not two: `{text}`",
            code="E0610",
            help=(f"did you mean `{option} {name}={value.lstrip('=')}`?",),
        )
    return name, value


def bare_comma(text: str) -> int:
    """Where a value has its first comma outside all brackets; -1 where it has none."""
    depth = 0
    for at, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if sign == "," and not depth:
            return at
    return -1


def bare_list(option: str, text: str) -> UsageError:
    """The error for a list without brackets, which may be meant as a decimal fraction."""
    entries = ", ".join(part.strip() for part in text.split(",")) if len(text) <= LONGEST_SHOWN else "..."
    help = [f"a list has brackets: {option}='[{entries}]'"]
    whole, _, fraction = text.partition(",")
    if whole.strip().lstrip("-").isdigit() and fraction.isdigit():
        help.append(f"a decimal fraction has a point: {option}={whole.strip()}.{fraction}")
    return UsageError(
        f"{option}: `{text[:LONGEST_SHOWN]}` is a list without brackets", code="E0610", help=tuple(help)
    )


def no_value(option: str, text: str, error: AutodiffError) -> UsageError:
    """The error for an expression that has no value."""
    shown = text[:LONGEST_SHOWN]
    if not text.strip():
        return UsageError(f"{option}: the value is missing", code="E0610", help=(FORMS,))
    comma = bare_comma(text)
    first, second = (text[:comma], text[comma + 1 :]) if comma >= 0 else (text, "")
    following, equals, _ = second.partition("=")
    word, _, name = option.partition(" ")
    if name and equals and following.strip().isidentifier():
        return UsageError(
            f"{option}: `{shown}` is more than one value",
            code="E0610",
            help=(f"repeat the option: {word} {name}={first.strip()} {word} {second.strip()}",),
        )
    at = f", at character {error.span.start + 1}" if error.span is not None else ""
    why = error.message if error.code == "E0109" else error.caret or error.message
    help = FORMS
    if error.code == "E0201":
        help = "a value may use the functions and constants of the language, not the names of the script"
    elif prefixed := WITH_PREFIX.fullmatch(text.strip()):
        number, prefix = prefixed.groups()
        help = f"prefixes of units are not read: write {number}e{PREFIXES[prefix]}"
    elif re.fullmatch(rf"{NUMBER}\s?[^\W\d_][\w/^*]*", text.strip()):
        help = "units are not read: write the number alone, in the unit that the script has"
    return UsageError(f"{option}: `{shown}` has no value: {why}{at}", code="E0610", help=(help,))


def as_numbers(value: Any, option: str, text: str) -> object:
    """A value of the language as a number, nested lists or an array."""
    from autodiff.core.engine.tensor import Tensor
    from autodiff.grammar.objects.values import type_name
    from autodiff.grammar.session.assignment_plan import is_number_or_list

    if value.__class__ is Tensor:
        return value.value
    if is_number_or_list(value) or value.__class__ is bool:
        return value
    if value.__class__ is tuple and bare_comma(text) >= 0:
        raise bare_list(option, text)
    raise UsageError(
        f"{option}: `{text[:LONGEST_SHOWN]}` is of type {type_name(value)}, not a number, a list of numbers"
        " or a tensor",
        code="E0610",
        help=(FORMS,),
    )
