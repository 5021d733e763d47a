"""What other libraries call the functions of the language, and what to write for what it has not.

Keys are lower case without underscores. The values are names to try, the likeliest first; advice is for
what no edit of a name can repair.
"""

from __future__ import annotations

from autodiff.core.closest import folded, nearest

#: Names in numpy, math, MATLAB, TensorFlow, JAX and plain maths, with the names they have here.
SYNONYMS: dict[str, tuple[str, ...]] = {
    "ln": ("log",),
    "arcsin": ("asin",),
    "arccos": ("acos",),
    "arctan": ("atan",),
    "arctan2": ("atan2",),
    "arsinh": ("asinh",),
    "arcosh": ("acosh",),
    "artanh": ("atanh",),
    "sine": ("sin",),
    "cosine": ("cos",),
    "tangent": ("tan",),
    "tg": ("tan",),
    "sqroot": ("sqrt",),
    "squareroot": ("sqrt",),
    "power": ("pow",),
    "exponential": ("exp",),
    "fabs": ("abs",),
    "mod": ("remainder",),
    "logistic": ("sigmoid",),
    "array": ("tensor",),
    "asarray": ("tensor",),
    "ndarray": ("tensor",),
    "constant": ("tensor",),
    "converttotensor": ("tensor",),
    "matrix": ("tensor",),
    "vector": ("tensor",),
    "fromnumpy": ("tensor",),
    "dot": ("matmul", "dot"),
    "matvec": ("mv",),
    "concatenate": ("cat",),
    "concat": ("cat",),
    "append": ("cat",),
    "vcat": ("vstack",),
    "hcat": ("hstack",),
    "expanddims": ("unsqueeze",),
    "reducesum": ("sum",),
    "reducemean": ("mean",),
    "reduceprod": ("prod",),
    "reducemax": ("amax", "max"),
    "reducemin": ("amin", "min"),
    "average": ("mean",),
    "avg": ("mean",),
    "total": ("sum",),
    "product": ("prod",),
    "maximum": ("max",),
    "minimum": ("min",),
    "transpose": ("t",),
    "swapaxes": ("transpose",),
    "clipbyvalue": ("clamp",),
    "range": ("arange",),
    "random": ("rand",),
    "uniform": ("rand",),
    "randomuniform": ("rand",),
    "randomnormal": ("randn",),
    "identity": ("eye",),
    "inverse": ("inv", "linalg.inv"),
    "inv": ("linalg.inv",),
    "determinant": ("det",),
    "cast": ("to",),
    "astype": ("to",),
    "stopgradient": ("detach",),
    "gradient": ("grad",),
    "gradients": ("grad",),
    "derivative": ("grad",),
    "meansquarederror": ("F.mse_loss",),
    "mse": ("F.mse_loss",),
    "mseloss": ("F.mse_loss",),
    "meanabsoluteerror": ("F.l1_loss",),
    "mae": ("F.l1_loss",),
    "l1loss": ("F.l1_loss",),
    "bce": ("F.binary_cross_entropy",),
    "bceloss": ("F.binary_cross_entropy",),
    "bcewithlogitsloss": ("F.binary_cross_entropy_with_logits",),
    "binarycrossentropyloss": ("F.binary_cross_entropy",),
    "crossentropyloss": ("F.cross_entropy",),
    "softmaxcrossentropy": ("F.cross_entropy",),
    "nllloss": ("F.nll_loss",),
    "size": ("numel",),
    "length": ("numel",),
    "len": ("numel",),
    "tonumpy": ("numpy",),
    "value": ("item",),
    "values": ("tolist",),
    "gradfunction": ("grad_fn",),
    "zerograd": ("grad.zero_",),
    "add": ("add_",),
    "float64": ("double",),
    "float32": ("float",),
}

STEP = "write the step itself: `with torch.no_grad(): w -= lr * w.grad`, then `w.grad.zero_()`"
LAYERS = "write layers as functions of your own leaves: `F.linear(x, W, b)`, `relu(x)`, `F.mse_loss(y, t)`"
PICTURES = "scripts draw nothing: `autodiff graph FILE` and `--format svg` make pictures"
READS_NOTHING = "scripts read nothing: give values on the command line, as in --set 'x=[1, 2]'"
CLOSED = "a script computes and prints; there is nothing it could be used on here"

#: What to write instead of names that Python or PyTorch users reach for and the language has not.
ADVICE = {
    "nn": LAYERS,
    "Module": LAYERS,
    "Linear": LAYERS,
    "Sequential": LAYERS,
    "optim": STEP,
    "optimizer": STEP,
    "zero_grad": "write `w.grad.zero_()` for each leaf, or `w.grad = None`",
    "plt": PICTURES,
    "make_dot": PICTURES,
    "sys": READS_NOTHING,
    "dict": "there are no dicts: use a name for each value, or a list",
    "set": "there are no sets: use a list",
    "map": "write it as a list: `[f(x) for x in xs]`",
    "filter": "write it as a list: `[x for x in xs if test(x)]`",
    "iter": "loop over the list or the tensor itself",
    "next": "loop over the list or the tensor itself",
    "time": "nothing here has a clock: -v shows how long a run took",
    "random": "write `torch.rand(...)` or `torch.randn(...)`; --seed changes them",
    "self": "write functions of the weights, `def model(x, W, b):`, in place of a class",
    "super": "write functions of the weights, `def model(x, W, b):`, in place of a class",
    "cuda": "everything runs on the CPU here: leave it out",
    "device": "everything runs on the CPU here: leave it out",
    **dict.fromkeys(
        (
            *("eval", "exec", "compile", "getattr", "setattr", "hasattr", "globals", "locals", "vars", "dir"),
            *("os", "object", "memoryview", "breakpoint", "help", "exit", "quit"),
        ),
        CLOSED,
    ),
}


def synonyms(name: str) -> tuple[str, ...]:
    """The names to try for one that other libraries use, which may be misspelt too."""
    key = folded(name)
    if key not in SYNONYMS and len(key) > 4:
        key = next(iter(nearest(key, [other for other in SYNONYMS if len(other) > 4])), key)
    return SYNONYMS.get(key, ())
