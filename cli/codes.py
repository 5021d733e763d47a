"""Every error code: its cause, the remedy, an example that makes the mistake, and the same one mended.

An example is a complete script, or a complete command where the command line makes the mistake. A test runs
both of every code, and keeps the table complete: each code that the package can raise is here, and no other.
"""

from __future__ import annotations


class Code:
    """What ``autodiff help CODE`` tells: ``title`` in a line, ``cause`` and ``remedy`` in a sentence or two."""

    __slots__ = ("cause", "example", "mended", "remedy", "title")

    def __init__(self, title: str, cause: str, remedy: str, example: str, mended: str) -> None:
        self.title = title
        self.cause = cause
        self.remedy = remedy
        self.example = example
        self.mended = mended

    @property
    def is_command(self) -> bool:
        """Whether the example is a command line and not a script."""
        return self.example.startswith("autodiff ")


LEAF = "x = torch.tensor([1., 2.], requires_grad=True)\n"
W = "w = torch.tensor(3., requires_grad=True)\n"
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
    "E0101": Code(
        "A line or bracket ends where a value should follow.",
        "A sign such as `*` or `=` asks for a value after it, and there the line or the bracket ends.",
        "Add the value, or delete the sign that asks for it.",
        "x = 3\ny = x *",
        "x = 3\ny = x * 2",
    ),
    "E0102": Code(
        "Something stands where it cannot.",
        "Two things stand side by side that nothing connects, or a word or sign is out of place.",
        "Put the missing sign or comma between them; the message names what fits.",
        "x = 3 4",
        "x = 3 * 4",
    ),
    "E0103": Code(
        "A bracket is not closed, or not opened.",
        "Every `(`, `[` and `{` needs its partner, in the right order.",
        "Add the bracket that is missing, or delete the one too many.",
        "y = (1 + 2",
        "y = (1 + 2)",
    ),
    "E0104": Code(
        "The indentation does not fit the lines around it.",
        "The lines of a block begin in one column; a line that begins elsewhere belongs to no block.",
        "Line it up with the block it belongs to.",
        "x = 1\n  y = 2",
        "x = 1\ny = 2",
    ),
    "E0105": Code(
        "A `:` or the block after it is missing.",
        "`if`, `for`, `while`, `def`, `class` and `with` end in `:`, and indented lines follow.",
        "Add the `:`, or the lines that belong under it.",
        "for i in range(3)\n    print(i)",
        "for i in range(3):\n    print(i)",
    ),
    "E0106": Code(
        "A string is not finished or holds what is no character.",
        "The quote that opens a string has no partner on its line, or a `\\` in it begins nothing known.",
        "Close the quote, or write the backslash twice.",
        "s = 'abc",
        "s = 'abc'",
    ),
    "E0107": Code(
        "A character has no meaning in a script, or a name is none.",
        "Signs such as `$` and `?` mean nothing here, and names begin with a letter.",
        "Delete the character, or choose another name.",
        "x = 3 $ 4",
        "x = 3 - 4",
    ),
    "E0108": Code(
        "This cannot be assigned to.",
        "On the left of `=` stands a sum, a call or a number, which are no places to keep a value.",
        "Assign to a name, an entry `x[0]`, or an attribute; compare with `==`.",
        "a = 1\na + 1 = 3",
        "a = 1\nb = a + 1",
    ),
    "E0109": Code(
        "A number is written in a way that has no meaning.",
        "It begins with 0 and goes on, has two points, or breaks off after its `e` or `x`.",
        "Write it as in 3, 0.5, 1e-3 or 0xff.",
        "x = 012",
        "x = 12",
    ),
    "E0110": Code(
        "This part of Python is not in the language.",
        "The script uses a statement or a form of Python that autodiff does not run.",
        "The message shows what to write instead; docs/language.md has the whole list.",
        "x = 2.0\ntry:\n    y = 1 / x\nexcept ZeroDivisionError:\n    y = 0.0",
        "x = 2.0\nif x != 0:\n    y = 1 / x\nelse:\n    y = 0.0",
    ),
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
        "Check the spelling; the message names near ones.",
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
        "There are too many or too few values, or one lies outside of what is possible.",
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
        "A position lies outside of the list or tensor.",
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
        "Leave the import out; the message lists what can be imported.",
        "import os",
        "import math",
    ),
    "E0212": Code(
        "A number is divided by zero.",
        "Python's numbers refuse to be divided by zero; tensors answer inf or nan.",
        "Test the divisor first, or divide a tensor.",
        "y = 1 / 0",
        "y = torch.tensor(1.) / 0",
    ),
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
        "Choose sizes that do, or -1 for one that is to be worked out.",
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
        "Convert one of them with `.to(...)`, or write its numbers with a decimal point.",
        "y = torch.tensor([1., 2.]) @ torch.tensor([1, 2])",
        "y = torch.tensor([1., 2.]) @ torch.tensor([1., 2.])",
    ),
    "E0401": Code(
        "backward() needs one number to start from.",
        "The derivative of one number is a gradient; for several numbers it is said by how much each counts.",
        "Sum the output, or give backward() a weight for each entry; --grad-output does it from outside.",
        LEAF + "y = x ** 2\ny.backward()",
        LEAF + "y = x ** 2\ny.sum().backward()",
    ),
    "E0402": Code(
        "The graph was used up by an earlier backward().",
        "A pass backward frees the values the operations kept, so a graph serves one pass.",
        "Call the first one with retain_graph=True, or compute the output anew.",
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
        "Integers cannot change by a little, so nothing can be differentiated by them.",
        "Write 1. instead of 1, or use dtype=torch.float64.",
        "x = torch.tensor([1, 2], requires_grad=True)",
        "x = torch.tensor([1., 2.], requires_grad=True)",
    ),
    "E0405": Code(
        "requires_grad belongs to leaves.",
        "What an operation made requires a gradient when its operands do; that cannot be switched off.",
        "Set it where the tensor is made, or detach() the result.",
        LEAF + "y = x * 2\ny.requires_grad = False",
        LEAF + "y = (x * 2).detach()\ny.requires_grad = False",
    ),
    "E0406": Code(
        "retain_grad() needs a tensor that requires a gradient.",
        "This tensor was made from nothing that requires one, so none will come back to it.",
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
        "Nothing was recorded for this input, so there is nothing to follow back.",
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
        "Nothing the output was made from requires a gradient.",
        "No input was marked, or the graph was cut by no_grad(), detach(), item() or float().",
        "Make an input with requires_grad=True, and keep the values tensors on the way.",
        "w = torch.tensor(3.)\nL = w ** 2\nL.backward()",
        W + "L = w ** 2\nL.backward()",
    ),
    "E0411": Code(
        "The gradient to start from has another shape than the output.",
        "Each entry of the output gets its own weight.",
        "Give one entry for each entry of the output, as in `torch.ones_like(y)`.",
        LEAF + "y = x ** 2\ny.backward(torch.ones(3))",
        LEAF + "y = x ** 2\ny.backward(torch.ones_like(y))",
    ),
    "E0412": Code(
        "A Function of yours answered with what cannot be used.",
        "forward returns a tensor; backward returns a tensor or None for each argument of forward.",
        "Return one of those.",
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
        "This has no derivative, or would lose it.",
        "The operation jumps, as `//` does, so torch gives it no derivative.",
        "Use detach() before it, or a function that has a derivative.",
        LEAF + "y = (x // 2).sum()\ny.backward()",
        LEAF + "y = (x / 2).sum()\ny.backward()",
    ),
    "E0415": Code(
        "A tensor was changed through a view of it, which cannot be recorded here.",
        "The view is part of a tensor that is in the graph, and what it became would not be known there.",
        "Assign to the part itself, or change a clone.",
        LEAF + "y = x * 2\nz = y[0]\nz += 1",
        LEAF + "y = x * 2\ny[0] += 1",
    ),
    "E0500": Code(
        "A limit stopped the script.",
        "The script has more words and signs than are read by default.",
        "Raise the limit, or write a loop.",
        "autodiff run -e 'x = 1' --max-tokens 2",
        "autodiff run -e 'x = 1' --max-tokens 100",
    ),
    "E0501": Code(
        "It is nested too deeply.",
        "A function calls itself without end, or brackets stand in brackets thousands of times.",
        "Let the function end, write a loop, or raise --max-depth.",
        "autodiff run --max-depth 100 -e 'def f(n): return f(n + 1)' -e 'f(0)'",
        "autodiff run --max-depth 100 -e 'def f(n): return n if n > 9 else f(n + 1)' -e 'f(0)'",
    ),
    "E0502": Code(
        "It needs more memory than allowed.",
        "The result would be larger than --max-memory; that is checked before anything is computed.",
        "Use smaller shapes, or raise --max-memory.",
        "x = torch.zeros(1000000, 1000000)",
        "x = torch.zeros(1000, 1000)",
    ),
    "E0503": Code(
        "It takes more steps than allowed.",
        "A loop does not end, or there is more to do than --max-steps lets through.",
        "Check that the loop ends, or raise --max-steps.",
        "autodiff run --max-steps 1000 -e 'while True: pass'",
        "autodiff run --max-steps 1000 -e 'for i in range(100): pass'",
    ),
    "E0505": Code(
        "The time given with --timeout is over.",
        "The command was still at work and was stopped.",
        "Give it more time, or 0 for no limit.",
        "autodiff run --timeout 0.2 --max-steps 0 -e 'while True: pass'",
        "autodiff run --timeout 20 -e 'for i in range(100): pass'",
    ),
    "E0600": Code("", "", "", "", ""),
    "E0601": Code(
        "A name given on the command line is not in the script.",
        "--of, --wrt and --set name variables of the script.",
        "Check its spelling; the message names near ones.",
        "autodiff grad --wrt w9 -e 'w1 = 3; L = w1**2'",
        "autodiff grad --wrt w1 -e 'w1 = 3; L = w1**2'",
    ),
    "E0602": Code(
        "--set cannot replace this name: the script never assigns it plainly.",
        "The script binds the name in another way: by a loop, a function, an unpacking or an import.",
        "Assign it with `NAME = ...` in the script, or set another name.",
        "autodiff run --set i=3 -e 'for i in range(2): pass'",
        "autodiff run --set n=3 -e 'n = 2' -e 'for i in range(n): pass'",
    ),
    "E0603": Code(
        "A name given on the command line is not a number or tensor.",
        "Only numbers and tensors can be differentiated, or be differentiated by.",
        "Name a tensor.",
        "autodiff grad --of f -e 'f = lambda x: x**2; w = 3; L = f(w)'",
        "autodiff grad --of L -e 'f = lambda x: x**2; w = 3; L = f(w)'",
    ),
    "E0604": Code(
        "The script computes nothing that could be differentiated.",
        "No line assigns a number or tensor that depends on an input.",
        "Assign a result, or name one with --of.",
        "autodiff grad -e 'print(1)'",
        "autodiff grad -e 'w = 3; L = w**2'",
    ),
    "E0605": Code(
        "--grad-output has the wrong type.",
        "It gives the weight of each entry of the output.",
        "Give `ones`, a number or a list of numbers.",
        "autodiff grad --grad-output None -e 'x = ones(2, requires_grad=True); y = x**2'",
        "autodiff grad --grad-output ones -e 'x = ones(2, requires_grad=True); y = x**2'",
    ),
    "E0610": Code(
        "The command line makes no sense.",
        "An option does not exist, lacks its value, or has one that it does not take.",
        "See `autodiff COMMAND --help`.",
        "autodiff grad --wrtt w -e 'w = 3; L = w**2'",
        "autodiff grad --wrt w -e 'w = 3; L = w**2'",
    ),
    "E0611": Code(
        "The script cannot be read.",
        "There is no file of that name, it is a directory, or you may not read it.",
        "Check its name and permissions; -e takes code on the line.",
        "autodiff run missing.ad",
        "autodiff run -e 'w = 3; L = w**2'",
    ),
    "E0612": Code(
        "The script is larger than allowed.",
        "Reading stops at 16 MiB, so that a wrong file name cannot fill the memory.",
        "Raise the limit with --max-script.",
        "autodiff run --max-script 5 -e 'w = 3; L = w**2'",
        "autodiff run --max-script 1K -e 'w = 3; L = w**2'",
    ),
    "E0613": Code(
        "The script is not text in UTF-8.",
        "The file holds bytes that are no UTF-8: it is a picture or an archive, or has another encoding.",
        "Save it as UTF-8.",
        "printf 'L = 2\\377' | autodiff run -",
        "printf 'w = 3; L = w**2' | autodiff run -",
    ),
    "E0614": Code(
        "Bare numbers cannot show this gradient.",
        "In a pipe `grad` writes numbers alone, and of several tensors nobody could tell where one ends.",
        "Use --format json, or ask for one input with --wrt.",
        "autodiff grad --format plain -e 'a = ones(2, requires_grad=True)'"
        " -e 'b = ones(2, requires_grad=True); L = (a * b).sum()'",
        "autodiff grad --format json -e 'a = ones(2, requires_grad=True)'"
        " -e 'b = ones(2, requires_grad=True); L = (a * b).sum()'",
    ),
    "E0615": Code(
        "There is no such help topic.",
        "Topics are the commands, the codes, and a few more.",
        "`autodiff help` lists them.",
        "autodiff help E9999",
        "autodiff help E0401",
    ),
    "E0700": Code(
        "The output could not be written.",
        "The disk is full, standard output is closed, or the device takes no more.",
        "Check the disk, and where the output goes.",
        "autodiff grad -e 'w = 3; L = w**2' > /dev/full",
        "autodiff grad -e 'w = 3; L = w**2' > /dev/null",
    ),
    "E0900": Code(
        "A mistake in autodiff itself.",
        "Something happened that autodiff did not expect. No script is known that makes it happen.",
        "Please report it with the script; AUTODIFF_DEBUG=1 shows where it happened.",
        "",
        "",
    ),
    "W0100": Code(
        "A warning of the script, in PyTorch's words.",
        "The script runs on, and something about it is probably not meant.",
        "Read it and change the line it points at; -q silences warnings.",
        LEAF + "y = x * 2\ny.sum().backward()\nprint(y.grad)",
        LEAF + "y = x * 2\ny.retain_grad()\ny.sum().backward()\nprint(y.grad)",
    ),
}
