"""Reports on scripts that draw: the answer, and one note on standard error."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("command", ["grad", "check", "jacobian", "lint", "explain --format formula"])
def test_commands_answer_and_note_the_drawing_once(command, autodiff):
    script = (
        "import matplotlib.pyplot as plt\nimport torch\nx = torch.tensor(3., requires_grad=True)\n"
        "L = x**2\nL.backward()\nfor i in range(3): plt.plot(L.item())\nfig, ax = plt.subplots()\n"
        "ax.set_title('t')\nplt.show()\n"
    )
    result = autodiff(*command.split(), "-", input=script)
    note = "note: line 6: `plt.plot` draws nothing here; `autodiff plot` draws curves\n"
    assert (result.returncode, result.err) == (0, "" if command == "lint" else note)


def test_a_graph_that_is_drawn_has_the_command_that_draws_it(autodiff):
    script = "from torchviz import make_dot\nx = torch.ones(1, requires_grad=True)\ny = 2*x\nmake_dot(y)\n"
    result = autodiff("grad", "-", input=script)
    assert (result.out, result.returncode) == ("2\n", 0)
    assert "`torchviz.make_dot` draws nothing here; `autodiff graph` draws the graph" in result.err
