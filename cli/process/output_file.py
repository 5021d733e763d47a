"""The file of ``-o``: it is whole or as it was, whatever happens while it is made.

A failure leaves it as it was, unless a JSON document tells of it. The content goes to a temporary file beside
it, which takes its place when everything is written. What is no regular file, such as a FIFO or
``/dev/stdout``, is written to directly.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress

from autodiff.cli.process.exit_codes import OutputError
from autodiff.cli.process.streams import Stream, visible

PREFIX = ".autodiff-"


class OutputFile(Stream):
    """A file in place of standard output. Nothing is written before ``finish``."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        super().__init__(None, visible(path), "never")
        self.path = path

    def flush(self) -> None:
        """Keep the text: a file is written at once, at the end."""

    def finish(self) -> None:
        """Write the file, or raise OutputError and leave it as it was."""
        data = b"".join(self._parts)
        self.drop()
        try:
            try:
                mode: int | None = os.stat(self.path).st_mode
            except FileNotFoundError:
                mode = None
            if mode is not None and not stat.S_ISREG(mode):
                with open(self.path, "wb", buffering=0) as file:
                    write_all(file.fileno(), data)
            else:
                replace(os.path.realpath(self.path), data, mode)  # a link stays, what it leads to is replaced
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "this cannot be the name of a file"
            reason = (reason or "unknown error").lower()
            raise OutputError(f"cannot write to {self.name}: {reason}") from None


def replace(target: str, data: bytes, mode: int | None) -> None:
    """Put a new file in the place of ``target``, with the permissions ``mode`` of the old one if any."""
    from tempfile import mkstemp

    folder = os.path.dirname(target)
    remove_leftovers(folder)
    number, temporary = mkstemp(prefix=f"{PREFIX}{os.getpid()}-", dir=folder)
    try:
        try:
            write_all(number, data)
            os.fsync(number)
            if hasattr(os, "fchmod"):
                os.fchmod(number, stat.S_IMODE(mode) if mode is not None else 0o666 & ~umask())
        finally:
            os.close(number)
        os.replace(temporary, target)
    except BaseException:
        os.unlink(temporary)
        raise
    if os.name == "posix":
        at = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(at)
        finally:
            os.close(at)


def write_all(number: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(number, rest) :]


def umask() -> int:
    """The process's mask of permissions, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def remove_leftovers(folder: str) -> None:
    """Remove the temporary files of processes that were killed while they wrote."""
    for name in os.listdir(folder):
        process = name.removeprefix(PREFIX).partition("-")[0]
        if name.startswith(PREFIX) and process.isdigit() and not is_running(int(process)):
            with suppress(OSError):  # another run may have removed it, or it is somebody else's
                os.unlink(os.path.join(folder, name))


def is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
