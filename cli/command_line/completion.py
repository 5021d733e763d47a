"""Shell completion: choices, script files, and the names that the script on the line assigns."""

from __future__ import annotations

import os

import click
from autodiff.cli.command_line.options import Option
from autodiff.cli.command_line.script_source import decode
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.source import Source
from autodiff.grammar.interpret.scope import ScriptScopes, visit_all
from autodiff.grammar.syntax.parser import parse
from click.shell_completion import CompletionItem, split_arg_string

#: Options that take names of the script, each with the text that follows a name.
TAKES_NAMES = {"of": "", "wrt": "", "set": "=", "vector": "="}
#: The most bytes of a script that are read: completion must not delay the shell.
LONGEST = 1 << 20


def values_of(option: Option, incomplete: str) -> list[CompletionItem]:
    """The completions for the value of an option."""
    known = [*option.choices]
    if option.name in TAKES_NAMES:
        # click has not parsed the script argument when the option before the cursor lacks its value, so read
        # the line.
        words = split_arg_string(os.environ.get("COMP_WORDS", ""))
        known = [name + TAKES_NAMES[option.name] for name in names_bound_in_script(words[2:])]
    return [CompletionItem(value) for value in known if value.startswith(incomplete)]


def scripts(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """The completion for scripts: files, which the shell finds itself."""
    del context, parameter
    return [CompletionItem(incomplete, type="file")]


def names_bound_in_script(words: list[str]) -> list[str]:
    """The names that the first script among the words assigns, in order; none if it cannot be read."""
    for path in filter(os.path.isfile, map(os.path.expanduser, words)):
        try:
            with open(path, "rb") as file:
                script = parse(Source(decode(file.read(LONGEST), path)))
            names = ScriptScopes()
            visit_all(script.body, names.module, names)
        except (OSError, AutodiffError):
            return []
        return [name for name in names.module.first_binding if name not in names.module.imports]
    return []
