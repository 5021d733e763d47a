"""The two output streams: their color, width and encoding.

Text is written in large pieces and every write is checked. ``visible`` is the only sanitizer: all text that
comes from a user passes through it before a terminal shows it.
"""

from __future__ import annotations

import os
import stat
import sys
from threading import Lock

from autodiff.cli.process.exit_codes import OutputError
from autodiff.cli.process.supervisor import request_chore

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

CHUNK = 1 << 16
DIRECT_WRITES = 50  # so many printed texts are written at once, before many of them are written together
SAFE_WRITE = 4096  # POSIX: a pipe that is ready takes at least so many bytes without blocking
DEFAULT_WIDTH, DEFAULT_HEIGHT = 80, 24
LOWEST = 10
NARROWEST, WIDEST = 20, 1000
MOST_MARKS = 4  # combining marks per character; more would overwrite neighbouring lines
BOX = "├─└│"
#: What stands for each character of the program's own texts where only ASCII can be shown: for those of
#: layouts, and for those in the formulas of the function reference.
SUBSTITUTES = str.maketrans(
    {
        **{"├": "|", "─": "-", "└": "`", "│": "|"},
        **{"·": "*", "≤": "<=", "≥": ">=", "≠": "!=", "√": "sqrt", "½": "1/2 ", "Σ": "sum"},
        **{"ᵀ": "^T", "⁻": "^-", "¹": "1", "²": "^2", "ᵢ": "_i", "ⱼ": "_j", "ₖ": "_k"},
        **{"π": "pi", "λ": "lambda", "Φ": "Phi"},
    }
)


class Charset:
    """The characters that the output shows; ``name`` is that of an encoding. ``charset`` is the only one."""

    __slots__ = ("name",)

    def __init__(self) -> None:
        self.name = "utf-8"

    def has(self, text: str) -> bool:
        return self.name == "utf-8" or can_encode(text, self.name)


charset = Charset()


def visible(text: str) -> str:
    r"""The text with every character that could control a terminal or deceive a reader replaced by an escape.

    So is a character that the output cannot show, so that a layout has the right widths.

    >>> print(visible("a\x1b[2Jb\u202ec"))
    a\x1b[2Jb\u202ec
    """
    return harmless(text, charset)


def harmless(text: str, shown_in: Charset | None = None) -> str:
    """Like ``visible``, but the same in every locale where no characters are given: for data that is read."""
    if text.isascii() and text.isprintable():
        return text
    import unicodedata

    shown: list[str] = []
    marks = 0
    for character in text:
        marks = marks + 1 if unicodedata.category(character) in ("Mn", "Me") else 0
        is_known = shown_in is None or shown_in.has(character)
        if character.isprintable() and marks <= MOST_MARKS and is_known:
            shown.append(character)
        else:
            shown.append(escape(ord(character)))
    return "".join(shown)


def escape(code: int) -> str:
    if (
        0xDC80 <= code <= 0xDCFF
    ):  # a byte of a file name that is not UTF-8, which Python decodes as a lone surrogate
        code -= 0xDC00
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def own(text: str) -> str:
    """A text of the program itself, with a substitute for each character that the output cannot show.

    A user's text has escapes instead, which say exactly what stands there: ``visible``.
    """
    return text if charset.has(text) else text.translate(SUBSTITUTES)


def visible_lines(text: str) -> str:
    """Like ``visible``, for text of several lines: line ends and tabs are kept."""
    lines = text.split("\n")
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines)


def cells(text: str) -> int:
    """The number of terminal columns that a visible text takes.

    Marks that combine with a letter take none, as the vowels and finals in the syllables of old Hangul.
    """
    if text.isascii():
        return len(text)
    import unicodedata

    taken = 0
    for character in text:
        if unicodedata.category(character) not in ("Mn", "Me") and not "\u1160" <= character <= "\u11ff":
            taken += 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1
    return taken


def fitting(text: str, columns: int) -> int:
    """The number of characters at the start of a visible text that take at most so many columns.

    >>> fitting("abc", 2), fitting("日本語", 5)
    (2, 2)
    """
    if text.isascii():
        return min(len(text), columns)
    taken = 0
    for at, character in enumerate(text):
        taken += cells(character)
        if taken > columns:
            return at
    return len(text)


def wants_color(choice: str, environ: Mapping[str, str], is_terminal: bool) -> bool:
    """Whether a stream gets colour; the first setting present decides."""
    if choice != "auto":
        return choice == "always"
    if environ.get("NO_COLOR"):
        return False
    for name in ("FORCE_COLOR", "CLICOLOR_FORCE"):
        if environ.get(name, "0") not in ("", "0"):
            return True
    return is_terminal and environ.get("TERM", "dumb") not in ("", "dumb")


def find_width(environ: Mapping[str, str], fd: int | None, is_terminal: bool) -> int:
    """The width that COLUMNS or the terminal gives; 0 if there is none."""
    width = 0
    columns = environ.get("COLUMNS", "").strip()
    if columns.isascii() and columns.isdigit():
        width = int(columns[:9])
    if not width and is_terminal and fd is not None:
        try:
            width = os.get_terminal_size(fd).columns
        except OSError:
            width = 0
    return min(max(width, NARROWEST), WIDEST) if width else 0


def is_c_locale(environ: Mapping[str, str]) -> bool:
    """Whether the user asked for the C locale by ``LC_ALL`` or ``LANG``.

    Python encodes as UTF-8 then too (PEP 540), and has set LC_CTYPE where LANG is C (PEP 538).
    """
    if environ.get("PYTHONIOENCODING") or environ.get("PYTHONUTF8") == "1":
        return False
    wanted = environ.get("LC_ALL")
    if not wanted and environ.get("LC_CTYPE", "") in ("", "C.UTF-8", "C.utf8", "UTF-8"):
        wanted = environ.get("LANG")
    return wanted in ("C", "POSIX")


class StatusLine:
    """A line below everything else on the terminal; it leaves before something is written there.

    It is erased by blanks, so that there is no escape sequence. ``status_line`` is the only one.
    """

    __slots__ = ("at_line_start", "fd", "lock", "size")

    def __init__(self) -> None:
        self.lock = Lock()  # held while something is written to a terminal
        self.fd: int | None = None
        self.size = 0
        self.at_line_start = True

    def draw(self, fd: int, text: str, encoding: str) -> None:
        """Show this text in place of the last; nothing below a line that has not ended."""
        if not self.lock.acquire(blocking=False):
            return  # the other thread is writing
        try:
            is_shown = text and self.at_line_start and is_in_foreground(fd)
            data = text.encode(encoding, "backslashreplace") if is_shown else b""
            blank = self._blank()
            if blank or data:
                os.write(fd, blank + data)  # one write, so that the terminal shows no moment without it
            self.fd, self.size = fd, cells(data.decode(encoding))
        except OSError:
            pass  # the terminal is gone: whoever writes the result says so
        finally:
            self.lock.release()

    def erase(self) -> None:
        """Erase the text. The caller holds ``lock``."""
        if self.fd is not None and (blank := self._blank()):
            self.size = 0
            os.write(self.fd, blank)

    def _blank(self) -> bytes:
        return b"\r" + b" " * self.size + b"\r" if self.size else b""


status_line = StatusLine()


def is_in_foreground(fd: int) -> bool:
    """Whether this process may use the terminal, and not another to which its shell has given it."""
    try:
        return os.tcgetpgrp(fd) == os.getpgrp()
    except OSError:
        return True  # not the terminal that controls this process


def find_height(environ: Mapping[str, str], fd: int | None, is_terminal: bool) -> int:
    """The lines of a screen: LINES if valid, else the terminal's, else the default; 0 without a terminal."""
    if not is_terminal or fd is None:
        return 0
    lines = environ.get("LINES", "").strip()
    height = int(lines[:9]) if lines.isascii() and lines.isdigit() else 0
    if not height:
        try:
            height = os.get_terminal_size(fd).lines
        except OSError:
            height = 0
    return max(height, LOWEST) if height else DEFAULT_HEIGHT


class Stream:
    """One output stream. ``fd`` is None if the stream was already closed when the program started.

    ``is_chore`` says that the main thread writes what is buffered, every tenth of a second and before a
    signal ends the process (``chores.py``). Until then everything that a script prints is written at once.
    ``printed`` is the number of lines of a terminal that this takes, counted up to a screen.
    """

    __slots__ = (
        *("_direct_writes", "_lock", "_parts", "_size", "box", "charset", "color", "encoding", "fd"),
        *("height", "is_chore", "is_terminal", "is_width_given", "name", "printed", "width"),
    )

    def __init__(
        self, file: TextIO | None, name: str, color: str = "auto", environ: Mapping[str, str] | None = None
    ) -> None:
        environ = os.environ if environ is None else environ
        self.name = name
        self.fd = file.fileno() if file is not None else None
        self.encoding = (file.encoding if file is not None else None) or "utf-8"
        self.is_terminal = self.fd is not None and os.isatty(self.fd)
        self.color = wants_color(color, environ, self.is_terminal)
        width = find_width(environ, self.fd, self.is_terminal)
        self.is_width_given, self.width = bool(width), width or DEFAULT_WIDTH
        self.charset = "ascii" if is_c_locale(environ) else self.encoding
        self.height = find_height(environ, self.fd, self.is_terminal)
        # Always ASCII in a pipe, so that a script gives the same bytes in every locale.
        self.box = self.is_terminal and can_encode(BOX, self.charset)
        self.is_chore = False
        self.printed = 0
        self._direct_writes = 0
        self._lock = Lock()  # held while text is written, so that two threads do not change its order
        self._parts: list[bytes] = []
        self._size = 0

    @property
    def is_pipe(self) -> bool:
        return self.fd is not None and stat.S_ISFIFO(os.fstat(self.fd).st_mode)

    def write(self, text: str) -> None:
        """Buffer text; it is written when the buffer is full, or at ``flush``."""
        data = text.encode(self.encoding, "backslashreplace")
        self._parts.append(data)
        self._size += len(data)
        if self._size >= CHUNK:
            self.flush()

    @property
    def lines_waiting(self) -> int:
        """The number of lines that are buffered."""
        return sum(part.count(b"\n") for part in self._parts)

    def write_bytes(self, data: bytes) -> None:
        """Write what is no text."""
        self._parts.append(data)

    def finish(self) -> None:
        """Write what is buffered, after the last text."""
        self.flush()

    def write_printed(self, text: str) -> None:
        """Write what a script printed: unchanged to a pipe, sanitized to a terminal.

        It is written at once; of many texts for a pipe, at most a tenth of a second later.
        """
        if self.is_terminal:
            shown = visible_lines(text)
            if self.printed <= self.height:
                self.printed += sum((cells(line) - 1) // self.width for line in shown.split("\n") if line)
                self.printed += shown.count("\n")
            self.write(shown)
            self.flush()
            return
        self.write(text)
        if not self.is_chore:  # asked after the text is in the buffer, which nobody might look at again
            self.flush()
            self._direct_writes += 1
            if self._direct_writes == DIRECT_WRITES:
                self._direct_writes = 0
                request_chore(self)

    def flush(self) -> None:
        """Write the buffered text, or raise OutputError."""
        with self._lock:
            data = self._take()
            if data and self.is_terminal:
                with status_line.lock:
                    status_line.erase()
                    self._write_out(data)
                    status_line.at_line_start = data.endswith(b"\n")
            elif data:
                self._write_out(data)

    def _take(self) -> bytes:
        """Empty the buffer. The other thread may append meanwhile, so only the parts that were read go."""
        count = len(self._parts)
        data = b"".join(self._parts[:count])
        del self._parts[:count]
        self._size = 0
        return data

    # -- as a chore, on the main thread ------------------------------------------------

    def begin(self) -> None:
        """From now on, leave what is printed in the buffer."""
        self.is_chore = True

    def run_once(self) -> bool:
        """Write what is buffered. Return False if there was nothing: the script prints no more for now."""
        if self._parts:
            self.write_some(0)
        else:
            self.is_chore = False
            self.is_chore = bool(self._parts)  # the other thread may just have left something there
        return self.is_chore

    def end(self) -> None:
        """From now on, write what is printed at once."""
        self.is_chore = False

    def write_some(self, seconds: float) -> None:
        """Write as much of the buffer as its reader takes in this time, without ever blocking or failing.

        What fails stays in the buffer: the next ``flush`` meets the same error.
        """
        import select
        from time import monotonic

        until = monotonic() + seconds
        if self.fd is None or not self._lock.acquire(timeout=seconds):
            return  # the other thread is writing
        data = memoryview(self._take())
        try:
            while data and select.select([], [self.fd], [], max(until - monotonic(), 0))[1]:
                data = data[os.write(self.fd, data[:SAFE_WRITE]) :]
        except OSError:
            pass
        finally:
            if data:
                self._parts.insert(0, bytes(data))
            self._lock.release()

    def _write_out(self, data: bytes) -> None:
        if self.fd is None:
            raise OutputError(f"cannot write to {self.name}: it is closed")
        rest = memoryview(data)
        is_pipe = self.is_pipe
        while rest:
            try:
                rest = rest[os.write(self.fd, rest[: whole_lines(rest)] if is_pipe else rest) :]
            except BlockingIOError:
                import select  # another process sharing the pipe made it non-blocking

                select.select([], [self.fd], [])
            except OSError as error:
                reason = (error.strerror or "unknown error").lower()
                raise OutputError(f"cannot write to {self.name}: {reason}") from None

    def drop(self) -> None:
        """Discard the buffered text."""
        self._take()


def whole_lines(data: memoryview) -> int:
    """The size of the lines at the start of the data that a pipe takes as a whole or not at all.

    So a process that is ended while it writes leaves whole lines; only longer ones may be cut.
    """
    return bytes(data[:SAFE_WRITE]).rfind(b"\n") + 1 or SAFE_WRITE


def can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeError, LookupError):
        return False
    return True


def standard_output(color: str) -> Stream:
    return Stream(sys.stdout, "standard output", color)


def standard_error(color: str) -> Stream:
    return Stream(sys.stderr, "standard error", color)
