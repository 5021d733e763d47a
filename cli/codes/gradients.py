"""Error codes for autograd failures, and the code of PyTorch's warnings."""

from __future__ import annotations

from autodiff.cli.codes.code import Code

LEAF = "x = torch.tensor([1., 2.], requires_grad=True)\n"
W = "w = torch.tensor(3., requires_grad=True)\n"
ANOMALY = "torch.autograd.set_detect_anomaly(True)\n"
DOUBLE = (
    "class Double(torch.autograd.Function):\n"
    "    @staticmethod\n"
    "    def forward(ctx, x):\n"
    "        return 2 * x\n"
    "\n"
    "    @staticmethod\n"
    "    def backward(ctx, g):\n"
    "        return {}\n"
    "\n" + LEAF + "Double.apply(x).sum().backward()"
)

CODES = {
    "E0401": Code(
        "backward() needs one number to start from.",
        "Only one number has a gradient; several numbers need a weight for each of them.",
        "Sum the output, or give backward() a weight for each entry; the option --grad-output does the same.",
        LEAF + "y = x ** 2\ny.backward()",
        LEAF + "y = x ** 2\ny.sum().backward()",
    ),
    "E0402": Code(
        "The graph was freed by an earlier backward().",
        "A backward pass frees the values that operations saved, so a graph serves one pass.",
        "Call the first one with retain_graph=True, or compute the output again.",
        W + "L = w ** 2\nL.backward()\nL.backward()",
        W + "L = w ** 2\nL.backward(retain_graph=True)\nL.backward()",
    ),
    "E0403": Code(
        "A value that backward() needs was changed in place.",
        "The derivative is computed from the value the operation saw, and that value is gone.",
        "Change a copy, or write `y = y + 1` instead of `y += 1`.",
        LEAF + "y = torch.exp(x)\ny += 1\ny.sum().backward()",
        LEAF + "y = torch.exp(x)\ny = y + 1\ny.sum().backward()",
    ),
    "E0404": Code(
        "Only floating-point tensors have gradients.",
        "Integers cannot change by a small amount, so nothing can be differentiated by them.",
        "Write 1. instead of 1, or use dtype=torch.float64.",
        "x = torch.tensor([1, 2], requires_grad=True)",
        "x = torch.tensor([1., 2.], requires_grad=True)",
    ),
    "E0405": Code(
        "requires_grad belongs to leaves.",
        "The result of an operation requires a gradient if an operand does; that cannot be switched off.",
        "Set it where the tensor is made, or detach() the result.",
        LEAF + "y = x * 2\ny.requires_grad = False",
        LEAF + "y = (x * 2).detach()\ny.requires_grad = False",
    ),
    "E0406": Code(
        "retain_grad() needs a tensor that requires a gradient.",
        "Nothing that this tensor was made from requires a gradient, so it will get none.",
        "Make an input with requires_grad=True.",
        "y = torch.tensor(1.) * 2\ny.retain_grad()",
        "y = torch.tensor(1., requires_grad=True) * 2\ny.retain_grad()",
    ),
    "E0407": Code(
        "A leaf that requires a gradient cannot be changed in place.",
        "Its gradient would belong to a value that is gone.",
        "Change it under no_grad(), as a step of training does, or make a new tensor.",
        W + "w -= 0.1",
        W + "with torch.no_grad():\n    w -= 0.1",
    ),
    "E0408": Code(
        "grad() was asked for a tensor that requires no gradient.",
        "Nothing was recorded for this input, so no path of the graph leads to it.",
        "Make it with requires_grad=True.",
        W + "x = torch.tensor(1.)\nL = w * x\nprint(torch.autograd.grad(L, x))",
        W + "x = torch.tensor(1., requires_grad=True)\nL = w * x\nprint(torch.autograd.grad(L, x))",
    ),
    "E0409": Code(
        "The output does not depend on this tensor.",
        "No path of the graph leads from the output to this input.",
        "Leave it out, or pass allow_unused=True and get None for it.",
        W + "v = torch.tensor(1., requires_grad=True)\nL = w ** 2\nprint(torch.autograd.grad(L, [w, v]))",
        W + "v = torch.tensor(1., requires_grad=True)\nL = w ** 2\nprint(torch.autograd.grad(L, [w]))",
    ),
    "E0410": Code(
        "Nothing that the output was made from requires a gradient.",
        "No input was marked, or the graph was cut by no_grad(), detach(), item() or float().",
        "Make an input with requires_grad=True, and compute with tensors on the way to the output.",
        "w = torch.tensor(3.)\nL = w ** 2\nL.backward()",
        W + "L = w ** 2\nL.backward()",
    ),
    "E0411": Code(
        "The gradient to start from has another shape than the output.",
        "Each entry of the output gets its own weight.",
        "Give one entry for each entry of the output, as in `torch.ones_like(y)`; vjp and vhp take a vector"
        " shaped like the output, jvp and hvp one shaped like the input.",
        LEAF + "y = x ** 2\ny.backward(torch.ones(3))",
        LEAF + "y = x ** 2\ny.backward(torch.ones_like(y))",
    ),
    "E0412": Code(
        "A Function of yours was called, or its result cannot be used.",
        "Call its `apply`, not the class. forward returns a tensor; backward returns a tensor or None"
        " for each argument of forward.",
        "Write `Name.apply(...)`; return one of those.",
        DOUBLE.format("3"),
        DOUBLE.format("2 * g"),
    ),
    "E0413": Code(
        "A Function of yours returned a gradient of the wrong shape.",
        "The gradient of an input has one entry for each entry of the input.",
        "Return a tensor that is shaped like the input.",
        DOUBLE.format("torch.ones(3)"),
        DOUBLE.format("2 * g"),
    ),
    "E0414": Code(
        "This has no derivative, or would leave the graph.",
        "The operation jumps, as `//` does, so torch gives it no derivative.",
        "Use detach() before it, or a function that has a derivative.",
        LEAF + "y = (x // 2).sum()\ny.backward()",
        LEAF + "y = (x / 2).sum()\ny.backward()",
    ),
    "E0415": Code(
        "This view cannot be changed in place.",
        "It was made under no_grad(), is one of several views made at once, or shows an entry twice. Then the"
        " effect on the tensor that it views is not known.",
        "Change the part itself, as in `y[0] += 1`, or a clone.",
        LEAF + "y = x * 2\nfor z in y:\n    z += 1",
        LEAF + "y = x * 2\nfor i in range(2):\n    y[i] += 1",
    ),
    "E0416": Code(
        "A derivative is nan.",
        "set_detect_anomaly(True) looks for nan in every backward pass, and found one.",
        "Look at the values of the line it points at: a root or a quotient of 0 has no finite slope.",
        ANOMALY + "x = torch.tensor(0., requires_grad=True)\ny = torch.sqrt(x) * 0\ny.backward()",
        ANOMALY + "x = torch.tensor(1., requires_grad=True)\ny = torch.sqrt(x) * 0\ny.backward()",
    ),
    "E0417": Code(
        "A gradient differs from the slope that small steps show.",
        "gradcheck changed each input a little, and compared the change of the output with the gradient.",
        "Check the backward of your Function, or what is detached on the way.",
        DOUBLE.format("g") + "\ntorch.autograd.gradcheck(Double.apply, x)",
        DOUBLE.format("2 * g") + "\ntorch.autograd.gradcheck(Double.apply, x)",
    ),
    "W0100": Code(
        "A warning of the script, in PyTorch's words.",
        "The script goes on, but something in it is probably not intended.",
        "Read it and change the line it points at; -q silences warnings.",
        LEAF + "y = x * 2\ny.sum().backward()\nprint(y.grad)",
        LEAF + "y = x * 2\ny.retain_grad()\ny.sum().backward()\nprint(y.grad)",
    ),
}
