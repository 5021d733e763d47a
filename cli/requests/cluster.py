"""``--cluster``: blocks that the workers of a dask.distributed scheduler answer.

Texts and bytes travel: the job, whose script is a text, and the lines of a block. dask gives the blocks of a
worker that died to another one.
"""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from autodiff.cli.data_files.row_readers import Block
from autodiff.cli.process.supervisor import clock, start_worker
from autodiff.cli.process.workers import in_order
from autodiff.cli.requests.block_jobs import FAILED, Job, answer_bytes, block_bytes, read_answer
from autodiff.cli.requests.session import Session
from autodiff.core.base.errors import LimitError, UsageError

LOCAL = "local"
AHEAD = 3  # blocks for each worker that are read ahead
CONNECT_SECONDS = 10


def answers_of_cluster(session: Session, job: Job, blocks: Iterable[Block]) -> Iterator[tuple[Block, Any]]:
    """Yield each block with its answer, in order, from the workers of ``--cluster``."""
    address, seconds = session.request.text("cluster") or "", session.request.seconds("timeout")
    clock.start(0)  # each block has a clock of its own
    text = job.text()
    with connected(address, session.request.number("jobs")) as client:
        threads = sum(client.nthreads().values()) or 1

        def submit(block: Block) -> Any:
            return client.submit(answer_on_worker, text, block_bytes(block), seconds, pure=False)

        try:
            for block, answer in in_order(blocks, submit, AHEAD * threads):
                yield block, read_answer(job, block, answer)
        except ImportError as error:
            raise UsageError(
                f"the workers of {address} cannot load autodiff: {error}",
                code="E0620",
                help=("install the same version of autodiff where the workers run",),
            ) from None
        except killed() as error:
            raise LimitError(
                f"the workers that had the same rows ended: {error}",
                code="E0502",
                help=("they may have run out of memory: use smaller blocks", "or lower --max-memory"),
            ) from None


def killed() -> type[Exception]:
    from distributed import KilledWorker

    found: type[Exception] = KilledWorker
    return found


def answer_on_worker(job: str, block: bytes, seconds: float) -> bytes:
    """Answer a block, on a thread with a large stack. FAILED after these seconds, if they are not 0."""
    answers: list[bytes] = []
    ended = threading.Event()

    def work() -> None:
        try:
            answers.append(answer_bytes(job, block))
        finally:
            ended.set()

    start_worker(work)
    ended.wait(seconds or None)
    return answers[0] if answers else FAILED


@contextmanager
def connected(address: str, jobs: int) -> Iterator[Any]:
    """A client of the scheduler; ``local`` stands for one of this machine that ends with the client."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise UsageError(
            "--cluster needs dask.distributed, which is not installed",
            code="E0620",
            help=("pip install 'autodiff[cluster]'", "--jobs runs processes of this machine without it"),
        ) from None
    for name in ("distributed", "distributed.client"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what it logs about a lost worker is no error
    if address == LOCAL:
        count = jobs if jobs > 1 else os.cpu_count()
        with (
            LocalCluster(
                n_workers=count, threads_per_worker=1, dashboard_address=None, silence_logs=logging.CRITICAL
            ) as cluster,
            Client(cluster) as client,
        ):
            yield client
        return
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise UsageError(
            f"--cluster {address}: there is no scheduler to be reached: {error}",
            code="E0611",
            help=("start one with `dask scheduler`; its address is as in tcp://10.0.0.1:8786",),
        ) from None
    with client:
        yield client
