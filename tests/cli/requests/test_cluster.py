"""``--cluster``: rows answered by the workers of a dask.distributed scheduler, as by one process."""

from __future__ import annotations

import os
import signal
import subprocess

import pytest

distributed = pytest.importorskip("distributed")
pytestmark = pytest.mark.filterwarnings("ignore")  # those of dask's own threads

CODE = "x = 1.; y = 2.; k = 0.3; L = exp(-k*x)*sqrt(y) + x*y"
#: Rows of this script are run one by one.
SLOW = "x = 1.; y = 2.; L = x\nfor i in range(200): L = L*0.9 + sin(y)"


@pytest.fixture
def scheduler():
    """The address of a scheduler with two workers, and the numbers of their processes."""
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield cluster.scheduler_address, client.run(os.getpid)


def test_a_worker_that_is_killed_in_the_middle_changes_no_byte(start, autodiff, scheduler):
    address, workers = scheduler
    rows = "x,y\n" + "".join(f"{i % 17 / 8},{i % 9}\n" for i in range(500)) + "1,oops\n"
    words = ["grad", "-e", SLOW, "--each", "-", "--value"]
    expected = autodiff(*words, input=rows)
    process = start(*words, "--cluster", address, stdin=subprocess.PIPE)
    half = len(rows) // 2
    half += rows[half:].index("\n") + 1
    process.stdin.write(rows[:half].encode())
    process.stdin.flush()
    # Without a buffer, which would keep lines from ``communicate`` that came at once.
    begun = process.stdout.raw.readline() + process.stdout.raw.readline()
    os.kill(next(iter(workers.values())), signal.SIGKILL)
    out, err = process.communicate(rows[half:].encode())
    assert process.returncode == expected.returncode == 4
    assert begun + out == expected.stdout
    assert err == expected.stderr


def test_a_million_rows_are_summed_as_by_one_process(start, write):
    count = 1_000_000
    write("x,y\n" + "".join(f"{i % 1000 / 8},{i % 7}\n" for i in range(count)), "t.csv")
    words = ["grad", "-e", "a = 0.5; L = (a*x - y).square().mean()", "--data", "t.csv", "--batch", 50_000]
    one, several = (start(*words, *more).communicate() for more in ([], ["--cluster", "local", "--jobs", 2]))
    assert several == one
    assert several[0].count(b"\n") == 1


def test_what_there_is_no_cluster_for(autodiff):
    done = autodiff("grad", "-e", CODE, "--cluster", "local")
    assert "--cluster says who answers rows, and there are none" in done.err
    done = autodiff("grad", "-e", CODE, "--sweep", "x=0:3:1", "--cluster", "nonsense://1")
    assert done.returncode == 2
    assert "--cluster nonsense://1: there is no scheduler to be reached" in done.err
