"""Shell completion: choices, lists, script files, topics, and the names that the code on the line assigns."""

from __future__ import annotations

import os

import click
from autodiff.cli.command_line.click_parser import COMPLETION_VARIABLE
from autodiff.cli.command_line.options import COMMANDS, TOPICS, Command, Option
from autodiff.cli.command_line.script_source import decode
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.interpret.scope import ScriptScopes, visit_all
from autodiff.grammar.syntax.parser import parse
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    split_arg_string,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Options that take names of the script, each with the text that follows a name.
TAKES_NAMES = {"of": "", "wrt": "", "set": "=", "over": "="}
#: The most bytes of a script that are read: completion must not delay the shell.
LONGEST = 1 << 20


class Watched:
    """What follows `watch` is completed as the command that it is."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        args = args[1:] if len(args) > 1 and COMMANDS.get(args[0], COMMANDS["run"]).takes_command else args
        items: list[CompletionItem] = super().get_completions(args, incomplete)  # type: ignore[misc] # mixed in
        return items


class Bash(Watched, BashComplete):
    """Bash splits ``--wrt=w`` into three words, of which the last is to be completed."""

    def get_completion_args(self) -> tuple[list[str], str]:
        words, incomplete = super().get_completion_args()
        if incomplete == "=":
            return words, ""
        return words[:-1] if words[-1:] == ["="] else words, incomplete


class WholeWord(Watched):
    """For shells that replace the whole word: what is completed in ``--wrt=w`` begins with ``--wrt=``."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        items: list[CompletionItem] = super().get_completions(args, incomplete)
        flag, equals, _ = incomplete.partition("=")
        if flag.startswith("--") and equals:
            return [CompletionItem(flag + equals + item.value, type=item.type) for item in items]
        return items


class Zsh(WholeWord, ZshComplete):
    """zsh, with options and values in one word."""


class Fish(WholeWord, FishComplete):
    """fish, with options and values in one word; values may have commas."""

    source_template = """\
function %(complete_func)s
    set -l offered (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp) \\
        COMP_CWORD=(commandline -t) %(prog_name)s)
    for line in $offered
        set -l parts (string split -m 1 "," -- $line)
        if test $parts[1] = "file"
            __fish_complete_path $parts[2]
        else
            echo $parts[2]
        end
    end
end

complete --no-files --command %(prog_name)s --arguments "(%(complete_func)s)"
"""


SHELLS: dict[str, type[ShellComplete]] = {"bash": Bash, "zsh": Zsh, "fish": Fish}
for shell in SHELLS.values():
    add_completion_class(shell)


def completion_script(shell: str, group: click.Group) -> str:
    """The script that a shell reads to complete command lines of ``autodiff``."""
    made = SHELLS[shell](group, {}, "autodiff", COMPLETION_VARIABLE)
    return ShellComplete.source(made)  # without the look at which bash this is: the script is printed anyway


def values_of(option: Option, incomplete: str) -> list[CompletionItem]:
    """The completions for the value of an option; of a list only the last entry is completed."""
    if option.metavar == "FILE":
        return [CompletionItem(incomplete, type="file")]
    if option.name in TAKES_NAMES:
        # click has not parsed the script argument when the option before the cursor lacks its value, so read
        # the line.
        words = split_arg_string(os.environ.get("COMP_WORDS", ""))
        names = [name + TAKES_NAMES[option.name] for name in names_bound_on_line(words[2:])]
        return complete_list(names, incomplete) if option.name == "wrt" else matching(names, incomplete)
    if option.parts:
        return complete_list(option.parts, incomplete)
    return matching(option.choices, incomplete)


def matching(known: Iterable[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(value) for value in known if value.startswith(incomplete)]


def complete_list(known: Iterable[str], incomplete: str) -> list[CompletionItem]:
    """The completions for the last entry of a list with commas; entries are not repeated."""
    before, comma, last = incomplete.rpartition(",")
    given = before.split(",")
    return [
        CompletionItem(before + comma + value)
        for value in known
        if value.startswith(last) and value not in given
    ]


def arguments_of(command: Command, incomplete: str) -> list[CompletionItem]:
    """The completions for the argument of a command. Files are found by the shell itself."""
    if command.argument.startswith(("[SCRIPT", "OLD")):
        return [CompletionItem(incomplete, type="file")]
    return matching(known_arguments(command.name), incomplete)


def known_arguments(name: str) -> list[str]:
    """What a command that takes no script can be asked for."""
    if name == "ops":
        from autodiff.grammar.reference.catalog import known_names

        return sorted(known_names())
    if name == "examples":
        from autodiff.cli.command_line.example_files import example_paths

        return list(example_paths())
    if name == "completion":
        return list(SHELLS)
    if name == "watch":
        return [name for name, command in COMMANDS.items() if not command.takes_command]
    if name == "help":
        from autodiff.cli.codes import CODES
        from autodiff.grammar.lint import LINTS

        return [*TOPICS, *COMMANDS, *CODES, *LINTS]
    return []


def names_bound_on_line(words: list[str]) -> list[str]:
    """The names that the first file among the words and the code behind ``-e`` assign, in order."""
    names: dict[str, None] = {}
    for path in filter(os.path.isfile, map(os.path.expanduser, words)):
        try:
            with open(path, "rb") as file:
                names.update(dict.fromkeys(names_bound_in(decode(file.read(LONGEST), path))))
        except (OSError, AutodiffError):
            pass  # what cannot be read has no names
        break
    for at, flag in enumerate(words[:-1]):
        if flag == "-e":
            names.update(dict.fromkeys(names_bound_in(words[at + 1])))
    return list(names)


def names_bound_in(text: str) -> list[str]:
    """The names that a script assigns, in order; none if it does not compile."""
    try:
        script = parse(Source(text))
        names = ScriptScopes()
        visit_all(script.body, names.module, names)
    except AutodiffError:
        return []
    return [name for name in names.module.first_binding if name not in names.module.imports]
