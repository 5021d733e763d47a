"""The man pages, made from the table of commands and options and from the topics of `autodiff help`.

`pytest tests/test_man_pages.py --update-golden` writes them to `docs/man/`. The package installs them.
"""

from __future__ import annotations

import click
from autodiff.cli.command_line.click_parser import build_command, version_line
from autodiff.cli.command_line.options import COMMANDS, DESCRIPTION, EXAMPLES, GROUPS, TOPICS, Command
from autodiff.cli.commands.help_topics import find_topic

WIDTH = 72  # columns of a topic: a page of 80 with man's margins
#: The sections of the main page that are topics of the help.
SECTIONS = {
    "EXIT STATUS": "exit-codes",
    "FORMATS": "formats",
    "COLOURS AND ENVIRONMENT": "colors",
    "LIMITS": "limits",
    "LANGUAGE": "language",
}


SCRIPT = (
    "SCRIPT is a file, or - for standard input; -e gives code on the command line. Without any of these a"
    " script is read from standard input if something is piped."
)


def man_pages() -> dict[str, str]:
    """The text of each page by the name of its file."""
    pages = {"autodiff.1": main_page()}
    for command in COMMANDS.values():
        pages[f"autodiff-{command.name}.1"] = command_page(command)
    return pages


def escaped(text: str) -> str:
    """A text as roff shows it unchanged.

    >>> print(escaped(".5 a-b"))
    \\&.5 a\\-b
    """
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq").replace("`", "\\(ga")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.split("\n"))


def heading(name: str, says: str) -> str:
    title = f'.TH "{name.upper()}" "1" "" "{version_line()}" "User Commands"'
    return f"{title}\n.SH NAME\n{escaped(f'{name} - {says}')}\n"


def as_typed(text: str) -> str:
    """A text whose lines stay as they are."""
    return f".nf\n{escaped(text.rstrip())}\n.fi\n"


def main_page() -> str:
    listed = "".join(
        f".TP\n.BR {escaped(f'autodiff-{one.name}')} (1)\n{escaped(one.help)}\n" for one in COMMANDS.values()
    )
    examples = "".join(f".TP\n.B {escaped(line)}\n{escaped(says)}\n" for line, says in EXAMPLES)
    topics = "".join(
        f".TP\n.B {escaped(f'autodiff help {name}')}\n{escaped(says)}\n" for name, says in TOPICS.items()
    )
    texts = {title: find_topic(topic, WIDTH).partition("\n\n")[2] for title, topic in SECTIONS.items()}
    sections = "".join(f".SH {title}\n{as_typed(text)}" for title, text in texts.items())
    return (
        heading("autodiff", DESCRIPTION.rstrip("."))
        + ".SH SYNOPSIS\n.B autodiff\n\\fICOMMAND\\fR [\\fISCRIPT\\fR] [\\fIOPTIONS\\fR]\n"
        + f".SH DESCRIPTION\n{escaped(DESCRIPTION)}\n{escaped(SCRIPT)}\n"
        + f".SH EXAMPLES\n{examples}.SH COMMANDS\n{listed}.SH TOPICS\n{topics}{sections}"
    )


def command_page(command: Command) -> str:
    name = f"autodiff-{command.name}"
    made = build_command(command)
    context = click.Context(made)
    shown = {
        parameter.opts[-1]: record
        for parameter in made.get_params(context)
        if isinstance(parameter, click.Option) and (record := parameter.get_help_record(context))
    }
    groups = []
    for title, flags in GROUPS.items():
        rows = [shown[flag] for flag in flags.split() if flag in shown]
        if rows:
            entries = "".join(f".TP\n.B {escaped(row[0])}\n{escaped(row[1])}\n" for row in rows)
            groups.append(f".SS {title}\n{entries}")
    examples = as_typed("\n".join(command.examples))
    return (
        heading(name, command.help.rstrip("."))
        + f".SH SYNOPSIS\n.B {escaped(f'autodiff {command.name}')}\n"
        + f"{escaped(command.argument)} [\\fIOPTIONS\\fR]\n"
        + f".SH DESCRIPTION\n{escaped(command.help)}\n.SH OPTIONS\n{''.join(groups)}"
        + f".SH EXAMPLES\n{examples}.SH SEE ALSO\n.BR autodiff (1)\n"
    )
