"""Error codes for parts of PyTorch and its ecosystem that the language does not have."""

from __future__ import annotations

from autodiff.cli.codes.code import Code

STEP = "w = torch.tensor([1., -2.], requires_grad=True)\n"
LOSS = "loss = (w ** 2).sum()\nloss.backward()\n"

CODES = {
    "E0140": Code(
        "Layers and modules are not in the language.",
        "A layer keeps its weights inside; here they are leaves of the script, where they can be seen.",
        "Make the weights yourself and call the function, as in `F.linear(x, W, b)`.",
        "layer = torch.nn.Linear(3, 4)\ny = layer(torch.ones(2, 3))",
        "W = torch.randn(4, 3, requires_grad=True)\nb = torch.zeros(4, requires_grad=True)\n"
        "y = F.linear(torch.ones(2, 3), W, b)",
    ),
    "E0141": Code(
        "Optimizers are not in the language.",
        "An optimizer changes the leaves itself; here the script does that.",
        "Subtract a part of the gradient under no_grad(), and set the gradient to zero.",
        STEP + "optimizer = torch.optim.SGD([w], lr=0.1)\n" + LOSS + "optimizer.step()",
        STEP + LOSS + "with torch.no_grad():\n    w -= 0.1 * w.grad\n    w.grad.zero_()",
    ),
    "E0142": Code(
        "There is no such device here.",
        "The script asks for a GPU, but everything runs on the CPU.",
        'Leave the device out, or write "cpu".',
        "x = torch.ones(2).cuda()",
        "x = torch.ones(2)",
    ),
    "E0143": Code(
        "Scripts read and write no files.",
        "The script asks for a file, a data set or the keyboard, and a script can use none of them.",
        "Write small data into the script, or give it on the command line: --set 'x=[1, 2]', --data FILE.",
        "x = torch.load('x.pt')",
        "x = torch.tensor([1., 2.])",
    ),
    "E0144": Code(
        "What draws has no value.",
        "Lines that draw are skipped, and the script computes with what one of them gives.",
        "Compute it without the drawing. `autodiff plot` draws curves, `autodiff graph` the graph.",
        "import matplotlib.pyplot as plt\nlow, high = plt.xlim()\nmiddle = (low + high) / 2",
        "low, high = 0.0, 1.0\nmiddle = (low + high) / 2",
    ),
    "E0145": Code(
        "A script of torch has no arrays of numpy.",
        "`np` has the constants and functions of plain numbers; rows of numbers are tensors.",
        "Write torch where it says np.",
        "import torch\nimport numpy as np\nx = np.array([1., 2.])",
        "import torch\nx = torch.tensor([1., 2.])",
    ),
    "E0146": Code(
        "There is no such number type here.",
        "Tensors hold float64, float32, int64, int32, uint8 or bool.",
        "Use one of those.",
        "x = torch.ones(2, dtype=torch.float16)",
        "x = torch.ones(2, dtype=torch.float32)",
    ),
    "E0147": Code(
        "Functions are not transformed or compiled here.",
        "torch.func, torch.jit and torch.compile make functions from functions, and scripts cannot.",
        "Call grad(), jacobian() or hessian() where the numbers are needed.",
        "f = lambda x: (x ** 2).sum()\nslope = torch.func.grad(f)(torch.ones(2))",
        "f = lambda x: (x ** 2).sum()\nslope = torch.autograd.functional.jacobian(f, torch.ones(2))",
    ),
    "E0148": Code(
        "This library is not in the language.",
        "Random, itertools, os and other parts of Python around torch are not here.",
        "The message shows what to write instead, or leave it out.",
        "import random\nx = random.random()",
        "x = torch.rand(1).item()",
    ),
    "E0149": Code(
        "PyTorch has this function, but the language does not.",
        "Not every function of PyTorch is implemented.",
        "The message shows how to write it with functions that are.",
        "x = torch.ones(4)\ny = torch.fft.fft(x)",
        "x = torch.ones(4)\nangles = -2 * torch.pi * torch.outer(torch.arange(4.), torch.arange(4.)) / 4\n"
        "real, imag = torch.cos(angles) @ x, torch.sin(angles) @ x",
    ),
}
