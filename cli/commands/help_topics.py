"""The texts of ``autodiff help``: exit codes, the language in brief, commands and error codes."""

from __future__ import annotations

import re

from autodiff.cli.codes import CODES
from autodiff.cli.command_line.options import COMMANDS, FORMATS, TOPICS
from autodiff.cli.render.prose import WIDEST_PROSE, fold
from autodiff.cli.render.roles import ROLES
from autodiff.core.base.errors import UsageError

EXIT_CODES = """\
Exit codes

    0  success
    1  check found a wrong gradient or formula, lint a likely mistake, \
or any command what --fail-on names; for check, what is undecided (a kink, say) and a number that is right \
only here are no mistakes: 0, unless --fail-on undecided,here is given; \
check --format verdict says which it is
    2  the command line is wrong, the script cannot be read, \
or the requested format cannot hold the answer; for check also: one of several formulas cannot be read, \
and the others are judged, right or wrong
    3  the script does not compile: wrong syntax, or an unknown name; \
for lint also: it uses something that does not exist
    4  the script failed while it ran: shapes, a name read too early, backward
    5  a limit was reached: steps, memory, depth, paths
    6  the output could not be written: full, closed, read-only
   70  a mistake in autodiff itself
  124  the time limit of --timeout was reached
  129  the terminal was closed (SIGHUP)
  130  Ctrl-C (dies by SIGINT)
  141  the reader of the output is gone (dies by SIGPIPE, silently)
  143  terminated (SIGTERM)

check and lint take several files and folders; the worst code is theirs: 2, 3, 4, 124, 5, 1, in this order.
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
files, no modules of your own, no try, no classes but autograd Functions. A script cannot reach the
machine it runs on.

docs/language.md is the reference: every statement, tensors, autograd, what is not in the language and
what to write instead, and every difference from Python with PyTorch.
"""

LIMITS = """\
Limits

    --timeout SECONDS   time for a script                       60   E0505
    --max-steps N       statements run                        none   E0503
    --max-nodes N       nodes of the graph               5,000,000   E0504
    --max-memory SIZE   bytes of one result                  4 GiB   E0502
    --max-depth N       calls in calls, lists in lists     100,000   E0501
    --max-paths N       paths that explain follows          10,000   noted
    --max-script SIZE   bytes of the script                 16 MiB   E0612
    --max-input SIZE    bytes of each file of numbers        1 GiB   E0612

0 removes a limit. SIZE is a number of bytes, or as in 512K, 100M, 2G. A shape is checked before its memory
is allocated. Limits end a script with exit code 5, --timeout with 124. A report notes if it did not follow
every path.

The time begins when the script has been read, so waiting for standard input does not count; of several
scripts each has its own. If it is over while a reason, repairs or derivations are searched for, the answer
is shown without them, and a note says so. Time is limited and not steps, because a step may be an addition
or a product of large matrices. In 60 seconds a loop makes hundreds of millions of additions; a loop without
an end is stopped while somebody still waits, and does not hold up a pipeline for hours.
"""

FORMAT_TEXT = """\
Formats

{rows}
In trees and derivations, h_2 is h after 2 turns of a loop, or after 2 more assignments, and t7 a result whose
formula is long; a key says what they are. Such names are never those of the script. A deep tree stops
indenting: [13] before a node is then the number of levels above it.

Bare numbers are exact: they read back as the same float. What a script prints goes to stdout in `run`. In
all other commands, and in `run --format json`, it goes to stderr. Notes, warnings and errors go to stderr;
-q leaves out notes and warnings.

    --diagnostics text      for people
    --diagnostics json      one JSON object per line: code, severity, message, place, fixes
    --diagnostics github    commands that GitHub Actions turns into annotations

With the last two, what `check` finds wrong is a diagnostic too. `check --format json` of several scripts
writes a document for each, one a line.
The findings of `lint` are its result and go to stdout.
"""

COLOR_TEXT = """\
Colours and characters

Colour is for terminals. The first of these that is given decides, for stdout and stderr apart:

    --color always, never   on, off
    NO_COLOR                off, if it is not empty
    FORCE_COLOR             on, if it is neither empty nor 0
    CLICOLOR_FORCE          on, if it is neither empty nor 0
    a terminal              on, unless TERM is dumb or not set

Without colour there is no escape sequence at all. Colour never says what the text does not say.

AUTODIFF_COLORS is a list of entries with colons between them. dark or light says what background the
terminal has; where nothing does, not even COLORFGBG, only colours are used that are readable on both.
ROLE=STYLE gives a role another style: numbers of "select graphic rendition" with semicolons between them,
nothing for none. FORCE_COLOR=2, or 3, says that there are 256 colours where TERM and COLORTERM do not.

    AUTODIFF_COLORS='dark:name=36:gradient=1;33'

The roles:

{rows}
COLUMNS gives the width, 20 at least; else it is that of the terminal, and 80 in a pipe. Prose is at most 100
wide.

After a second, the last line of a terminal shows what the program is at, how far loops of known length are
and how much time is left. -q turns that off, and it is in no pipe.

Where LC_ALL or LANG is C or POSIX, or PYTHONIOENCODING is ascii, all is ASCII: other characters of a
script are shown as \\u03a9.
"""

VALUES = """\
Values and files of numbers

    --set x=2.5                  a number, a list of numbers: [[1, 2], [3, 4]]
    --set x=pi/4                 an expression of the language, without names of the script
    --set x=@FILE                the numbers in a file; @- is standard input
    --data FILE                  the columns of a table, as values of the names that they have
    --data FILE --columns x,y    the same for a table without a header
    --sigma x=0.1,y=2%           standard deviations for propagate; --cov FILE has covariances
    --sigma x=sx                 those in column sx of --data
    --vector x=1                 a vector for jvp and hvp

Files are .csv, .tsv, .json, .jsonl, .npy, .npz or text; without such a suffix the content decides. With more
libraries, pip install '.[data]', .parquet and .safetensors are read too. A table
has a header if no field of its first line is a number. Separators are commas, semicolons, tabs or, in text,
blanks. Blank lines and lines that begin with # do not count. A missing value counts
as nan: an empty field, NA, N/A, #N/A, null, None or -.

Without a header all numbers are one array. With one, --set x=@FILE takes column x, or the only one. --data
gives columns to the names that the script reads and does not compute; columns that it does not use may hold
anything. Data are inputs if nothing else is, or if --wrt names them. Nothing in a file is executed.
"""

TEXTS = {"exit-codes": EXIT_CODES, "language": LANGUAGE, "limits": LIMITS, "formats": FORMAT_TEXT}
TEXTS |= {"colors": COLOR_TEXT, "values": VALUES}


def find_topic(name: str, width: int) -> str:
    """The help text of a topic, a command or a code."""
    topic = name.lower()
    if not name:
        return folded(overview(), width)
    if topic in TEXTS:
        rows = {"formats": format_rows, "colors": role_rows}
        whole = TEXTS[topic].format(rows=rows[topic]()) if topic in rows else TEXTS[topic]
        return folded(whole, width)
    if topic == "json":
        from autodiff.cli.render.json import schema_text

        return schema_text()
    if topic == "codes":
        titles = "".join(f"{code}  {entry.title}\n" for code, entry in CODES.items())
        return folded(titles + titles_of_lints(), width)
    if name.upper() in CODES:
        from autodiff.cli.commands.help_code import explain_code

        return explain_code(name.upper(), width)
    if topic == "lints" or (topic[:1] == "l" and topic[1:].isdigit()):
        from autodiff.grammar.lint import LINTS

        if topic == "lints":
            return folded(titles_of_lints(), width)
        if name.upper() in LINTS:
            from autodiff.cli.commands.help_code import explain_lint

            return explain_lint(LINTS[name.upper()], width)
    if topic in COMMANDS:
        from autodiff.cli.command_line.click_parser import read_with_click

        text = read_with_click([topic, "--help"], width)
        assert isinstance(text, str)
        return text + "\n"
    raise no_such_topic(name)


def overview() -> str:
    """The topics and the commands; what ``autodiff help`` alone prints."""
    topics = "".join(f"    {name:<10}  {says}\n" for name, says in TOPICS.items())
    commands = "".join(f"    {name:<10}  {command.help}\n" for name, command in COMMANDS.items())
    return (
        f"`autodiff help TOPIC` prints one of these\n\n{topics}"
        "    E0401       a code, with its cause, its remedy and an example; so for every code\n"
        "    run         a command with its options; so for every command\n\n"
        f"Commands\n\n{commands}"
    )


ENTRY = re.compile(r"( *\S+(?: \S+)*  +)\S")  # a term, a gap, and its explanation
DEEP = " " * 12  # lines indented this far continue the line above


def folded(text: str, width: int) -> str:
    """The text folded to this width: paragraphs are filled, list entries get a hanging indent."""
    lines: list[str] = []
    for line in text.split("\n"):
        is_text = line and lines and lines[-1] and not ENTRY.match(line)
        if is_text and line.startswith(DEEP) and ENTRY.match(lines[-1]):
            lines[-1] += " " + line.strip()
        elif is_text and line[0] != " " and lines[-1][0] != " " and not ENTRY.match(lines[-1]):
            lines[-1] += " " + line
        else:
            lines.append(line)
    return "\n".join(piece for line in lines for piece in fold_line(line, min(width, WIDEST_PROSE)))


def fold_line(line: str, width: int) -> list[str]:
    entry = ENTRY.match(line)
    if entry is None:
        return fold(line, width) if line[:1] != " " else [line]
    indent = entry.end() - 1
    first, *rest = fold(line[indent:], width, indent, indent)
    return [line[:indent] + first, *rest]


def format_rows() -> str:
    """The lines of the formats; what only one command has begins with the command."""
    rows, longest = [], max(len(form.name) for form in FORMATS)
    for form in FORMATS:
        where = f"of `{form.commands[0]}`: " if len(form.commands) == 1 else ""
        rows.append(f"    --format {form.name:<{longest}}   {where}{form.help}\n")
    return "".join(rows)


def role_rows() -> str:
    return "".join(f"    {role:<10}  {what}\n" for role, (what, *_) in ROLES.items())


def titles_of_lints() -> str:
    from autodiff.grammar.lint import LINTS

    return "".join(f"{code}   {lint.title}\n" for code, lint in sorted(LINTS.items()))


def no_such_topic(name: str) -> UsageError:
    from autodiff.core.base.did_you_mean import closest_name
    from autodiff.grammar.reference.catalog import find_functions

    if find_functions(name):
        help = (f"`autodiff ops {name}` shows the function",)
        return UsageError(f"there is no help on `{name}`", code="E0615", help=help)
    near = closest_name(name, [*TOPICS, *COMMANDS, *CODES])
    proposal = f"did you mean `{near}`?" if near else "`autodiff help` lists the topics and codes"
    return UsageError(f"there is no help on `{name}`", code="E0615", help=(proposal,))
