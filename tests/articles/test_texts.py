"""The names, error texts and forms of syntax that the articles write."""

from __future__ import annotations

import pytest
from article_scripts import MESSAGES, OLAH, ONE, error_of
from script_runner import printed, run_script

# -- where the articles disagree --------------------------------------------------------------------------


def test_names_are_those_of_todays_torch() -> None:
    script = OLAH + "print((a * b).grad_fn.name(), (a / b).grad_fn.name(), (a + b).grad_fn.name())"
    assert printed(script) == "MulBackward0 DivBackward0 AddBackward0\n"


@pytest.mark.parametrize("mistake", MESSAGES)
def test_mistakes_are_named_in_torchs_words(mistake: str) -> None:
    script, message = MESSAGES[mistake]
    assert error_of(ONE + script) == message


def test_retain_grad_on_a_leaf_is_fine() -> None:
    assert printed(ONE + "x.retain_grad()\nx.sum().backward()\nprint(x.grad)") == "tensor([1., 1., 1.])\n"


# -- syntax -----------------------------------------------------------------------------------------------

#: Every form the articles write, with what it prints; ``p`` is a 2 by 2 matrix of ones, a leaf.
FORMS = {
    "import_torch": ("import torch\nprint(torch.ones(1))", "tensor([1.])\n"),
    "import_variable": ("from torch.autograd import Variable\nprint(Variable(p).ndim)", "2\n"),
    "import_display": (
        "from IPython.display import display, Math\ndisplay(Math('x'))",
        "<IPython.core.display.Math object>\n",
    ),
    "import_future": ("from __future__ import print_function\nprint(1)", "1\n"),
    "import_numpy": ("import numpy as np\nprint(np.pi)", "3.141592653589793\n"),
    "pylab": ("%pylab inline\nprint(1)", "1\n"),
    "comment": ("# nothing\nprint(1) # one", "1\n"),
    "names": ("a, x1, W, learning_rate = 1, 2, 3, 0.5\nprint(a, x1, W, learning_rate)", "1 2 3 0.5\n"),
    "tensor": ("print(torch.tensor([2.0], requires_grad=True))", "tensor([2.], requires_grad=True)\n"),
    "Tensor_of_data": ("print(torch.Tensor([4]))", "tensor([4.])\n"),
    "Tensor_of_rows": ("print(torch.Tensor([[2,2],[2,2]]).tolist())", "[[2.0, 2.0], [2.0, 2.0]]\n"),
    "Tensor_of_sizes": ("print(torch.Tensor(3, 5).shape)", "torch.Size([3, 5])\n"),
    "FloatTensor": ("print(torch.FloatTensor(3,3).dtype)", "torch.float32\n"),
    "randn_sizes": ("print(torch.randn(3,3).shape)", "torch.Size([3, 3])\n"),
    "randn_tuple": ("print(torch.randn((3,3),requires_grad=True).requires_grad)", "True\n"),
    "ones_of_a_shape": ("print(torch.ones(p.shape).tolist())", "[[1.0, 1.0], [1.0, 1.0]]\n"),
    "Variable": ("print(Variable(torch.Tensor([4]),requires_grad=True).requires_grad)", "True\n"),
    "mm": ("print(torch.mm(p,p).data.tolist())", "[[2.0, 2.0], [2.0, 2.0]]\n"),
    "add": ("print(torch.add(p,1).data.tolist())", "[[2.0, 2.0], [2.0, 2.0]]\n"),
    "log": ("print(torch.log(torch.Tensor([1])))", "tensor([0.])\n"),
    "max": (
        "print(torch.max(torch.Tensor([[1,4],[3,2]]),0))",
        "torch.return_types.max(\nvalues=tensor([3., 4.]),\nindices=tensor([1, 0]))\n",
    ),
    "operators": ("q = p*2 - p/4 + p\nprint(q.data.tolist())", "[[2.75, 2.75], [2.75, 2.75]]\n"),
    "scalar_on_either_side": ("print((1 - p + 5 - (10 -p)).sum().item())", "-16.0\n"),
    "method_of_parentheses": ("print((10 -p).sum().item())", "36.0\n"),
    "backward": ("p.sum().backward()\nprint(p.grad.sum().item())", "4.0\n"),
    "backward_of_a_matrix": ("(p*p).backward(torch.ones(p.shape))\nprint(p.grad.sum().item())", "8.0\n"),
    "retain_graph": ("p.sum().backward(retain_graph = True)\nprint(p.grad.sum().item())", "4.0\n"),
    "retain_variables": ("p.sum().backward(retain_variables=True)\nprint(p.grad.sum().item())", "4.0\n"),
    "retain_grad": ("q = p.sum()\nq.retain_grad()\nq.backward()\nprint(q.grad)", "tensor(1.)\n"),
    "attributes": ("print(p.grad, p.grad_fn, p.is_leaf, p.requires_grad)", "None None True True\n"),
    "data_and_shape": ("print(p.data.requires_grad, p.shape)", "False torch.Size([2, 2])\n"),
    "item": ("print(p.sum().item())", "4.0\n"),
    "attribute_assignment": ("t = torch.ones(1)\nt.requires_grad = True\nprint(t.requires_grad)", "True\n"),
    "no_grad": ("with torch.no_grad():\n    q = p*2\nprint(q.requires_grad)", "False\n"),
    "print_of_several": ("print(p.is_leaf, 'text', 1.5)\nprint('Z', 2)", "True text 1.5\nZ 2\n"),
    "print_of_nothing": ("print()", "\n"),
    "f_string": ('print(f"p grad: {p.grad}")', "p grad: None\n"),
    "formula": (
        "s = fr'\\frac{{\\partial e}}{{\\partial a}} = {p.sum().item()}'\nprint(s)",
        "\\frac{\\partial e}{\\partial a} = 4.0\n",
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_the_articles_write_is_understood(form: str) -> None:
    script, expected = FORMS[form]
    # IPython's and __future__'s lines come first in a file, as in the articles.
    first, _, rest = (
        script.partition("\n") if script.startswith(("%", "from __future__")) else ("", "", script)
    )
    assert printed(f"{first}\np = torch.ones(2, 2, requires_grad=True)\n{rest}\n") == expected


def test_imports_of_anything_else_are_refused() -> None:
    outcome = run_script("import json\nprint(1)")
    assert outcome.error is not None
    assert outcome.stdout == ""
