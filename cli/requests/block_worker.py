"""``python -m autodiff.cli.requests.block_worker`` is a worker process of ``--jobs``: it answers blocks.

Standard input has the text of the job, then the blocks; standard output gets the answers. The process ends as
soon as its standard input does, also in the middle of a block: nobody waits for the answer then.
"""

from __future__ import annotations

import os
import sys
import threading
from queue import SimpleQueue

from autodiff.cli.process import numpy_setup
from autodiff.cli.process.exit_codes import OK, TIMEOUT
from autodiff.cli.process.supervisor import clock, set_wall, settle_signals, supervise
from autodiff.cli.process.workers import SMALL_STACK, read_sized, write_sized
from autodiff.cli.requests.block_jobs import answer_bytes, read_job
from autodiff.cli.requests.make_report import import_numpy
from autodiff.core.base.lazy_imports import numpy_preparations
from autodiff.core.base.limits import large_array_callbacks, limits

tasks: SimpleQueue[bytes] = SimpleQueue()


def read_tasks() -> None:
    """Read what there is to do until standard input ends, and end the process then."""
    while (task := read_sized(sys.stdin.buffer)) is not None:
        tasks.put(task)
    os._exit(OK)


def work() -> int:
    """Answer blocks for ever."""
    text = tasks.get().decode("utf-8", "surrogatepass")
    read_job(text)
    set_wall(limits.memory)
    seconds = float(sys.argv[1])
    while True:
        block = tasks.get()
        clock.start(seconds)
        answer = answer_bytes(text, block)
        clock.start(0)
        write_sized(sys.stdout.buffer, answer)


def main() -> None:
    settle_signals()
    numpy_preparations.append(numpy_setup.prepare)
    large_array_callbacks.append(import_numpy)
    threading.stack_size(SMALL_STACK)
    threading.Thread(target=read_tasks, daemon=True).start()
    supervise(work, lambda: TIMEOUT)


if __name__ == "__main__":
    main()
