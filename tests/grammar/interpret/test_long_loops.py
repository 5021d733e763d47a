"""A training loop takes as much memory after its last step as half-way."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from conftest import HANGS

#: Runs a script as the command line does, without Python's collector, and says at each of its prints how many
#: objects there are and what the most was that the process took, in bytes.
DRIVER = """
import gc, json, resource, sys
from autodiff.core.base.source import Source
from autodiff.grammar.execution import execute

gc.disable()
told = []
unit = 1 if sys.platform == "darwin" else 1024

def write(text):
    told.append((sys.getallocatedblocks(), unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss))

execution = execute(Source(sys.argv[1]), write=write)
print(json.dumps({"told": told, "steps": execution.names["step"] + 1}))
"""
NUMBERS = """
w = torch.tensor(0.5, requires_grad=True)
for step in range({steps}):
    loss = (w * 2.0 - 1.0) ** 2
    loss.backward()
    with torch.no_grad():
        w -= 0.01 * w.grad
    w.grad = None
    if step + 1 == {middle} or step + 1 == {steps}:
        print(loss)
"""
TENSORS = """
X = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
y = torch.tensor([1.0, 2.0, 3.0])
w = torch.zeros(2, requires_grad=True)
b = torch.tensor(0.1, requires_grad=True)
for step in range({steps}):
    loss = ((X @ w + b - y).relu() ** 2).mean()
    loss.backward()
    with torch.no_grad():
        for p in (w, b):
            p -= 0.01 * p.grad
            p.grad.zero_()
    if step + 1 == {middle} or step + 1 == {steps}:
        print(loss)
"""
#: Gradients of their own, momentum, a function, a list that is emptied, a second derivative.
FUNCTIONAL = """
def loss_of(w, x):
    return torch.tanh(w[0] * x + w[1]).sum() ** 2

x = torch.linspace(-1.0, 1.0, 5)
w = torch.ones(2, requires_grad=True)
v = torch.zeros(2)
history = []
for step in range({steps}):
    loss = loss_of(w, x)
    (g,) = torch.autograd.grad(loss, w, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), w)
    v = 0.9 * v + g.detach() + 0.001 * h
    w = (w - 0.01 * v).detach().requires_grad_()
    history.append(loss)
    if len(history) == 100:
        history.clear()
    if step + 1 == {middle} or step + 1 == {steps}:
        print(loss)
"""
LOOPS = {"numbers": (NUMBERS, 30_000), "tensors": (TENSORS, 5_000), "second order": (FUNCTIONAL, 3_000)}
GROWN_BYTES = 1 << 20


@pytest.mark.parametrize("kind", LOOPS)
def test_a_training_loop_does_not_grow(kind: str) -> None:
    # Python keeps up to 2,000 freed tuples of each length for reuse: the first half of the steps fills that.
    script, steps = LOOPS[kind]
    pytest.importorskip("resource")
    text = script.format(steps=steps, middle=steps // 2)
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, text], capture_output=True, text=True, check=True, timeout=HANGS
    )
    answer = json.loads(done.stdout)
    assert answer["steps"] == steps
    (objects, peak), (objects_after, peak_after) = answer["told"]
    assert objects_after - objects < steps // 100, "something is kept of every step"
    assert peak_after - peak < GROWN_BYTES
