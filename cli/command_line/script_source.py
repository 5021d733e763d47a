"""Reads the script: a file, standard input, code given with -e, or a file followed by such code.

Input is limited in size, and errors say precisely why it cannot be read. The result is a Script with a Source
and the original bytes, which reports identify by their hash.
"""

from __future__ import annotations

import errno
import os
import sys

from autodiff.cli.command_line.fast_parser import Request
from autodiff.cli.process.streams import visible
from autodiff.cli.process.supervisor import clock
from autodiff.core.base.errors import UsageError
from autodiff.core.base.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import BinaryIO

STDIN = "-"
STDIN_NAME = "<stdin>"
CODE_NAME = "<-e>"
OF_NAME = "<--of>"
LONGEST_NAME = 300  # the most characters of a name in a message
REASONS = {
    errno.ENOENT: "there is no such file",
    errno.EISDIR: "it is a directory",
    errno.EACCES: "permission denied",
    errno.EPERM: "permission denied",
    errno.ELOOP: "its symbolic links lead in a circle",
    errno.ENAMETOOLONG: "its name is too long",
    errno.ENOTDIR: "a part of its path is not a directory",
}


class Script:
    """A script as given: its Source, the original bytes, and the path of the file, if any."""

    __slots__ = ("data", "path", "source")

    def __init__(self, source: Source, data: bytes, path: str | None) -> None:
        self.source = source
        self.data = data
        self.path = path


class NoScript(UsageError):
    """Raised where no script is given and standard input is a terminal; the command's help is shown."""

    code = "E0610"


def read_script(request: Request) -> Script:
    """Read the script of a request, and start the time that it has."""
    codes, where, limit = request.texts("e"), request.argument, request.number("max_script")
    pieces: list[bytes] = []
    if where and where != STDIN:
        pieces.append(read_file(where, limit))
        name = where
    elif where or not codes:
        if not where and is_nobody_piping():
            raise NoScript(
                "there is no script to run",
                help=("give a file, `-` to read standard input, or -e 'CODE'",),
            )
        pieces.append(read_stdin(limit))
        if not where and not pieces[0].strip():
            raise UsageError(
                "there is no script to run: none is named, and standard input is empty",
                code="E0610",
                help=("give a file, or -e 'CODE'",),
            )
        name = STDIN_NAME
    else:
        name = CODE_NAME
    if codes and pieces:
        name += " + " + CODE_NAME
    texts = [decode(piece, name) for piece in pieces] + list(map(unsmuggle, codes))
    of = request.text("of")
    if of is not None and not of.isidentifier():
        check_expression(of)
        texts.append(of)
        name += " + " + OF_NAME
    text = "\n".join(part.removesuffix("\n") for part in texts) + "\n"
    data = pieces[0] if pieces and not codes else text.encode("utf-8", "surrogatepass")
    clock.start(request.seconds("timeout"))
    return Script(Source(text, name), data, where if where not in ("", STDIN) else None)


def with_output(script: Script, of: str) -> Script:
    """The script with an expression as its last line, as ``--of`` adds it."""
    check_expression(of)
    text = script.source.text.removesuffix("\n") + f"\n{of}\n"
    return Script(Source(text, f"{script.source.name} + {OF_NAME}"), script.data, script.path)


def check_expression(of: str) -> None:
    """Raise UsageError if ``--of`` is no expression; it becomes the last line of the script."""
    from autodiff.core.base.errors import CompileError
    from autodiff.grammar.syntax.parser import parse_expression

    try:
        parse_expression(Source(unsmuggle(of, OF_NAME), OF_NAME))
    except CompileError as error:
        raise UsageError(
            f"--of {of}: {error.message}",
            code="E0610",
            help=("name a variable, or write an expression of the script's names, as in --of 'v[0]'",),
        ) from None


def is_nobody_piping() -> bool:
    """Whether standard input is a terminal or closed."""
    return sys.stdin is None or sys.stdin.isatty()


def read_file(path: str, limit: int, flag: str = "--max-script") -> bytes:
    """The content of a file; ``flag`` is the option that sets the limit of its size."""
    try:
        with open(path, "rb", buffering=0) as file:
            return read_bounded(file, path, limit, flag)
    except OSError as error:
        reason = REASONS.get(error.errno or 0) or (error.strerror or "unknown error").lower()
        raise unreadable(path, reason, *proposals(path, error.errno)) from None
    except ValueError:  # the path contains a NUL
        raise unreadable(path, "this cannot be the name of a file") from None


def proposals(path: str, number: int | None) -> tuple[str, ...]:
    """Help texts for a file that cannot be opened, such as the closest file name."""
    if number == errno.ENOENT:
        from autodiff.core.base.did_you_mean import closest_name

        folder, name = os.path.split(path)
        try:
            near = closest_name(name, os.listdir(folder or "."))
        except OSError:
            near = None
        if near:
            return (f"did you mean `{os.path.join(folder, near)}`?",)
        return (
            "check its name and folder; `-` reads standard input, -e 'CODE' takes code from the command line",
        )
    if number == errno.EISDIR:
        return ("name one file in it",)
    return ()


def reads_stdin(request: Request) -> bool:
    """Whether the script is read from standard input."""
    return request.argument == STDIN or not (request.argument or request.texts("e"))


def read_stdin(limit: int, flag: str = "--max-script") -> bytes:
    if sys.stdin is None:
        raise unreadable(STDIN_NAME, "it is closed")
    try:
        return read_bounded(sys.stdin.buffer, STDIN_NAME, limit, flag)
    except OSError as error:
        reason = REASONS.get(error.errno or 0) or (error.strerror or "unknown error").lower()
        raise unreadable(STDIN_NAME, reason) from None


def read_bounded(file: BinaryIO, name: str, limit: int, flag: str) -> bytes:
    """The content of a file. Raises an error if it is larger than the limit (0: no limit)."""
    pieces: list[bytes] = []
    size = 0
    while piece := file.read(1 << 20):
        pieces.append(piece)
        size += len(piece)
        if limit and size > limit:
            raise unreadable(
                name,
                f"it has more than {limit:,} bytes",
                f"raise the limit with {flag}, as in {flag} {'64M' if limit < 64 << 20 else '8G'}",
                code="E0612",
            )
    return b"".join(pieces)


def decode(data: bytes, name: str) -> str:
    """Decode a text from UTF-8, with or without a byte order mark, and unify its line ends."""
    if looks_like_utf16(data):
        raise unreadable(name, "it looks like UTF-16", "save it as UTF-8", code="E0613")
    at = data.find(b"\0")
    if at >= 0:
        raise unreadable(name, f"there is a NUL byte at offset {at}", "it has to be plain text", code="E0613")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        offset = error.start
        line = data.count(b"\n", 0, offset) + 1
        raise unreadable(
            name,
            f"it is not UTF-8: byte 0x{data[offset]:02x} at offset {offset}, in line {line}",
            "save it as UTF-8",
            code="E0613",
        ) from None
    return unify_lines(text.removeprefix("\ufeff"))


def looks_like_utf16(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    start = data[:64]
    even, odd = start[::2], start[1::2]
    # ASCII characters in UTF-16 have a zero in every other byte, and only there.
    return len(start) >= 4 and ((not any(even) and all(odd)) or (not any(odd) and all(even)))


def unify_lines(text: str) -> str:
    """Replace all line ends by newlines, as Python does, so that line and column numbers agree everywhere."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def unsmuggle(code: str, name: str = CODE_NAME) -> str:
    """Check and normalize code from the command line; bytes that are not UTF-8 arrive as lone surrogates."""
    try:
        code.encode("utf-8")
    except UnicodeEncodeError:
        raise unreadable(name, "it is not UTF-8", code="E0613") from None
    return unify_lines(code)


def unreadable(name: str, reason: str, *help: str, code: str = "E0611") -> UsageError:
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME // 2] + "..." + name[-LONGEST_NAME // 2 :]
    return UsageError(f"cannot read {visible(name)}: {reason}", code=code, help=help)
