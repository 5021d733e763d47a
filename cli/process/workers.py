"""Worker processes that turn bytes into bytes, and the order in which their answers are taken.

Each process gets one text at its start, then tasks over its standard input, and answers over its standard
output; before each stands its size. A task whose process ends before the answer is given to a new one.
"""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from queue import LifoQueue, Queue
from typing import IO, TypeVar

SIZE_BYTES = 8
SMALL_STACK = 1 << 20  # bytes; the thread of the work has hundreds of times as many
MOST_DEATHS = 3  # processes that may end over one task

Task = TypeVar("Task")


class WorkerDied(Exception):
    """Raised when processes ended before the answer to a task; the argument is the last one's exit code."""


def in_order(
    tasks: Iterable[Task], submit: Callable[[Task], Future[bytes]], most_ahead: int
) -> Iterator[tuple[Task, bytes]]:
    """Yield each task with the result of the future that ``submit`` gives for it, in order.

    At most so many tasks are read ahead, on a thread of its own: reading may have to wait for more of them
    while there are results.
    """
    window: Queue[tuple[Task, Future[bytes]] | BaseException | None] = Queue(most_ahead)

    def read() -> None:
        try:
            for task in tasks:
                window.put((task, submit(task)))
            window.put(None)
        except BaseException as error:  # it is raised where the answers are taken
            window.put(error)

    threading.stack_size(SMALL_STACK)
    threading.Thread(target=read, daemon=True).start()
    while (taken := window.get()) is not None:
        if isinstance(taken, BaseException):
            raise taken
        task, future = taken
        yield task, future.result()


class Workers:
    """``count`` processes that run a module, the first of ``arguments``, and get the ``text``.

    ``report`` gets a sentence about each process that ended before its answer.
    """

    def __init__(self, arguments: list[str], text: str, count: int, report: Callable[[str], None]) -> None:
        self.command = [sys.executable, "-P", "-m", *arguments]
        self.text = text.encode("utf-8", "surrogatepass")
        self.report = report
        self.idle: LifoQueue[Worker | None] = LifoQueue()  # what has started is taken first
        for _ in range(count):
            self.idle.put(None)  # it is started with its first task
        threading.stack_size(SMALL_STACK)
        self.threads = ThreadPoolExecutor(count, initializer=hold_broken_pipes)

    def submit(self, task: bytes) -> Future[bytes]:
        return self.threads.submit(self.answer, task)

    def answer(self, task: bytes) -> bytes:
        """The answer of the next process that is idle. Raises WorkerDied if every process ends over it."""
        worker = self.idle.get()
        try:
            for attempt in range(1, MOST_DEATHS + 1):
                worker = worker or Worker(self.command, self.text)
                try:
                    return worker.answer(task)
                except EOFError as death:
                    code, worker = worker.end(), None
                    if attempt == MOST_DEATHS or code >= 0:  # it ended itself
                        raise WorkerDied(code) from None
                    self.report(f"process {death.args[0]} ended {how_ended(code)}; its rows are done again")
            raise AssertionError("unreachable")
        finally:
            self.idle.put(worker)

    def close(self) -> None:
        """Let the processes that are idle end; the others end with this process."""
        while not self.idle.empty():
            worker = self.idle.get()
            if worker is not None:
                worker.end()


def hold_broken_pipes() -> None:
    """Let a write of this thread to a process that has ended fail, where SIGPIPE would end the program."""
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])


class Worker:
    """One process."""

    __slots__ = ("process",)

    def __init__(self, command: list[str], text: bytes) -> None:
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        with suppress(OSError):  # it has ended: the first answer says so
            write_sized(self.stream("stdin"), text)

    def stream(self, name: str) -> IO[bytes]:
        found: IO[bytes] = getattr(self.process, name)
        return found

    def answer(self, task: bytes) -> bytes:
        """The answer to a task. Raises EOFError, with the number of the process, if it ends before."""
        try:
            write_sized(self.stream("stdin"), task)
            answer = read_sized(self.stream("stdout"))
        except OSError:
            answer = None
        if answer is None:
            self.process.wait()
            raise EOFError(self.process.pid)
        return answer

    def end(self) -> int:
        """End the process if it has not ended. Return its exit code."""
        self.process.kill()
        return self.process.wait()


def how_ended(code: int) -> str:
    """An exit code in words; a negative one is that of a signal."""
    return f"by signal {-code}" if code < 0 else f"with exit code {code}"


def write_sized(stream: IO[bytes], data: bytes) -> None:
    """Write bytes with their number before them."""
    stream.write(len(data).to_bytes(SIZE_BYTES, "little"))
    stream.write(data)
    stream.flush()


def read_sized(stream: IO[bytes]) -> bytes | None:
    """The bytes that ``write_sized`` wrote; None where the stream ends before."""
    size = int.from_bytes(stream.read(SIZE_BYTES), "little")
    data = stream.read(size)
    return data if size and len(data) == size else None
