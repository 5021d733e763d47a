"""The parts of PyTorch and related packages that the script language lacks, with what to write instead.

Each entry is a complete short script; a diagnostic shows its relevant lines, and a test runs all of them. The
module is loaded when a script imports or uses something absent.
"""

from __future__ import annotations

import os

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.source import Span
from autodiff.grammar.objects.absent_functions import ABSENT_FUNCTIONS
from autodiff.grammar.objects.rewrite import Rewrite
from autodiff.grammar.objects.values import UNBOUND, Namespace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The text at the caret by error code.
CARETS = {
    "E0140": "a layer keeps its weights inside; here weights are leaves of the script",
    "E0141": "here the script takes the steps itself",
    "E0142": "everything runs on the CPU here",
    "E0143": "scripts read and write no files",
    "E0145": "a script of torch has no arrays of numpy",
    "E0146": "there is no such number type here",
    "E0147": "functions are not transformed or compiled here",
    "E0148": "this is not part of the language",
    "E0149": "PyTorch has this function, but the language does not",
}

DATA = "x = torch.tensor([[1.0, 2.0, 3.0], [0.5, -1.0, 2.0]])\n"
WEIGHTS = DATA + "W1, b1 = torch.ones(4, 3), torch.zeros(4)\nW2, b2 = torch.ones(1, 4), torch.zeros(1)\n"
LOSS = "w = torch.tensor([1.0, -2.0], requires_grad=True)\nloss = (w ** 2).sum()\nloss.backward()\n"

LINEAR = Rewrite(
    "make its weights leaves, and a function that uses them, as in",
    "W = torch.randn(1, 3, requires_grad=True)\nb = torch.zeros(1, requires_grad=True)\n"
    "y = F.linear(x, W, b)",
    DATA,
    "print(y.shape, W.grad)",
)
MODEL = Rewrite(
    "make its weights leaves, and a function of `F` that uses them, as in",
    "y = F.linear(x, W1, b1)",
    WEIGHTS,
    "print(y)",
)
SEQUENTIAL = Rewrite(
    "call the functions one after the other",
    "h = torch.relu(F.linear(x, W1, b1))\ny = F.linear(h, W2, b2)",
    WEIGHTS,
    "print(y)",
)
EMBEDDING = Rewrite(
    "pick rows of a leaf",
    "table = torch.randn(5, 2, requires_grad=True)\nrows = table[ids]",
    "ids = torch.tensor([0, 3, 3])\n",
    "print(rows.shape)",
)
INIT = Rewrite(
    "make the leaf with its first values, as in",
    "w = (0.1 * torch.randn(3, 2)).requires_grad_()",
    "",
    "print(w.shape, w.is_leaf)",
    "here weights get their first values when they are made",
)
CLIP = Rewrite(
    "scale the gradients, as in",
    "norm = w.grad.norm()\nif norm > 1.0:\n    w.grad.mul_(1.0 / norm)",
    LOSS,
    "print(w.grad)",
    "gradients are tensors that the script can change",
)
STEPS = Rewrite(
    "take the steps after backward(), as in",
    "with torch.no_grad():\n    w -= 0.1 * w.grad\nw.grad.zero_()",
    LOSS,
    "print(w, w.grad)",
)
SCHEDULE = Rewrite(
    "compute the step size, as in",
    "for epoch in range(30):\n    lr = 0.1 * 0.5 ** (epoch // 10)",
    "",
    "print(lr)",
    "the size of a step is a number of the script",
)
BATCHES = Rewrite(
    "put the data into tensors and slice them, as in",
    "for start in range(0, len(x), 2):\n    batch, labels = x[start:start + 2], y[start:start + 2]",
    "x = torch.arange(8.0).reshape(4, 2)\ny = torch.tensor([0, 1, 1, 0])\n",
    "    print(batch, labels)",
    "data is kept in tensors, and batches are slices of them",
)
READ = Rewrite(
    "write the numbers into the script, or give them with --set",
    "x = torch.tensor([1.0, 2.0])",
    "",
    "print(x)",
)
FILE = Rewrite(
    "delete what reads the file, and give it with the command: --data FILE makes a variable of each column",
    "",
    "",
    "print(1)",
)
ASKED = Rewrite(
    "write the numbers into the script, or give them with --set",
    "x = torch.tensor(2.0)",
    "",
    "print(x)",
    "a script takes no input while it runs",
)
WRITE = Rewrite("print what you want to keep", "print(w.tolist())", LOSS, "")
ARRAY = Rewrite("write a tensor", "x = torch.tensor([1.0, 2.0])", "", "print(x)")
HALF = Rewrite("take float32 or float64", "x = torch.ones(2, dtype=torch.float32)", "", "print(x.dtype)")
LARGER = Rewrite("take np.int64, whose whole numbers go further and do not go round", "", "", "print(1)")
SINGLE = Rewrite("take np.float32 or np.float64", "", "", "print(1)")
COMPLEX = Rewrite(
    "keep the real and the imaginary part in two tensors",
    "real, imag = torch.zeros(2), torch.zeros(2)",
    "",
    "print(real, imag)",
)
NORMAL = Rewrite("draw with torch", "x = torch.randn(3)", "", "print(x.shape)")
CUDA = Rewrite("leave it out", "", "", "print(torch.ones(2).device)")
F_OF_X = "def f(x):\n    return (x ** 3).sum()\n\nx = torch.tensor([1.0, 2.0])\n"
SLOPE = Rewrite(
    "ask for the derivative at a point, as in",
    "slope = torch.autograd.functional.jacobian(f, x)",
    F_OF_X,
    "print(slope)",
)
JVP = Rewrite(
    "ask for the derivative along a direction",
    "y, slope = torch.autograd.functional.jvp(f, x, v)",
    F_OF_X + "v = torch.tensor([1.0, 0.0])\n",
    "print(y, slope)",
    "a run records what backward passes need, and no dual numbers",
)
HESSIAN = Rewrite(
    "ask for it at a point, as in", "H = torch.autograd.functional.hessian(f, x)", F_OF_X, "print(H)"
)
VMAP = Rewrite(
    "stack the results",
    "ys = torch.stack([f(row) for row in xs])",
    F_OF_X + "xs = torch.stack([x, 2 * x])\n",
    "print(ys)",
)
COMPILED = Rewrite("the function itself does the same", "y = f(x)", F_OF_X, "print(y)")
CLOCK = Rewrite("leave it out: -v shows how long a run took", "", "", "print(1)")
DRAWN = Rewrite("draw with torch", "i = torch.randint(0, 10, (1,)).item()", "", "print(i < 10)")
SHUFFLED = Rewrite(
    "take the entries in the order of torch.randperm",
    "xs = [xs[i] for i in torch.randperm(len(xs)).tolist()]",
    "xs = [1, 2, 3]\n",
    "print(len(xs))",
)
COPIED = Rewrite("copy the tensor", "v = w.detach().clone()", LOSS, "print(v)")
LEFT_OUT = Rewrite("leave it out", "", "", "print(1)")


#: The error code and the rewrite by full name, or by a prefix of names written as ``prefix.*``.
ABSENT_NAMES: dict[str, tuple[str, Rewrite]] = {
    "torch.nn.Linear": ("E0140", LINEAR),
    "torch.nn.Sequential": ("E0140", SEQUENTIAL),
    "torch.nn.Embedding": ("E0140", EMBEDDING),
    "torch.nn.init.*": ("E0140", INIT),
    "torch.nn.utils.clip_grad_norm_": ("E0140", CLIP),
    "torch.nn.utils.clip_grad_value_": ("E0140", CLIP),
    "torch.nn.*": ("E0140", MODEL),
    "torch.optim.lr_scheduler.*": ("E0141", SCHEDULE),
    "torch.optim.*": ("E0141", STEPS),
    "torch.cuda.*": ("E0142", CUDA),
    "torch.amp.*": ("E0142", CUDA),
    "torch.autocast": ("E0142", CUDA),
    "torch.profiler.*": ("E0148", CLOCK),
    "torch.autograd.profiler.*": ("E0148", CLOCK),
    "torch.autograd.graph.*": ("E0148", LEFT_OUT),
    "torch.backends.*": ("E0142", CUDA),
    "torch.utils.data.*": ("E0143", BATCHES),
    "torch.utils.*": ("E0143", READ),
    "torch.hub.*": ("E0143", READ),
    "torch.load": ("E0143", READ),
    "torch.save": ("E0143", WRITE),
    **{f"numpy.{name}": ("E0143", FILE) for name in ("load", "loadtxt", "genfromtxt", "fromfile")},
    "numpy.save": ("E0143", WRITE),
    "open": ("E0143", FILE),
    "input": ("E0143", ASKED),
    "torchvision.*": ("E0143", READ),
    "pandas.*": ("E0143", FILE),
    "torch.from_numpy": ("E0145", ARRAY),
    **{
        f"numpy.{name}": ("E0145", ARRAY)
        for name in (
            *(
                "array",
                "asarray",
                "ndarray",
                "zeros",
                "ones",
                "full",
                "eye",
                "arange",
                "linspace",
                "meshgrid",
            ),
            *("dot", "matmul", "concatenate", "stack", "mean", "sum", "std", "var", "max", "min", "argmax"),
            *("float32", "float64", "int32", "int64", "uint8", "bool_"),
            *("allclose", "isclose", "maximum", "minimum", "reshape", "where"),
        )
    },
    "numpy.random.*": ("E0145", NORMAL),
    "numpy.random.shuffle": ("E0145", SHUFFLED),
    "numpy.random.permutation": ("E0145", SHUFFLED),
    "numpy.linalg.*": ("E0145", ARRAY),
    **{
        f"torch.{name}": ("E0146", HALF)
        for name in (
            *("float16", "half", "bfloat16", "int8", "int16", "short", "uint16", "uint32", "uint64"),
            *("HalfTensor", "CharTensor", "ShortTensor", "BFloat16Tensor"),
        )
    },
    **{
        f"torch.{name}": ("E0146", COMPLEX)
        for name in (
            *("complex32", "complex64", "complex128", "cfloat", "cdouble", "chalf", "complex", "polar"),
            "view_as_complex",
        )
    },
    **{
        f"numpy.{name}": ("E0146", LARGER)
        for name in ("int8", "int16", "short", "byte", "uint16", "uint32", "uint64", "uint", "ushort")
    },
    **{f"numpy.{name}": ("E0146", SINGLE) for name in ("float16", "half", "float128", "longdouble")},
    **{f"numpy.{name}": ("E0146", COMPLEX) for name in ("complex64", "complex128")},
    "Tensor.half": ("E0146", HALF),
    "Tensor.bfloat16": ("E0146", HALF),
    "Tensor.short": ("E0146", HALF),
    "Tensor.char": ("E0146", HALF),
    "torch.autograd.forward_ad.*": ("E0147", JVP),
    "torch.func.jvp": ("E0147", JVP),
    "torch.func.hessian": ("E0147", HESSIAN),
    "torch.func.vmap": ("E0147", VMAP),
    "torch.vmap": ("E0147", VMAP),
    "torch.func.*": ("E0147", SLOPE),
    "torch.compile": ("E0147", COMPILED),
    "torch.jit.*": ("E0147", COMPILED),
    "functorch.*": ("E0147", SLOPE),
    "time.*": ("E0148", CLOCK),
    "random.*": ("E0148", DRAWN),
    "random.shuffle": ("E0148", SHUFFLED),
    "random.sample": ("E0148", SHUFFLED),
    "copy.*": ("E0148", COPIED),
    **{
        f"{name}.*": ("E0148", LEFT_OUT)
        for name in (
            "os",
            "sys",
            "collections",
            "dataclasses",
            "functools",
            "itertools",
            "typing",
            "warnings",
        )
    },
    **{name: ("E0149", rewrite) for name, rewrite in ABSENT_FUNCTIONS.items()},
}
#: Absent modules that may be imported; the error is raised where they are used.
IMPORTABLE = frozenset(
    [
        *("torch.func", "torch.optim.lr_scheduler", "torch.utils.data", "torch.distributions", "functorch"),
        *("torch.nn.init", "torch.nn.utils", "torch.fft", "torch.cuda.amp"),
        *("torchvision", "torchvision.datasets", "torchvision.transforms"),
        *("pandas", "os", "copy", "typing", "collections", "dataclasses", "functools", "itertools"),
        "torch.autograd.forward_ad",
    ]
)
#: Absent namespaces that can be read as attributes, so that the error names the member used.
READABLE_NAMESPACES = frozenset(
    [
        *("torch.func", "torch.fft", "torch.jit", "torch.cuda.amp", "torch.nn.init", "torch.nn.utils"),
        *("torch.optim.lr_scheduler", "torchvision.datasets", "torch.distributions"),
        "torch.autograd.forward_ad",
    ]
)
#: The usual short names of modules in scripts.
USUAL_NAMES = {
    "torch.nn.functional.": "F.",
    "torch.nn.": "nn.",
    "torch.optim.": "optim.",
    "numpy.": "np.",
}


def absent_entry(name: str) -> tuple[str, Rewrite] | None:
    """Return the code and the rewrite for a full name or its longest listed prefix; None if unknown."""
    if name in ABSENT_NAMES or name.startswith("torch.nn.functional."):
        return ABSENT_NAMES.get(name)
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        found = ABSENT_NAMES.get(".".join(parts[:count]) + ".*")
        if found is not None:
            return found
    return None


def usual_name(name: str) -> str:
    """Return a full name as scripts usually write it: ``nn.Linear``."""
    for beginning, short in USUAL_NAMES.items():
        if name.startswith(beginning):
            return short + name[len(beginning) :]
    return name if not name.startswith("Tensor.") else f"{name[6:]}()"


def exists_in_torch(name: str) -> bool:
    """Whether torch has a public function of this full name that is missing here, by ``torch_names.txt``."""
    owner, _, member = name.rpartition(".")
    with open(os.path.join(os.path.dirname(__file__), "torch_names.txt"), encoding="utf-8") as lines:
        return any(member in names for of, *names in map(str.split, lines) if of == owner)


def absence_error(name: str, span: Span | None = None) -> ScriptError | None:
    """Return the error for the use of something absent that is in the table; None if it is not."""
    found = absent_entry(name)
    if found is None:
        return None
    code, rewrite = found
    return ScriptError(
        f"`{usual_name(name)}` is not in the language",
        code=code,
        caret=rewrite.caret or CARETS[code],
        help=(rewrite.help,),
        span=span,
        repair_context=(name,),
    )


def torch_only_error(name: str, span: Span) -> ScriptError | None:
    """Return the error for a function that only torch has; None if torch has none of this full name."""
    if not exists_in_torch(name):
        return None
    message = f"`{usual_name(name)}` is not in the language"
    return ScriptError(message, code="E0149", caret=CARETS["E0149"], span=span, repair_context=(name,))


def absent_namespace(name: str) -> Namespace:
    """Return the namespace bound by the import of an absent module; every use of a member is an error."""

    def find(member: str) -> Any:
        inner = f"{name}.{member}"
        return absent_namespace(inner) if inner in IMPORTABLE else UNBOUND

    return Namespace(name, find, list)
