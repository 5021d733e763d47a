"""Every error code: what it is about, what to do, and a script or command that shows it.

A test keeps the table complete: each code that the package can raise is here.
"""

from __future__ import annotations

CODES = {
    "E0100": ("The script does not compile.", "Look at the place the caret shows.", "x = = 3"),
    "E0101": (
        "A line or bracket ends where a value should follow.",
        "Add the value, or delete what asks for it.",
        "y = x *",
    ),
    "E0102": ("Something stands where it cannot.", "The message names what fits instead.", "x = 3 4"),
    "E0103": ("A bracket is not closed, or not opened.", "Add the bracket that is missing.", "y = (1 + 2"),
    "E0104": (
        "The indentation does not fit the lines around it.",
        "Line it up with the block it belongs to.",
        "x = 1\n  y = 2",
    ),
    "E0105": (
        "A `:` or the block after it is missing.",
        "Add what the message names.",
        "for i in range(3)\n    x = i",
    ),
    "E0106": (
        "A string is not finished or holds what is no character.",
        "Close the quote or fix the escape.",
        "s = 'abc",
    ),
    "E0107": (
        "A character has no meaning in a script, or a name is none.",
        "Delete the character, or choose another name.",
        "x = 3 $ 4",
    ),
    "E0108": ("This cannot be assigned to.", "Assign to a name, an entry or an attribute.", "a + b = 3"),
    "E0109": (
        "A number is written in a way that has no meaning.",
        "Write it as in 3, 0.5, 1e-3 or 0xff.",
        "x = 012",
    ),
    "E0110": (
        "This part of Python is not in the language.",
        "The message shows what to write instead.",
        "try:\n    x = 1",
    ),
    "E0200": ("The script failed while it ran.", "Look at the place the caret shows.", "assert 1 > 2"),
    "E0201": ("A name is bound nowhere.", "Check its spelling, or assign it first.", "y = x_1 + 1"),
    "E0202": (
        "A name is read before anything was assigned to it.",
        "Move the assignment up.",
        "y = x\nx = 1",
    ),
    "E0203": (
        "A value has the wrong type for what is done with it.",
        "Convert it, or use another operation.",
        "y = 'a' * 'b'",
    ),
    "E0204": (
        "A value has no such attribute or method.",
        "Check the spelling; the message names near ones.",
        "y = x.gard",
    ),
    "E0205": (
        "This cannot be looped over or unpacked.",
        "Loop over a list, a range or a tensor.",
        "for i in 3: pass",
    ),
    "E0206": (
        "A value is of the right type and still not allowed.",
        "The message says which values are.",
        "a, b = 1, 2, 3",
    ),
    "E0207": (
        "A number does not fit where it has to go.",
        "Use floats, or smaller numbers.",
        "n = 2**62 * 4",
    ),
    "E0208": (
        "A position lies outside of the list or tensor.",
        "Count from 0 to the length minus 1.",
        "y = [1, 2][2]",
    ),
    "E0209": ("This cannot be called.", "Write `*` to multiply; call only functions.", "y = 2 (x + 1)"),
    "E0210": ("An assertion does not hold.", "The script said so itself.", "assert x > 0"),
    "E0211": (
        "There is nothing of that name to import.",
        "The message lists what can be imported.",
        "import os",
    ),
    "E0212": (
        "A number is divided by zero.",
        "Python's numbers refuse it; tensors answer inf or nan.",
        "y = 1 / 0",
    ),
    "E0301": (
        "Shapes cannot be broadcast against each other.",
        "Make the sizes equal, or one of them 1.",
        "y = ones(2) + ones(3)",
    ),
    "E0302": (
        "Shapes do not fit.",
        "Transpose or reshape one of them; the message shows what fits.",
        "y = ones(2, 3) @ ones(2, 2)",
    ),
    "E0303": (
        "There is no such dimension.",
        "Dimensions count from 0, or from -1 at the end.",
        "y = ones(2).sum(dim=1)",
    ),
    "E0304": (
        "A tensor of this many entries cannot have that shape.",
        "The sizes must multiply to the number of entries.",
        "y = ones(4).reshape(3)",
    ),
    "E0305": ("Only a tensor of one entry is a number.", "Pick an entry, or sum.", "y = ones(2).item()"),
    "E0306": (
        "A tensor of several entries is neither true nor false.",
        "Use .any() or .all().",
        "if ones(2): pass",
    ),
    "E0307": (
        "This cannot index a tensor or be stored in one.",
        "Index with integers, slices, lists or tensors; store numbers or tensors.",
        "y = ones(3)[1.5]",
    ),
    "E0308": (
        "A tensor cannot be made from this.",
        "Give numbers in rows of equal length.",
        "x = tensor([[1], [2, 3]])",
    ),
    "E0310": (
        "A function was given arguments it does not take.",
        "The message says what it takes.",
        "y = exp(1, 2)",
    ),
    "E0311": (
        "A matrix is singular where it must not be.",
        "Move it away from the singular point.",
        "y = linalg.inv(zeros(2, 2))",
    ),
    "E0312": (
        "Number types do not fit together.",
        "Convert one of them with .to(...).",
        "y = tensor([1.]) @ tensor([1])",
    ),
    "E0401": (
        "backward() needs one number to start from.",
        "Sum the output, or say where to start: --grad-output ones.",
        "y = ones(3) * w\ny.backward()",
    ),
    "E0402": (
        "The graph was used up by an earlier backward().",
        "Call the first one with retain_graph=True.",
        "L.backward()\nL.backward()",
    ),
    "E0403": (
        "A value that backward() needs was changed in place.",
        "Change a copy, or write x = x + 1 instead of x += 1.",
        "y = exp(x)\ny += 1\ny.backward()",
    ),
    "E0404": (
        "Only floating-point tensors have gradients.",
        "Write 1. instead of 1, or use dtype=float64.",
        "x = tensor([1], requires_grad=True)",
    ),
    "E0405": (
        "requires_grad belongs to leaves.",
        "Set it where the tensor is made, or detach() first.",
        "y = x * 2\ny.requires_grad = False",
    ),
    "E0406": (
        "retain_grad() needs a tensor that requires a gradient.",
        "Make an input with requires_grad=True.",
        "tensor(1.).retain_grad()",
    ),
    "E0407": (
        "A leaf that requires a gradient cannot be changed in place.",
        "Do it under no_grad(), or on .data.",
        "w -= 0.1 * w.grad",
    ),
    "E0408": (
        "grad() was asked for a tensor that requires no gradient.",
        "Make it with requires_grad=True.",
        "grad(L, tensor(1.))",
    ),
    "E0409": (
        "The output does not depend on this tensor.",
        "Leave it out, or pass allow_unused=True.",
        "grad(L, unused)",
    ),
    "E0410": (
        "Nothing the output was made from requires a gradient.",
        "Make an input with requires_grad=True.",
        "tensor(1.).backward()",
    ),
    "E0411": (
        "The gradient to start from has another shape than the output.",
        "Give one entry for each entry of the output.",
        "y.backward(ones(2))",
    ),
    "E0412": (
        "A Function of yours answered with what cannot be used.",
        "Return one tensor per input, or None.",
        "return 3",
    ),
    "E0413": (
        "A Function of yours returned a gradient of the wrong shape.",
        "It must be shaped like its input.",
        "return g.sum()",
    ),
    "E0414": (
        "This has no derivative, or would lose it.",
        "Use detach(), or a function that has one.",
        "y = x // 2",
    ),
    "E0415": (
        "A tensor was changed through a view of it, which cannot be recorded here.",
        "Assign to the part itself, or change a clone.",
        "y = x[0]\ny += 1",
    ),
    "E0500": (
        "A limit stopped the script.",
        "The message names the option that raises it.",
        "while True: pass",
    ),
    "E0501": (
        "It is nested too deeply.",
        "Give parts names of their own, or write a loop.",
        "def f(n): return f(n + 1)",
    ),
    "E0502": (
        "It needs more memory than allowed.",
        "Use smaller shapes, or --max-memory.",
        "x = zeros(1000000, 1000000)",
    ),
    "E0503": (
        "It takes more steps than allowed.",
        "Check that loops end, or raise --max-steps.",
        "while True: pass",
    ),
    "E0505": (
        "The time given with --timeout is over.",
        "Give it more time.",
        "autodiff run --timeout 1 slow.ad",
    ),
    "E0600": (
        "The request does not fit the script.",
        "Check the names given to --of, --wrt and --set.",
        "autodiff grad seed1.ad --wrt w9",
    ),
    "E0601": (
        "A name given on the command line is not in the script.",
        "Check its spelling; the message names near ones.",
        "autodiff grad seed1.ad --wrt w9",
    ),
    "E0602": (
        "--set cannot replace this name: the script never assigns it plainly.",
        "Assign it with `NAME = ...` in the script.",
        "autodiff run --set i=3 loop.ad",
    ),
    "E0603": (
        "A name given on the command line is not a number or tensor.",
        "Name a tensor.",
        "autodiff grad --of f script.ad",
    ),
    "E0604": (
        "The script computes nothing that could be differentiated.",
        "Assign a result, or name one with --of.",
        "autodiff grad -e 'print(1)'",
    ),
    "E0605": (
        "--grad-output has the wrong type.",
        "Give `ones`, a number or a list.",
        "autodiff grad --grad-output None script.ad",
    ),
    "E0610": ("The command line makes no sense.", "See autodiff COMMAND --help.", "autodiff grad --wrtt w1"),
    "E0611": ("The script cannot be read.", "Check its name and permissions.", "autodiff run missing.ad"),
    "E0612": (
        "The script is larger than allowed.",
        "Raise the limit with --max-script.",
        "autodiff run /dev/zero",
    ),
    "E0613": ("The script is not text in UTF-8.", "Save it as UTF-8.", "autodiff run picture.png"),
    "E0614": (
        "Bare numbers cannot show this gradient.",
        "Use --format json, or ask for one input with --wrt.",
        "autodiff grad --wrt W,b net.ad | cat",
    ),
    "E0615": ("There is no such help topic.", "`autodiff help` lists them.", "autodiff help E9999"),
    "E0700": (
        "The output could not be written.",
        "Check the disk and what follows in the pipe.",
        "autodiff run seed1.ad > /dev/full",
    ),
    "E0900": ("A mistake in autodiff itself.", "Please report it with the script.", ""),
    "W0100": ("A warning of the script, in PyTorch's words.", "-q silences it.", "x = 1e400"),
}
