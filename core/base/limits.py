"""Resource limits of a script. The command line sets them; the engine checks them before it allocates."""

from __future__ import annotations

from autodiff.core.base.errors import LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class Limits:
    """The limits, as counts and bytes; 0 means no limit.

    ``steps`` limits executed statements, ``nodes`` recorded nodes, ``memory`` the bytes of one result,
    ``depth`` nested calls, ``paths`` followed paths. ``digits`` is the number of significant digits in
    formulas.
    """

    __slots__ = ("depth", "digits", "memory", "nodes", "paths", "steps")

    def __init__(self) -> None:
        self.steps = 0
        self.nodes = 5_000_000
        self.memory = 4 << 30
        self.depth = 100_000
        self.paths = 10_000
        self.digits = 6


limits = Limits()
#: The size in bytes from which an array is worth more than one thread: a 128 x 128 float64 matrix.
LARGE_ARRAY_BYTES = 1 << 17
#: Functions called once, before the first array of that size is allocated.
large_array_callbacks: list[Callable[[], None]] = []
#: Functions called once when memory is exhausted, before the error is reported.
out_of_memory_callbacks: list[Callable[[], None]] = []
#: Functions called when a script has failed, before its repairs are tried: they have a time of their own.
repair_callbacks: list[Callable[[], None]] = []
#: The process may use this many times the memory limit of one result, plus this much for the program itself.
PROCESS_FACTOR, PROCESS_BASE_BYTES = 4, 1 << 30
PAGE_BYTES = 4096


def check_allocation(shape: tuple[int, ...], itemsize: int = 8) -> None:
    """Raise LimitError if a result of this shape exceeds the memory limit, before numpy allocates it.

    >>> check_allocation((1_000_000, 1_000))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    autodiff.core.base.errors.LimitError: a result of shape (1000000, 1000) needs 7.45 GiB, the limit is ...
    """
    size = itemsize
    for n in shape:
        size *= n
    if size >= LARGE_ARRAY_BYTES:
        call_and_clear(large_array_callbacks)
    if limits.memory and size > limits.memory:
        raise LimitError(
            f"a result of shape {shape} needs {format_bytes(size)}, the limit is"
            f" {format_bytes(limits.memory)}",
            code="E0502",
            help=("use smaller shapes, or raise the limit with --max-memory",),
        )


def call_and_clear(waiting: list[Callable[[], None]]) -> None:
    while waiting:
        waiting.pop()()


def check_process_memory() -> None:
    """Raise LimitError if the whole process uses far more memory than the limit of one result."""
    try:
        with open("/proc/self/statm", "rb", buffering=0) as file:
            pages = int(file.read().split()[1])
    except OSError:
        return  # not Linux: only the limit on the process applies
    if pages * PAGE_BYTES > PROCESS_FACTOR * limits.memory + PROCESS_BASE_BYTES:
        raise LimitError(
            f"the script holds {format_bytes(pages * PAGE_BYTES)}, which is more than"
            f" {PROCESS_FACTOR} times the limit of"
            f" {format_bytes(limits.memory)}",
            code="E0502",
            help=("keep less in lists and graphs, or raise the limit with --max-memory",),
        )


def format_bytes(size: float) -> str:
    """Return a byte count as text with a binary unit."""
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.2f} {unit}"
        size /= 1024
    return f"{size:.2f} TiB"
