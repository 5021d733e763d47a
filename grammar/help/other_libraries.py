"""Names from other libraries: the synonyms here, and advice on what to write for names without one.

Synonyms are keyed by lower-case names without underscores; the values are the names to try, the likeliest
first. Advice is for what no change of a name can repair. ``objects.absent_table`` has the advice on imports.
"""

from __future__ import annotations

from autodiff.core.base.did_you_mean import fold_name, similar_names

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

NO_ACCESS_ADVICE = "a script computes and prints; there is nothing it could be used on here"
NO_CLASS = "write functions of the weights, `def model(x, W, b):`, in place of a class"

#: Advice on Python names that the script language lacks.
ADVICE = {
    "zero_grad": "write `w.grad.zero_()` for each leaf, or `w.grad = None`",
    "sys": "scripts read nothing: give values on the command line, as in --set 'x=[1, 2]'",
    "plt": "import it: `import matplotlib.pyplot as plt`; `autodiff plot` draws curves here",
    "sns": "import it: `import seaborn as sns`; `autodiff plot` draws curves here",
    "make_dot": "import it: `from torchviz import make_dot`; `autodiff graph` draws it here",
    "tqdm": "import it: `from tqdm import tqdm`",
    "time": "import it: `import time`",
    "dict": "there are no dicts: use a name for each value, or a list",
    "set": "there are no sets: use a list",
    "map": "write it as a list: `[f(x) for x in xs]`",
    "filter": "write it as a list: `[x for x in xs if test(x)]`",
    "iter": "loop over the list or the tensor itself",
    "ord": 'characters have no numbers here: count places in a string of your own, as in `"abc".find(c)`',
    "chr": 'characters have no numbers here: take one from a string of your own, as in `"abc"[i]`',
    "next": "loop over the list or the tensor itself",
    "self": NO_CLASS,
    "super": NO_CLASS,
    "device": "everything runs on the CPU here: leave it out",
    "hasattr": "every tensor has the attributes of tensors: ask for a value, as in `x.grad is not None`",
    **dict.fromkeys(("getattr", "setattr"), "write the attribute out, as in `x.grad`"),
    **dict.fromkeys(
        (
            *("eval", "exec", "compile", "globals", "locals", "vars", "dir"),
            *("os", "object", "memoryview", "breakpoint", "help", "exit", "quit"),
        ),
        NO_ACCESS_ADVICE,
    ),
}

#: The full names of usual imports. The advice on them is in ``absent_table``.
IMPORTED = {
    "nn": "torch.nn",
    "optim": "torch.optim",
    "optimizer": "torch.optim",
    "scheduler": "torch.optim.lr_scheduler",
    "cuda": "torch.cuda",
    "init": "torch.nn.init",
    "pd": "pandas",
    "Module": "torch.nn.Module",
    "DataLoader": "torch.utils.data.DataLoader",
    "deepcopy": "copy.deepcopy",
    **{name: name for name in ("random", "copy", "itertools", "functools", "collections")},
}


def advice_on(name: str, member: str) -> tuple[str, ...]:
    """Return the advice on an unbound name, or on its ``member``; empty if there is none."""
    if name in ADVICE:
        return (ADVICE[name],)
    from autodiff.grammar.objects.absent_table import ABSENT_NAMES, absent_entry
    from autodiff.grammar.objects.builtins.namespaces import NAMESPACE_MAKERS, namespace
    from autodiff.grammar.objects.values import UNBOUND

    full = IMPORTED.get(name, "")
    if full in NAMESPACE_MAKERS and member and namespace(full).find(member) is not UNBOUND:
        return ()  # only the import is missing
    if full:
        found = absent_entry(f"{full}.{member}" if member else full) or absent_entry(f"{full}.*")
    else:
        found = ABSENT_NAMES.get(f"torch.nn.{name}") or ABSENT_NAMES.get(f"torch.optim.{name}")
    return () if found is None else (found[1].help,)


def synonyms(name: str) -> tuple[str, ...]:
    """Return the names to try for a name from another library, which may be misspelt."""
    key = fold_name(name)
    if key not in SYNONYMS and len(key) > 4:
        key = next(iter(similar_names(key, [other for other in SYNONYMS if len(other) > 4])), key)
    return SYNONYMS.get(key, ())
