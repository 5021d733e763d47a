"""What a shell may put at the cursor: choices, scripts, and the names that the script on the line assigns."""

from __future__ import annotations

import os
import re

import click
from autodiff.cli.options import Option
from click.shell_completion import CompletionItem, split_arg_string

#: A name at the begin of a line, or of a statement behind another, that is assigned there.
ASSIGNED = re.compile(r"(?:^|;)[ \t]*([A-Za-z_]\w*)[ \t]*(?::[^=\n]*)?=(?!=)", re.MULTILINE)
#: Options that take names of the script, with what follows a name there.
TAKES_NAMES = {"of": "", "wrt": "", "set": "="}
#: Nobody waits longer for a key to answer than it takes to look through so much.
LONGEST = 1 << 20


def values_of(option: Option, incomplete: str) -> list[CompletionItem]:
    """What may follow an option."""
    known = [*option.choices]
    if option.name in TAKES_NAMES:
        # click has not come to the script when the option before the cursor lacks its value; the line has it.
        words = split_arg_string(os.environ.get("COMP_WORDS", ""))
        known = [name + TAKES_NAMES[option.name] for name in names_assigned(words[2:])]
    return [CompletionItem(value) for value in known if value.startswith(incomplete)]


def scripts(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Files, which the shell looks up itself."""
    del context, parameter
    return [CompletionItem(incomplete, type="file")]


def names_assigned(words: list[str]) -> list[str]:
    """The names that the first file among the words assigns, in its order."""
    for path in filter(os.path.isfile, words):
        try:
            with open(path, encoding="utf-8") as file:
                return list(dict.fromkeys(ASSIGNED.findall(file.read(LONGEST))))
        except (OSError, ValueError):
            return []
    return []
