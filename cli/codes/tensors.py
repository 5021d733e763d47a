"""Error codes for the shapes and types of tensors."""

from __future__ import annotations

from autodiff.cli.codes.code import Code

CODES = {
    "E0301": Code(
        "Shapes cannot be broadcast against each other.",
        "An operation entry by entry needs equal sizes in every dimension, counted from the last;"
        " a size of 1 is stretched.",
        "Make the sizes equal, or one of them 1.",
        "y = torch.ones(2) + torch.ones(3)",
        "y = torch.ones(2, 1) + torch.ones(3)",
    ),
    "E0302": Code(
        "Shapes do not fit.",
        "The operation needs sizes that match in a certain way; in a matrix product the columns of the"
        " first are the rows of the second.",
        "Transpose or reshape one of them; the message shows what fits.",
        "X = torch.ones(2, 3)\nW = torch.ones(2, 2)\nY = X @ W",
        "X = torch.ones(2, 3)\nW = torch.ones(2, 2)\nY = X.T @ W",
    ),
    "E0303": Code(
        "There is no such dimension.",
        "A tensor of n dimensions has the dimensions 0 to n-1, or -n to -1 counted from the end.",
        "Use one of those.",
        "y = torch.ones(2).sum(dim=1)",
        "y = torch.ones(2).sum(dim=0)",
    ),
    "E0304": Code(
        "A tensor of this many entries cannot have that shape.",
        "The sizes of a shape multiply to the number of entries.",
        "Choose sizes that do, or -1 for one that is to be computed.",
        "y = torch.ones(4).reshape(3)",
        "y = torch.ones(4).reshape(2, -1)",
    ),
    "E0305": Code(
        "Only a tensor of one entry is a number.",
        "`.item()`, `float()` and `int()` take the number out of a tensor that holds one.",
        "Pick an entry, or add them up.",
        "y = torch.ones(2).item()",
        "y = torch.ones(2).sum().item()",
    ),
    "E0306": Code(
        "A tensor of several entries is neither true nor false.",
        "`if`, `while`, `and`, `or` and `not` need one truth value.",
        "Use `.any()` or `.all()`.",
        "x = torch.ones(2)\nif x > 0:\n    print('positive')",
        "x = torch.ones(2)\nif (x > 0).all():\n    print('positive')",
    ),
    "E0307": Code(
        "This cannot index a tensor or be stored in one.",
        "Positions are integers, slices, lists, tensors of integers or conditions; entries are numbers.",
        "Index with one of those; store numbers or tensors.",
        "y = torch.ones(3)[1.5]",
        "y = torch.ones(3)[1]",
    ),
    "E0308": Code(
        "A tensor cannot be made from this.",
        "A tensor is made of numbers, or of lists of equal length.",
        "Fill up the short rows, or take the strings out.",
        "x = torch.tensor([[1], [2, 3]])",
        "x = torch.tensor([[1, 0], [2, 3]])",
    ),
    "E0310": Code(
        "A function was given arguments it does not take.",
        "There are too many, too few, one of the wrong type, or a keyword the function does not know.",
        "The message says what it takes.",
        "y = torch.exp(torch.ones(1), 2)",
        "y = torch.exp(torch.ones(1))",
    ),
    "E0311": Code(
        "A matrix is singular where it must not be.",
        "The matrix has no inverse: one of its rows is a combination of the others.",
        "Move it away from the singular point, for example by adding a small multiple of eye(n).",
        "y = linalg.inv(torch.zeros(2, 2))",
        "y = linalg.inv(torch.zeros(2, 2) + 0.1 * eye(2))",
    ),
    "E0312": Code(
        "Number types do not fit together.",
        "This operation needs operands of one type, or of a certain type.",
        "Convert one of them with `.to(...)`, or write its numbers with a decimal point. Numbers are float64"
        " here and float32 in PyTorch: `--dtype float32` makes them so.",
        "y = torch.tensor([1., 2.]) @ torch.tensor([1, 2])",
        "y = torch.tensor([1., 2.]) @ torch.tensor([1., 2.])",
    ),
}
