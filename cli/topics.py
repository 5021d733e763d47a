"""The texts of ``autodiff help``: exit codes, the language in brief, commands and error codes."""

from __future__ import annotations

from autodiff.cli.codes import CODES
from autodiff.cli.options import COMMANDS
from autodiff.core.errors import UsageError

EXIT_CODES = """\
Exit codes

    0  all went well
    1  the answer is no
    2  the command line is wrong, or the script cannot be read
    3  the script does not compile: its syntax, or a name bound nowhere
    4  the script failed while it ran: shapes, a name read too early, backward
    5  a limit stopped it: steps, memory, depth, paths
    6  the output could not be written: full, closed, read-only
   70  a mistake in autodiff itself
  124  the time given with --timeout is over
  129  the terminal was closed (SIGHUP)
  130  Ctrl-C (dies by SIGINT)
  141  nobody reads the output any more (dies by SIGPIPE, silently)
  143  terminated (SIGTERM)
"""

LANGUAGE = """\
The language

An .ad script is the Python a PyTorch user would type, without PyTorch:

    x = torch.tensor([1., 2.], requires_grad=True)
    L = (x * x).sum()
    L.backward()
    print(x.grad)

In a script that builds no tensor, every number assigned once at the top level is an input:

    w = 3
    L = w**2

The output is what --of names, else the tensor last differentiated with .backward(), else the last
name assigned. The inputs are what --wrt names, else the tensors marked requires_grad, else every
input the output depends on. --set NAME=VALUE replaces a value.

There are assignments, if, for, while, def, lambda, list comprehensions, with no_grad(), print,
assert, f-strings, and torch's functions under their names (also torch.*, F.*, math.*). There are no
files, no modules of your own, no try, no classes but autograd Functions. Nothing a script says
reaches the machine it runs on.
"""

TOPICS = ("exit-codes", "language", "errors")


def find_topic(name: str, width: int) -> str:
    """The text for a topic, a command or a code."""
    topic = name.lower()
    if not name:
        commands = ", ".join(COMMANDS)
        return (
            f"Topics: {', '.join(TOPICS)}, and every error code, as in `autodiff help E0401`.\n"
            f"Commands: {commands}; `autodiff help COMMAND` describes one.\n"
        )
    if topic == "exit-codes":
        return EXIT_CODES
    if topic == "language":
        return LANGUAGE
    if topic == "errors":
        return "".join(f"{code}  {about}\n" for code, (about, _, _) in CODES.items())
    if name.upper() in CODES:
        return spell_code(name.upper())
    if topic in COMMANDS:
        from autodiff.cli.usage import read_with_click

        text = read_with_click([topic, "--help"], width)
        assert isinstance(text, str)
        return text + "\n"
    raise no_such_topic(name)


def spell_code(code: str) -> str:
    about, advice, example = CODES[code]
    text = f"{code}: {about}\n\n{advice}\n"
    if example:
        indented = "\n".join("    " + line for line in example.split("\n"))
        text += f"\nFor example:\n\n{indented}\n"
    return text


def no_such_topic(name: str) -> UsageError:
    from difflib import get_close_matches

    known = [*TOPICS, *COMMANDS, *CODES]
    near = get_close_matches(name.upper(), CODES, n=1) or get_close_matches(name.lower(), known, n=1)
    proposal = f"did you mean `{near[0]}`?" if near else "`autodiff help` lists the topics"
    return UsageError(f"there is no help on `{name}`", code="E0615", help=(proposal,))
