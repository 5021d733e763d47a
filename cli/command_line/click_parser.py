"""The click parser: makes help texts and reports errors in lines that fast_parser.py rejected.

The click commands are built from the table in options.py and print nothing: texts are returned and errors are
raised as UsageError. So all output goes through one console, and exit codes are set in one place.
"""

from __future__ import annotations

import os
from itertools import pairwise

import click
from autodiff.cli.command_line.fast_parser import Request, read_value
from autodiff.cli.command_line.options import (
    COMMANDS,
    COUNT,
    DESCRIPTION,
    EXAMPLES,
    FLAG,
    GROUPS,
    PICTURES,
    TEXTS,
    Command,
    Option,
)
from autodiff.core.base.did_you_mean import closest_name
from autodiff.core.base.errors import UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from click.shell_completion import CompletionItem

HELP_FLAGS = ["-h", "--help"]
VERSION_FLAG = "--version"
COMPLETION_VARIABLE = "_AUTODIFF_COMPLETE"  # the name that click makes of the program's
#: With fewer options than these a command lists them in one group.
MANY_OPTIONS = 9
WIDEST_FLAGS = 31  # columns of `--diagnostics text|json|github`


class TextWanted(Exception):
    """Raised with a text to print instead of running anything: help or the version."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class Spelled(click.ParamType[object]):
    """The click type of one option; it converts values with ``read_value``, as the fast parser does."""

    name = "value"

    def __init__(self, option: Option) -> None:
        self.option = option

    def shell_complete(
        self, context: click.Context, parameter: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        from autodiff.cli.command_line.completion import values_of

        return values_of(self.option, incomplete)

    def convert(
        self, value: object, parameter: click.Parameter | None, context: click.Context | None
    ) -> object:
        if not isinstance(value, str):
            return value
        try:
            return read_value(self.option, value)
        except ValueError as error:
            flag = self.option.flags[-1]
            if value in PICTURES and "dot" in self.option.choices:
                line = f"autodiff graph ... --format dot | dot -T{value} > graph.{value}"
                raise UsageError(
                    f"{flag} takes {error}, not `{value}`",
                    code="E0610",
                    help=(f"Graphviz makes one: `{line}`",),
                ) from None
            near = closest_name(value, self.option.choices)
            see = f"`autodiff {context.info_name} --help` describes every option" if context else ""
            raise UsageError(
                f"{flag} takes {error}, not `{value}`",
                code="E0610",
                help=(f"did you mean `{flag} {near}`?",) if near else (see,) if see else (),
            ) from None


def read_with_click(arguments: Sequence[str], width: int) -> Request | str:
    """The request, or a text to print. Raises UsageError where the line is wrong.

    The text is empty after a shell asked for completions, which click has already printed.
    """
    if COMPLETION_VARIABLE in os.environ:
        import autodiff.cli.command_line.completion  # noqa: F401 - replaces what click knows of the shells

        check_completion_request(os.environ)
    try:
        made = build_group().main(
            list(arguments) or ["--help"],
            "autodiff",
            standalone_mode=False,
            terminal_width=width,
            max_content_width=100,
        )
    except TextWanted as wanted:
        return wanted.text
    except click.UsageError as error:
        raise as_usage_error(error, arguments) from None
    except SystemExit as ended:
        if ended.code:
            raise UsageError(
                f"there are no completions for `{os.environ.get(COMPLETION_VARIABLE)}`",
                code="E0610",
                help=("`autodiff completion bash`, zsh or fish prints a script that asks for them",),
            ) from None
        return ""
    assert isinstance(made, Request)
    return made


def check_completion_request(environ: Mapping[str, str]) -> None:
    """Raise UsageError if the variables lack the line to complete, or the number of its last word."""
    shell, _, asked = environ[COMPLETION_VARIABLE].partition("_")
    last = environ.get("COMP_CWORD", "")
    is_known = "COMP_WORDS" in environ and "COMP_CWORD" in environ
    if asked == "complete" and not (is_known and (shell == "fish" or (last.isascii() and last.isdigit()))):
        raise UsageError(
            f"{COMPLETION_VARIABLE} needs the line in COMP_WORDS, and its last word's number in COMP_CWORD",
            code="E0610",
            help=("`autodiff completion bash`, zsh or fish prints a script that sets them",),
        )


def complete_argument(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    from autodiff.cli.command_line.completion import arguments_of

    return arguments_of(COMMANDS[str(context.info_name)], incomplete)


class Group(click.Group):
    """The click group. It has the commands of the table, in its order: the most useful first.

    A command is built when it is asked for: building all of them takes twice as long as writing ``--help``.
    """

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return build_command(COMMANDS[name]) if name in COMMANDS else None

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(command.name, command.help) for command in COMMANDS.values()])


class GroupedCommand(click.Command):
    """A command whose help lists the options in the groups of the table; a short list has one group."""

    def format_options(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        records = {
            parameter.opts[-1]: record
            for parameter in self.get_params(context)
            if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context))
        }
        groups = GROUPS if len(records) >= MANY_OPTIONS else {"Options": " ".join(GROUPS.values())}
        # One width for all groups, so that descriptions are one column; longer flags have lines of their own.
        widest = max(len(flags) for flags, _ in records.values() if len(flags) <= WIDEST_FLAGS)
        for title, flags in groups.items():
            listed = [records[flag] for flag in flags.split() if flag in records]
            if listed:
                with formatter.section(title):
                    rows = [(listed[0][0].ljust(widest), listed[0][1]), *listed[1:]]
                    formatter.write_dl(rows, col_max=WIDEST_FLAGS)


def build_group() -> click.Group:
    examples = "\n".join(f"  {line}\n      {says}" for line, says in EXAMPLES)
    return Group(
        "autodiff",
        help=f"{DESCRIPTION}\n\n\b\nExamples:\n{examples}",
        epilog="Each command has its own --help; `autodiff help exit-codes` lists the exit codes.",
        add_help_option=False,
        no_args_is_help=False,
        subcommand_metavar="COMMAND [SCRIPT] [OPTIONS]",
        params=[help_option(), version_option()],
    )


def build_command(command: Command) -> click.Command:
    def make_request(**values: object) -> Request:
        given = values.pop("argument", None) or ()
        assert isinstance(given, (str, tuple))
        arguments = (given,) if isinstance(given, str) else given
        for option in command.options:
            if option.kind == TEXTS:
                values[option.name] = tuple(values[option.name])  # type: ignore[arg-type] # click gives a sequence
        return Request(command.name, arguments[0] if arguments else "", values, tuple(arguments[1:]))

    examples = "\n".join(f"  {line}" for line in command.examples)
    parameters: list[click.Parameter] = [
        click.Argument(
            ["argument"],
            required=False,
            metavar=command.argument,
            nargs=-1 if command.takes_several else 1,
            shell_complete=complete_argument,
        )
    ] * bool(command.argument)
    parameters += [build_option(option) for option in command.options]
    return GroupedCommand(
        command.name,
        callback=make_request,
        params=[*parameters, help_option()],
        help=f"{command.help}\n\n\b\nExamples:\n{examples}",
        short_help=command.help,
        add_help_option=False,
    )


def build_option(option: Option) -> click.Option:
    flags = [*option.flags, option.name]
    if option.kind in (FLAG, COUNT):
        return click.Option(flags, is_flag=option.kind == FLAG, count=option.kind == COUNT, help=option.help)
    help_text = option.help
    if option.default is not None and not option.choices and option.default:
        help_text += f" [{spell_default(option)}]"
    return click.Option(
        flags,
        type=Spelled(option),
        multiple=option.kind == TEXTS,
        default=None if option.kind == TEXTS else option.default,
        metavar=option.metavar or "|".join(option.choices),
        help=help_text,
    )


def spell_default(option: Option) -> str:
    value = option.default
    if option.kind == "size" and isinstance(value, int):
        return f"{value >> 30}G" if value >= 1 << 30 else f"{value >> 20}M"
    return f"{value:,}" if isinstance(value, int) else str(value)


def help_option() -> click.Option:
    def show(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            raise TextWanted(context.get_help())

    return click.Option(
        HELP_FLAGS,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show this text.",
    )


def version_option() -> click.Option:
    def show(context: click.Context, parameter: click.Parameter, value: bool) -> None:
        if value:
            raise TextWanted(version_line())

    return click.Option(
        [VERSION_FLAG],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show the version.",
    )


def version_line() -> str:
    from importlib.metadata import version

    return "autodiff " + version("autodiff")


def as_usage_error(error: click.UsageError, arguments: Sequence[str]) -> UsageError:
    """The UsageError for an error of click."""
    command = COMMANDS.get(arguments[0]) if arguments else None
    see = f"`{f'autodiff {command.name}' if command else 'autodiff'} --help` describes every option"
    if isinstance(error, click.NoSuchOption):
        proposal = near_option(error, command, arguments) or see
        return UsageError(f"there is no option `{error.option_name}`", code="E0610", help=(proposal,))
    if isinstance(error, click.exceptions.NoSuchCommand):
        return no_such_command(error.command_name)
    if isinstance(error, click.BadOptionUsage) and command is not None:
        option = next(one for one in command.options if error.option_name in one.flags)
        flag = option.flags[-1]
        if option.takes_value:
            return UsageError(f"{flag} needs a value", code="E0610", help=(value_for(option, arguments),))
        return UsageError(f"{flag} takes no value", code="E0610", help=(f"write {flag} alone",))
    if command is not None and "extra argument" in error.message:
        swallowed = swallowed_option(command, arguments)
        if swallowed is not None:
            return swallowed
        if not command.argument:
            return UsageError(f"`autodiff {command.name}` takes no argument", code="E0610", help=(see,))
        one = {"[SCRIPT]": "script", "[NAME]": "name", "[SHELL]": "shell"}.get(command.argument, "topic")
        extra = first_extra(error.message, arguments)
        more = f"`{extra}`" if extra else "an empty argument"
        help_texts: tuple[str, ...] = (f"give one, and {more} in a run of its own",)
        if not extra:
            help_texts = ("a shell variable without a value makes one",)
        elif command.argument == "[SCRIPT]":
            before = arguments[max(arguments.index(extra) - 1, 0)] if extra in arguments else ""
            if any(before in option.flags and not option.takes_value for option in command.options):
                help_texts = (f"{before} takes no value", *help_texts)
            help_texts += ("put quotes around the value of an option if it contains a space",)
        return UsageError(
            f"`autodiff {command.name}` takes one {one}, and there is more: {more}",
            code="E0610",
            help=help_texts,
        )
    message = error.format_message().rstrip(".")
    return UsageError(message[:1].lower() + message[1:], code="E0610", help=(see,))


def swallowed_option(command: Command, arguments: Sequence[str]) -> UsageError | None:
    """The error for an option whose value is another option, so that the value of that one is left over."""
    taking = {flag: option for option in command.options if option.takes_value for flag in option.flags}
    flags = flags_of(command)
    for before, word in pairwise(arguments):
        if before in taking and word in flags:
            return UsageError(
                f"{before} needs a value, and the option {word} follows",
                code="E0610",
                help=(value_for(taking[before], arguments),),
            )
    return None


def value_for(option: Option, arguments: Sequence[str]) -> str:
    """The help text for an option without its value; the file of --data may be meant for --each."""
    if option.name == "each" and "--data" in arguments[:-1]:
        from shlex import quote

        file = arguments[[*arguments].index("--data") + 1]
        return f"did you mean `--each {quote(file)}` in place of --data?"
    return f"give one: {option.flags[-1]} {option.metavar or '|'.join(option.choices)}"


def first_extra(message: str, arguments: Sequence[str]) -> str:
    """The first argument too many; click's message has all of them in brackets, with spaces between."""
    extras = message[message.index("(") + 1 : -1] + " "
    return max((word for word in arguments if extras.startswith(word + " ")), key=len, default=extras[:-1])


def near_option(error: click.NoSuchOption, command: Command | None, arguments: Sequence[str]) -> str:
    """The help text for an unknown option, such as the closest known one; "" where there is none."""
    if command is None:
        behind = next((word for word in arguments if word in COMMANDS), None)
        if behind is not None:
            return f"options follow the command: `autodiff {behind} ... {error.option_name} ...`"
        near = near_flag(error.option_name, (*HELP_FLAGS, VERSION_FLAG))
        return f"did you mean `{near}`?" if near else ""
    flags = flags_of(command)
    for word in arguments[1:]:  # -wrt, which click reads as -w -r -t
        if word.startswith(error.option_name) and "-" + word.partition("=")[0] in flags:
            return f"did you mean `-{word.partition('=')[0]}`?"
    near = near_flag(error.option_name, (*flags, *HELP_FLAGS))
    if near:
        return f"did you mean `{near}`?"
    if command.name == "propagate" and error.option_name.startswith(("--cor", "--cov")):
        return (
            "--cov FILE takes covariances in place of --sigma: a line with the names of the inputs, as in"
            " `x,y`, and below it a matrix with the variances on the diagonal and, for a correlation r, r"
            " times both standard deviations beside it"
        )
    if command.name == "lint" and error.option_name == "--format":
        return "the findings are diagnostics: --diagnostics json, or --diagnostics github"
    if command.name == "trace" and error.option_name == "--order":
        return "a page plays the steps of a second derivative: `autodiff graph SCRIPT --order 2 -o page.html`"
    if command.name in ("propagate", "jacobian") and error.option_name == "--each":
        from shlex import quote

        words = [word.replace("--each", "--data", word.startswith("--each")) for word in arguments]
        what = "with its deviation" if command.name == "propagate" else "with its row of the Jacobian"
        return (
            f"give the rows to --data: the output then has an entry, {what}, for each row:"
            f" `autodiff {' '.join(map(quote, words))}`"
        )
    if command.name == "diff" and error.option_name in ("--each", "--sweep"):
        rows = f"autodiff grad SCRIPT {error.option_name} ..."
        return f"write the rows of each script, `{rows} > FILE`, and compare the files"
    others = [name for name, other in COMMANDS.items() if error.option_name in flags_of(other)]
    return f"`autodiff {others[0]}` has it, `autodiff {command.name}` does not" if others else ""


def near_flag(given: str, flags: Sequence[str]) -> str | None:
    """The flag that was probably meant. The dashes do not count as letters that agree."""
    by_name = {flag.lstrip("-"): flag for flag in flags}
    near = closest_name(given.lstrip("-"), by_name)
    return None if near is None else by_name[near]


def flags_of(command: Command) -> list[str]:
    return [flag for option in command.options for flag in option.flags]


def abbreviated(name: str) -> str | None:
    """The only command that begins like ``name`` and has its letters in this order, as ``run`` for ``rn``."""
    found = [command for command in COMMANDS if command[:1] == name[:1] and is_in_order(name, command)]
    return found[0] if len(found) == 1 and len(name) > 1 else None


def is_in_order(letters: str, word: str) -> bool:
    """Whether a word has these letters in this order, perhaps with others between them.

    >>> is_in_order("grp", "graph"), is_in_order("nr", "run")
    (True, False)
    """
    left = iter(word)
    return all(letter in left for letter in letters)


def no_such_command(name: str) -> UsageError:
    near = closest_name(name, COMMANDS) or abbreviated(name)
    looks_like_script = name == "-" or name.endswith(".ad") or os.path.exists(name)
    if looks_like_script:
        proposal = f"did you mean `autodiff run {name}`?"
    elif near:
        proposal = f"did you mean `{near}`?"
    else:
        proposal = "the commands are " + ", ".join(COMMANDS)
    return UsageError(f"there is no command `{name}`", code="E0610", help=(proposal,))
