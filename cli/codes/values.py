"""Error codes for run-time failures of names, numbers, lists and calls."""

from __future__ import annotations

from autodiff.cli.codes.code import Code

LEAF = "x = torch.tensor([1., 2.], requires_grad=True)\n"

CODES = {
    "E0200": Code(
        "The script failed while it ran.",
        "An operation was asked for something it cannot do, and no other code describes it better.",
        "The message says what was wrong with the values.",
        "x = torch.tensor([1, 2])\ny = x // 0",
        "x = torch.tensor([1., 2.])\ny = x / 2",
    ),
    "E0201": Code(
        "A name is bound nowhere.",
        "No line of the script assigns this name, no function has it as a parameter, and it is no builtin.",
        "Check its spelling, or assign it first.",
        "x1 = 2.0\ny = x_1 + 1",
        "x1 = 2.0\ny = x1 + 1",
    ),
    "E0202": Code(
        "A name is read before anything was assigned to it.",
        "A line assigns this name, but it had not run yet.",
        "Move the assignment up.",
        "y = x + 1\nx = 1.0",
        "x = 1.0\ny = x + 1",
    ),
    "E0203": Code(
        "A value has the wrong type for what is done with it.",
        "Numbers, strings, lists and tensors each have their own operations.",
        "Convert it, as in `float(s)` or `torch.tensor(v)`, or use another operation.",
        "y = 'a' * 'b'",
        "y = 'a' + 'b'",
    ),
    "E0204": Code(
        "A value has no such attribute or method.",
        "Nothing of that name belongs to a value of this type.",
        "Check the spelling; the message names near ones. `autodiff ops` lists the functions and methods of"
        " tensors, and docs/language.md has their attributes and what lists and strings can do.",
        LEAF + "print(x.gard)",
        LEAF + "print(x.grad)",
    ),
    "E0205": Code(
        "This cannot be looped over or unpacked.",
        "`for` and `a, b = ...` take values one by one, and a number or a function holds none.",
        "Loop over a list, a range or a tensor.",
        "for i in 3:\n    print(i)",
        "for i in range(3):\n    print(i)",
    ),
    "E0206": Code(
        "A value is of the right type and still not allowed.",
        "There are too many or too few values, or one is outside of the allowed range.",
        "The message says which values are allowed.",
        "a, b = 1, 2, 3",
        "a, b, c = 1, 2, 3",
    ),
    "E0207": Code(
        "A number does not fit where it has to go.",
        "Integers have 64 bits: they go from -2**63 to 2**63 - 1.",
        "Write one number with a decimal point to compute in floats, or use smaller numbers.",
        "n = 2 ** 62 * 4",
        "n = 2.0 ** 62 * 4",
    ),
    "E0208": Code(
        "A position is outside of the list or tensor.",
        "The first position is 0 and the last one the length minus 1, or counted from the end -1.",
        "Use a position inside, or -1 for the last.",
        "x = [1, 2]\ny = x[2]",
        "x = [1, 2]\ny = x[-1]",
    ),
    "E0209": Code(
        "This cannot be called.",
        "A bracket after a value calls it, and a number, list or tensor is no function.",
        "Write `*` to multiply; call only functions.",
        "x = 3\ny = 2 (x + 1)",
        "x = 3\ny = 2 * (x + 1)",
    ),
    "E0210": Code(
        "An assertion does not hold.",
        "The condition after `assert` is false: the script itself asked to stop then.",
        "Find out why the condition is false, or change it.",
        'x = -1.0\nassert x > 0, "x is to be positive"',
        'x = 1.0\nassert x > 0, "x is to be positive"',
    ),
    "E0211": Code(
        "There is nothing of that name to import.",
        "Scripts import from torch, math and numpy what autodiff has of them, and nothing else.",
        "Leave the import out: the functions of torch, math and numpy can be used without it.",
        "import socket",
        "import math",
    ),
    "E0212": Code(
        "A number is divided by zero.",
        "Dividing a Python number by zero is an error; tensors give inf or nan.",
        "Test the divisor first, or divide a tensor.",
        "y = 1 / 0",
        "y = torch.tensor(1.) / 0",
    ),
}
