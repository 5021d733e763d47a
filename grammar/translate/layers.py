"""Rewrites layers of ``torch.nn`` as leaves and functions, with torch's initial values.

The initial values are those of each layer's ``reset_parameters`` in torch: uniform within one over the root
of the fan-in, drawn in the same order, weight before bias.
"""

from __future__ import annotations

from autodiff.grammar.translate.pasted_program import CannotRewriteError
from autodiff.grammar.translate.rewritten_module import RewrittenModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from autodiff.grammar.syntax import tree

    LayerRewrite = Callable[["LayerCall"], RewrittenModule]


class LayerCall:
    """The call of a layer: its name, its arguments as texts, and how variables for it are named."""

    __slots__ = ("F", "keywords", "name", "node", "positional", "torch", "training", "variable")

    def __init__(
        self,
        node: tree.SyntaxNode,
        name: str,
        positional: list[str],
        keywords: dict[str, str],
        variable: Callable[[str], str],
        modules: tuple[str, str],
        training: Callable[[], str],
    ) -> None:
        self.node = node
        self.name = name
        self.positional = positional
        self.keywords = {key: text for key, text in keywords.items() if key not in ("device", "dtype")}
        self.variable = variable
        self.torch, self.F = modules
        self.training = training

    def bind(self, *names: str) -> dict[str, str]:
        """Return the arguments by their names in torch's signature."""
        given = dict(zip(names, self.positional, strict=False)) | self.keywords
        if len(self.positional) > len(names) or set(given) - set(names):
            unknown = ", ".join(sorted(set(given) - set(names)))
            what = f"`nn.{self.name}` with {f'`{unknown}`' if unknown else 'so many arguments'}"
            raise CannotRewriteError(
                self.node, what, "leave the argument out, or write what it does yourself"
            )
        return given

    def flag(self, given: dict[str, str], name: str, default: bool) -> bool:
        """Return an argument that decides what is made; it must be written as True or False."""
        text = given.get(name, str(default))
        if text not in ("True", "False"):
            what = f"`{name}={text}` of `nn.{self.name}`"
            raise CannotRewriteError(self.node, what, "write True or False there")
        return text == "True"

    def needs(self, given: dict[str, str], *names: str) -> list[str]:
        missing = [name for name in names if name not in given]
        if missing:
            what = f"`nn.{self.name}` without `{missing[0]}`"
            raise CannotRewriteError(self.node, what, "give all of its sizes")
        return [given[name] for name in names]

    def uniform(self, sizes: list[str], fan_in: str) -> str:
        """Return the text of a leaf, uniform between plus and minus one over the root of ``fan_in``."""
        drawn = f"{self.torch}.rand({', '.join(sizes)})"
        if fan_in == "1":
            return f"(2 * {drawn} - 1).requires_grad_()"
        return f"((2 * {drawn} - 1) / {as_factor(fan_in)} ** 0.5).requires_grad_()"


def as_factor(text: str) -> str:
    """Return a text in brackets, unless it can be a factor of a product as it is."""
    return text if text.replace("_", "").replace(".", "").isalnum() else f"({text})"


def product(*texts: str) -> str:
    """Return the text of a product, computed if its factors are whole numbers."""
    if all(text.isdecimal() for text in texts):
        value = 1
        for text in texts:
            value *= int(text)
        return str(value)
    kept = [as_factor(text) for text in texts if text != "1"]
    return " * ".join(kept)


def dimension_sizes(text: str, count: int) -> list[str]:
    """Return the size for each dimension, from ``3`` or ``(3, 5)``."""
    if text[:1] in "([" and text.count("(") <= 1 and text[-1:] in ")]":
        return [part.strip() for part in text[1:-1].split(",") if part.strip()]
    return [text] * count


def linear(order: LayerCall) -> RewrittenModule:
    given = order.bind("in_features", "out_features", "bias")
    size_in, size_out = order.needs(given, "in_features", "out_features")
    weight = order.variable("weight")
    bias = order.variable("bias") if order.flag(given, "bias", True) else ""
    kept = ", ".join([name for name in (weight, bias) if name])
    made = RewrittenModule(lambda args: f"{order.F}.linear({', '.join(args)}, {kept})")
    made.keep("weight", weight, order.uniform([size_out, size_in], size_in))
    if bias:
        made.keep("bias", bias, order.uniform([size_out], size_in))
    made.variables |= {"in_features": size_in, "out_features": size_out}
    return made


def convolution(dimensions: int) -> LayerRewrite:
    def make(order: LayerCall) -> RewrittenModule:
        settings = ("stride", "padding", "dilation", "groups")
        given = order.bind("in_channels", "out_channels", "kernel_size", *settings, "bias", "padding_mode")
        channels, maps, kernel = order.needs(given, "in_channels", "out_channels", "kernel_size")
        if given.get("padding_mode", "'zeros'").strip("'\"") != "zeros":
            raise CannotRewriteError(
                order.node, f"`padding_mode={given['padding_mode']}`", "pad with `F.pad`"
            )
        groups = given.get("groups", "1")
        inner = channels if groups == "1" else f"{as_factor(channels)} // {as_factor(groups)}"
        if channels.isdecimal() and groups.isdecimal():
            inner = str(int(channels) // int(groups))
        sizes = dimension_sizes(kernel, dimensions)
        fan_in = product(inner, *sizes)
        weight = order.variable("weight")
        bias = order.variable("bias") if order.flag(given, "bias", True) else ""
        more = [f"{name}={given[name]}" for name in settings if name in given]
        kept = ", ".join([weight, *([bias] if bias else []), *more])
        made = RewrittenModule(lambda args: f"{order.F}.conv{dimensions}d({', '.join(args)}, {kept})")
        made.keep("weight", weight, order.uniform([maps, inner, *sizes], fan_in))
        if bias:
            made.keep("bias", bias, order.uniform([maps], fan_in))
        return made

    return make


def add_affine_leaves(order: LayerCall, made: RewrittenModule, size: str, has_bias: bool = True) -> list[str]:
    """Add the weight and the bias of a normalisation, and return their variables."""
    weight = order.variable("weight")
    made.keep("weight", weight, f"{order.torch}.ones({size}, requires_grad=True)")
    if not has_bias:
        return [weight]
    bias = order.variable("bias")
    made.keep("bias", bias, f"{order.torch}.zeros({size}, requires_grad=True)")
    return [weight, bias]


def batch_norm(order: LayerCall) -> RewrittenModule:
    given = order.bind("num_features", "eps", "momentum", "affine", "track_running_stats")
    (size,) = order.needs(given, "num_features")
    tracks = order.flag(given, "track_running_stats", True)
    made = RewrittenModule()
    kept = ["None", "None"]
    affine = add_affine_leaves(order, made, size) if order.flag(given, "affine", True) else []
    if tracks:
        kept = [order.variable("running_mean"), order.variable("running_var")]
        made.lines.append(f"{kept[0]} = {order.torch}.zeros({size})")
        made.lines.append(f"{kept[1]} = {order.torch}.ones({size})")
        made.buffers += [("running_mean", kept[0]), ("running_var", kept[1])]
        made.variables |= dict(made.buffers)
    training = order.training() if tracks else "True"
    more = [f"{name}={given[name]}" for name in ("momentum", "eps") if name in given]
    text = ", ".join([*kept, *affine, f"training={training}", *more])
    made.apply = lambda args: f"{order.F}.batch_norm({', '.join(args)}, {text})"
    return made


def layer_norm(order: LayerCall) -> RewrittenModule:
    given = order.bind("normalized_shape", "eps", "elementwise_affine", "bias")
    (shape,) = order.needs(given, "normalized_shape")
    made = RewrittenModule()
    sizes = shape if shape[:1] in "([" else f"({shape},)"
    kept = []
    if order.flag(given, "elementwise_affine", True):
        kept = add_affine_leaves(order, made, sizes.strip("[]"), order.flag(given, "bias", True))
    more = [f"eps={given['eps']}"] if "eps" in given else []
    text = ", ".join([sizes, *kept, *more])
    made.apply = lambda args: f"{order.F}.layer_norm({', '.join(args)}, {text})"
    return made


def embedding(order: LayerCall) -> RewrittenModule:
    given = order.bind("num_embeddings", "embedding_dim")
    rows, columns = order.needs(given, "num_embeddings", "embedding_dim")
    table = order.variable("weight")
    made = RewrittenModule(lambda args: f"{order.F}.embedding({', '.join(args)}, {table})")
    made.keep("weight", table, f"{order.torch}.randn({rows}, {columns}, requires_grad=True)")
    return made


def dropout(order: LayerCall) -> RewrittenModule:
    given = order.bind("p", "inplace")
    training = order.training()
    share = given.get("p", "0.5")
    made = RewrittenModule(lambda args: f"{order.F}.dropout({', '.join(args)}, {share}, training={training})")
    return made


def flatten(order: LayerCall) -> RewrittenModule:
    given = order.bind("start_dim", "end_dim")
    sizes = [given.get("start_dim", "1"), *([given["end_dim"]] if "end_dim" in given else [])]
    return RewrittenModule(lambda args: f"{order.torch}.flatten({', '.join([*args, *sizes])})")


def unflatten(order: LayerCall) -> RewrittenModule:
    dim, sizes = order.needs(order.bind("dim", "unflattened_size"), "dim", "unflattened_size")
    return RewrittenModule(lambda args: f"{order.torch}.unflatten({', '.join([*args, dim, sizes])})")


def identity(order: LayerCall) -> RewrittenModule:
    return RewrittenModule(lambda args: args[0])


def function_layer(function: str) -> LayerRewrite:
    """Return the rewrite of a module without weights; its arguments follow those of the call."""

    def make(order: LayerCall) -> RewrittenModule:
        module, _, name = function.rpartition(".")
        full = f"{order.torch if module == 'torch' else order.F}.{name}"
        given = [text for text in order.positional if text]
        given += [f"{key}={text}" for key, text in order.keywords.items()]
        return RewrittenModule(lambda args: f"{full}({', '.join([*args, *given])})", "" if given else full)

    return make


#: Modules without weights, with the functions they call; torch has the arguments in the same order.
FUNCTION_LAYERS = {
    "ReLU": "torch.relu",
    "Tanh": "torch.tanh",
    "Sigmoid": "torch.sigmoid",
    **{
        name: f"F.{name.lower()}"
        for name in (
            "ELU",
            "SELU",
            "CELU",
            "GELU",
            "SiLU",
            "Mish",
            "ReLU6",
            "Softplus",
            "Softsign",
            "Hardtanh",
        )
    },
    **{"Hardswish": "F.hardswish", "Hardsigmoid": "F.hardsigmoid", "Tanhshrink": "F.tanhshrink"},
    **{"LeakyReLU": "F.leaky_relu", "LogSigmoid": "F.logsigmoid", "GLU": "F.glu", "Softmin": "F.softmin"},
    **{"Softmax": "F.softmax", "LogSoftmax": "F.log_softmax", "CosineSimilarity": "F.cosine_similarity"},
    **{f"{kind}Pool{n}d": f"F.{kind.lower()}_pool{n}d" for kind in ("Max", "Avg") for n in (1, 2, 3)},
    **{
        f"Adaptive{kind}Pool{n}d": f"F.adaptive_{kind.lower()}_pool{n}d"
        for kind in ("Max", "Avg")
        for n in (1, 2, 3)
    },
    **{"MSELoss": "F.mse_loss", "L1Loss": "F.l1_loss", "SmoothL1Loss": "F.smooth_l1_loss"},
    **{"HuberLoss": "F.huber_loss", "BCELoss": "F.binary_cross_entropy", "KLDivLoss": "F.kl_div"},
    **{"BCEWithLogitsLoss": "F.binary_cross_entropy_with_logits", "NLLLoss": "F.nll_loss"},
    **{"CrossEntropyLoss": "F.cross_entropy"},
}
LAYERS: dict[str, LayerRewrite] = {
    "Linear": linear,
    **{f"Conv{n}d": convolution(n) for n in (1, 2, 3)},
    **{f"BatchNorm{n}d": batch_norm for n in (1, 2, 3)},
    "LayerNorm": layer_norm,
    "Embedding": embedding,
    **dict.fromkeys(("Dropout", "Dropout1d", "Dropout2d", "Dropout3d"), dropout),
    "Flatten": flatten,
    "Unflatten": unflatten,
    "Identity": identity,
    **{name: function_layer(function) for name, function in FUNCTION_LAYERS.items()},
}
#: Layers that take more than one function call, with advice on how to write them out.
LAYER_ADVICE = {
    "RNN": "loop over the steps: `h = torch.tanh(F.linear(x[t], W_x, b_x) + F.linear(h, W_h, b_h))`",
    "LSTM": "loop over the steps:"
    " `i, f, g, o = (F.linear(x[t], W_x, b_x) + F.linear(h, W_h, b_h)).chunk(4, -1)`,"
    " then `c = f.sigmoid() * c + i.sigmoid() * g.tanh()` and `h = o.sigmoid() * c.tanh()`",
    "GRU": "loop over the steps: with `r, z` from `sigmoid` and `n` from `tanh`, `h = (1 - z) * n + z * h`",
    "MultiheadAttention": "write `torch.softmax(q @ k.mT / d ** 0.5, dim=-1) @ v` for each head",
}
for _name in ("RNN", "LSTM", "GRU"):
    LAYER_ADVICE[f"{_name}Cell"] = (
        LAYER_ADVICE[_name].replace("loop over the steps: ", "write ").replace("x[t]", "x")
    )
LAYER_ADVICE["Transformer"] = LAYER_ADVICE["MultiheadAttention"]
