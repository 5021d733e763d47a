"""Where blocks are answered: here, in several processes, on a cluster. Answers and order are the same."""

from __future__ import annotations

from autodiff.cli.process.exit_codes import TIMEOUT, TimeOutError
from autodiff.cli.process.supervisor import clock
from autodiff.core.base.errors import LimitError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from autodiff.cli.data_files.row_readers import Block
    from autodiff.cli.requests.block_jobs import Job
    from autodiff.cli.requests.session import Session

WORKER = "autodiff.cli.requests.block_worker"


def answers_of(session: Session, job: Job, blocks: Iterable[Block]) -> Iterator[tuple[Block, Any]]:
    """Yield each block with its answer, in order."""
    if session.request.text("cluster") is not None:
        from autodiff.cli.requests.cluster import answers_of_cluster

        yield from answers_of_cluster(session, job, blocks)
        return
    if session.request.number("jobs") > 1:
        yield from answers_of_processes(session, job, blocks)
        return
    seconds = session.request.seconds("timeout")
    for block in blocks:
        clock.start(seconds)  # for each: a live stream may last for days
        yield block, job.answer(block)


def answers_of_processes(session: Session, job: Job, blocks: Iterable[Block]) -> Iterator[tuple[Block, Any]]:
    """Yield each block with its answer from one of ``--jobs`` processes, in order."""
    from autodiff.cli.process.workers import WorkerDied, Workers, in_order
    from autodiff.cli.requests.block_jobs import block_bytes, read_answer

    count, seconds = session.request.number("jobs"), session.request.seconds("timeout")
    clock.start(0)  # each process has a clock of its own
    workers = Workers([WORKER, f"{seconds:g}"], job.text(), count, lambda text: session.note(text, "warning"))
    try:
        for block, answer in in_order(blocks, lambda block: workers.submit(block_bytes(block)), 2 * count):
            yield block, read_answer(job, block, answer)
    except WorkerDied as death:
        raise error_of(death.args[0], seconds) from None
    finally:
        workers.close()


def error_of(code: int, seconds: float) -> Exception:
    """The error for rows over which processes ended with this exit code."""
    from autodiff.cli.process.workers import how_ended

    if code == TIMEOUT:
        return TimeOutError(
            f"stopped after {seconds:g} seconds: a block of rows takes longer",
            help=(f"give it more time: --timeout {10 * seconds:g}, 0 for no limit",),
        )
    if code >= 0:
        return RuntimeError(f"a worker process ended {how_ended(code)}")
    return LimitError(
        f"the processes that had the same rows ended {how_ended(code)}",
        code="E0502",
        help=("the system may have run out of memory: run fewer --jobs", "or lower --max-memory"),
    )
