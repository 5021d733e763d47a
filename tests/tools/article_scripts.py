"""The scripts of the five articles on computation graphs, and what is asked of them."""

from __future__ import annotations

from typing import Any

import numpy as np
from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import describe
from autodiff.core.report.graph_records import Graph
from autodiff.core.report.records import Derivation, GradientReport
from autodiff.grammar.execution import execute
from autodiff.grammar.session.run import Settings, differentiate
from conftest import REPOSITORY
from program import run_program
from script_runner import run_script

ARTICLES = REPOSITORY / "examples" / "seeds"

FOUR_LINES = "x3=w1*x1; x4=w1*x2; x5=w2*x3+w3*x4; L=1-x5\n"
FIRST = "x1=1; x2=2; w1=1; w2=2; w3=3\n" + FOUR_LINES
#: The first article as PyTorch has it: tensors that ask for gradients.
FIRST_TENSORS = (
    "x1 = torch.tensor(1.0, requires_grad=True)\n"
    "x2 = torch.tensor(2.0, requires_grad=True)\n"
    "w1 = torch.tensor(1.0, requires_grad=True)\n"
    "w2 = torch.tensor(2.0, requires_grad=True)\n"
    "w3 = torch.tensor(3.0, requires_grad=True)\n" + FOUR_LINES
)
RANDOM_MATRICES = "a, w1, w2, w3, w4 = [torch.randn((3,3), requires_grad=True) for _ in range(5)]\n"
MATRIX = RANDOM_MATRICES + "b = w1*a\nc = w2*a\nd = w3*b + w4*c\n"
FOUR_LEAVES = (ARTICLES / "4_graph.ad").read_text()
OLAH = "a = torch.tensor([3.], requires_grad=True)\nb = torch.tensor([1.], requires_grad=True)\n"
OLAH += "c = a + b\nd = b + 1\ne = c * d\n"
FIFTH = (
    "X = torch.tensor([[2., 2.], [2., 2.]], requires_grad=True)\n"
    "W = torch.tensor([[0.5, 0.5], [0.5, 0.5]], requires_grad=True)\n"
    "b = torch.tensor([4.], requires_grad=True)\n"
    "a = torch.mm(X, W)\n"
    "Y = a + b\n"
)

NON_LEAF_WARNING = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its .grad attribute won't"
    " be populated during autograd.backward(). If you indeed want the .grad field to be populated for a"
    " non-leaf Tensor, use .retain_grad() on the non-leaf Tensor."
)
SECOND_BACKWARD = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have"
    " already been freed). Saved intermediate values of the graph are freed when you call .backward() or"
    " autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or"
    " if you need to access saved tensors after calling backward."
)


# -- helpers --------------------------------------------------------------------------------------------


def report_of(text: str, **wishes: Any) -> GradientReport:
    """All that can be said about the script's gradient, as the command line asks for it."""
    settings = Settings(**wishes)
    source = Source(text)
    execution = execute(source, settings, lambda text: None, lambda message, span: None)
    return describe(differentiate(execution, settings), source, graph=True, derivations=True)


def graph_of(text: str, **wishes: Any) -> Graph:
    graph = report_of(text, **wishes).graph
    assert graph is not None
    return graph


def derivation_of(text: str, wrt: str, **wishes: Any) -> Derivation:
    """The one derivation of the gradient with respect to ``wrt``."""
    (derivation,) = (d for d in report_of(text, **wishes).derivations if d.wrt == wrt)
    return derivation


def gradients_of(text: str, **wishes: Any) -> dict[str, Any]:
    """The gradients by name, as nested lists."""
    return {v.name: np.asarray(v.grad).tolist() for v in report_of(text, **wishes).gradients}


def local_derivatives(graph: Graph) -> dict[tuple[str, str], float]:
    """The local derivative on each edge, by the names of output and input."""
    names = {node.id: node.name for node in graph.nodes}
    return {(names[edge.output], names[edge.input]): np.asarray(edge.local).item() for edge in graph.edges}


def error_of(text: str) -> str:
    """The first line of the error the script must end in."""
    outcome = run_script(text)
    assert outcome.error is not None, "the script ran to its end"
    return outcome.error.message


def advice_of(text: str) -> str:
    """Everything the error of the script says beside its first line."""
    outcome = run_script(text)
    assert outcome.error is not None, "the script ran to its end"
    return " ".join((outcome.error.caret, *outcome.error.advice))


def autodiff(command: str, *arguments: str, script: str = "") -> str:
    """What a command writes to a pipe for a script on its standard input; it must succeed."""
    done = run_program(command, "-", *arguments, input=script.encode())
    assert done.returncode == 0, done.stderr
    return done.stdout.decode()


# -- error texts ------------------------------------------------------------------------------------------

ONE = "x = torch.ones(3, requires_grad=True)\n"
MESSAGES = {
    "second_backward": ("y = x * x\ny.sum().backward()\ny.sum().backward()", SECOND_BACKWARD),
    "nothing_requires_grad": (
        "torch.ones(1).backward()",
        "element 0 of tensors does not require grad and does not have a grad_fn",
    ),
    "gradient_of_another_shape": (
        "(torch.ones(3, 3) * x).backward(torch.ones(2, 2))",
        "Mismatch in shape: grad_output[0] has a shape of torch.Size([2, 2]) and output[0] has a shape of"
        " torch.Size([3, 3]).",
    ),
    "matrix_product": (
        "torch.mm(torch.ones(3, 3), torch.ones(2, 2))",
        "mat1 and mat2 shapes cannot be multiplied (3x3 and 2x2)",
    ),
    "broadcast": (
        "x + torch.ones(2)",
        "The size of tensor a (3) must match the size of tensor b (2) at non-singleton dimension 0",
    ),
    "integers": (
        "torch.tensor([1, 2], requires_grad=True)",
        "Only Tensors of floating point and complex dtype can require gradients",
    ),
    "retain_grad": (
        "torch.ones(2).retain_grad()",
        "can't retain_grad on Tensor that has requires_grad=False",
    ),
    "in_place_on_a_leaf": (
        "x += 1",
        "a leaf Variable that requires grad is being used in an in-place operation.",
    ),
    "saved_value_changed": (
        "y = x * 2\nz = y * y\ny += 1\nz.sum().backward()",
        "one of the variables needed for gradient computation has been modified by an inplace operation:"
        " [torch.DoubleTensor [3]], which is output 0 of Add, is at version 1; expected version 0"
        " instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient,"
        " with torch.autograd.set_detect_anomaly(True, check_nan=False).",
    ),
    "unused_input": (
        "y = torch.ones(1, requires_grad=True)\ntorch.autograd.grad(x.sum(), y)",
        "The differentiated Tensor at index 0 appears to not have been used in the graph. Set"
        " allow_unused=True if this is the desired behavior.",
    ),
    "numpy": (
        "x.numpy()",
        "Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.",
    ),
    "item": ("torch.ones(3, 3).item()", "a Tensor with 9 elements cannot be converted to Scalar"),
}
