"""Drawings, progress bars, clocks, logs and warnings of a script are skipped, and change no number."""

from __future__ import annotations

import pytest
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings
from script_runner import run_script

TRAINING = """\
import sys, time, logging, warnings
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt
import seaborn as sns
from matplotlib import cm
from mpl_toolkits.mplot3d import Axes3D
from time import perf_counter
from tqdm import tqdm
from tqdm.auto import trange
import numpy as np
warnings.filterwarnings("ignore")
logging.basicConfig(level=logging.INFO)
log = logging.getLogger(__name__)
sns.set_theme()
plt.style.use("ggplot")
plt.rcParams["lines.linewidth"] = 2
w, start, losses = 1.0, perf_counter(), []
bar = tqdm(range(2), desc="train")
for epoch in bar:
    L = (w - 3)**2
    losses.append(float(L))
    bar.set_postfix(loss=losses[-1])
for i in trange(1, 3): print(i)
with tqdm(total=2) as bar:
    bar.update(1)
for i, x in enumerate(tqdm([4, 5])): print(i, x)
log.info("trained")
print(time.time() - start)
sys.stdout.write("%.1f\\n" % losses[-1])
sys.stdout.flush()
plt.figure(figsize=(6, 4))
plt.plot(losses, "r-", label="loss")
fig, axes = plt.subplots(2, ncols=3, squeeze=True)
for row in axes:
    for ax in row: ax.set_title("t")
for ax in axes.flatten(): ax.grid(True)
(a, b, c), *more = axes
axes[0, 1].scatter(losses, losses, c=cm.viridis(0.5))
f, (top, bottom) = plt.subplots(2)
f, ax = plt.subplots()
ax.lines[0].color = "k"
count, edges, patches = plt.hist(losses, bins=3)
line, = ax.plot(losses)
with plt.style.context("dark_background"):
    ax.plot(losses)
if ax: plt.savefig("loss.png")
plt.show()
"""


def test_a_script_that_draws_runs_and_says_what_is_skipped() -> None:
    execution_text: list[str] = []
    execution = execute(
        Source(TRAINING), Settings(), execution_text.append, lambda text, span: pytest.fail(text)
    )
    assert "".join(execution_text) == "1\n2\n0 4\n1 5\n0.0\n4.0\n"
    notes = {
        kind: (execution.source.position(span.start)[0], text)
        for kind, (text, span) in execution.skipped.items()
    }
    clock = "is always 0 here: a script has no clock, so that it prints the same in each run"
    assert notes == {
        "clock": (18, f"`time.perf_counter()` {clock}"),
        "log": (28, "nothing is logged here; `print` shows a text"),
        "drawing": (33, "`plt.plot` draws nothing here; `autodiff plot` draws curves"),
    }


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("plt.plot(torch.ones(2, 3) @ torch.ones(2))", "E0302"),
        ("plt.plot(missing)", "E0201"),
        ("L = plt.hist([1])[0] + 1", "E0144"),
        ("for line in plt.plot([1]): pass", "E0144"),
        ("low, high = plt.xlim()\nmiddle = (low + high) / 2", "E0144"),
        ("import time\ntime.strftime('%H')", "E0148"),
        ("import sys\nsys.stdout.write(3)", "E0203"),
        ("from tqdm import tqdm\nfor i in tqdm(3): pass", "E0205"),
    ],
)
def test_mistakes_beside_drawings_are_told(line: str, code: str) -> None:
    error = run_script(f"import torch\nimport matplotlib.pyplot as plt\n{line}\n").error
    assert error is not None
    assert error.code == code


@pytest.mark.parametrize("name", ["plt", "sns", "tqdm", "time", "make_dot"])
def test_a_module_that_is_not_imported_is_told_so(name: str) -> None:
    error = run_script(f"x = torch.ones(1)\n{name}.plot(x)\n").error
    assert error is not None
    assert "import" in error.help[0]
