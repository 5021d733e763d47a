"""The ``torch.nn`` modules without weights, and ``nn.Parameter``.

Each module is an activation, a loss or a reshaping: one function of core with settings. Its constructor
takes torch's arguments, a call passes them to the function, and it prints as in torch. A parameter is a leaf
that prints as a parameter.
"""

from __future__ import annotations

from weakref import ref

from autodiff.core.base.errors import ScriptError
from autodiff.core.engine.public_functions import FUNCTIONS
from autodiff.core.engine.tensor import Tensor
from autodiff.core.engine.value_checks import require_floating_dtype
from autodiff.core.ops.losses.regression import resolve_reduction
from autodiff.grammar.objects.matched_arguments import REQUIRED, match_arguments
from autodiff.grammar.objects.methods import script_method
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.value_text import REPRS, as_repr
from autodiff.grammar.objects.values import Builtin, Module, is_true, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

INPUT = ("input",)
TARGET = ("input", "target")
PAIR = ("x1", "x2")
REDUCTION = {"size_average": None, "reduce": None, "reduction": "mean"}
INPLACE = {"inplace": False}
DIM = {"dim": None}


class ModuleKind:
    """A class of modules such as ``nn.ReLU``.

    ``function`` is the key of core's function, ``forward`` the names of its tensor arguments, ``settings``
    the constructor's parameters with defaults, ``printed`` the settings in the repr.
    """

    __slots__ = ("forward", "function", "keyword_only", "name", "printed", "settings")

    def __init__(
        self,
        name: str,
        function: str,
        forward: tuple[str, ...],
        settings: dict[str, Any],
        printed: tuple[str, ...],
        keyword_only: bool,
    ) -> None:
        self.name = name
        self.function = function
        self.forward = forward
        self.settings = settings
        self.printed = printed
        self.keyword_only = keyword_only

    def make(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Module:
        """Return the module constructed by ``nn.Name(...)``."""
        called = f"{'_Loss' if self.settings is REDUCTION else self.name}.__init__()"
        most = 0 if self.keyword_only else len(self.settings)
        settings = match_arguments(called, self.settings, most, args, kwargs)
        check_settings(self.name, settings)
        if "reduce" in settings:
            size_average, reduce = settings.pop("size_average"), settings.pop("reduce")
            if size_average is not None or reduce is not None:
                settings["reduction"] = resolve_reduction(
                    self.as_bool(size_average), self.as_bool(reduce), "mean"
                )
        return Module(self, settings)

    def as_bool(self, setting: Any) -> bool | None:
        """Return ``size_average`` or ``reduce`` as a bool; a tensor here was probably meant for the call."""
        try:
            return None if setting is None else is_true(setting)
        except ScriptError as error:
            error.caret = f"`nn.{self.name}` takes settings; the module it makes takes the tensors"
            error.help = (f"make it, then call it: `nn.{self.name}()({', '.join(self.forward)})`",)
            raise

    def run(self, settings: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Return the result of calling a module that has these settings."""
        names = dict.fromkeys(self.forward, REQUIRED)
        given = match_arguments(f"{self.name}.forward()", names, len(names), args, kwargs)
        return FUNCTIONS[self.function](*given.values(), **settings)


def check_settings(name: str, settings: dict[str, Any]) -> None:
    """Raise ScriptError for settings that torch rejects in the constructor."""
    refused = ""
    for buffer in ("weight", "pos_weight"):
        value = settings.get(buffer)
        if value is not None and value.__class__ is not Tensor:
            kind = type_name(value)
            refused = f"cannot assign '{kind}' object to buffer '{buffer}' (torch Tensor or None required)"
    weight = settings.get("weight")
    if name == "Hardtanh" and is_true(settings["max_val"] <= settings["min_val"]):
        refused = f"max_val ({settings['max_val']}) must be greater than min_val ({settings['min_val']})"
    elif name == "TripletMarginLoss" and is_true(settings["margin"] <= 0):
        refused = f"{name}: expected margin to be greater than 0, got {settings['margin']} instead"
    elif name == "MultiMarginLoss" and not any(is_true(settings["p"] == p) for p in (1, 2)):
        refused = "only p == 1 and p == 2 supported"
    elif name == "MultiMarginLoss" and weight.__class__ is Tensor and weight.ndim != 1:
        refused = f"{name}: expected weight to be None or 1D tensor, got {weight.ndim}D instead"
    if refused:
        raise ScriptError(refused, code="E0310", caret=f"`nn.{name}` cannot be made with this")


MODULE_KINDS: dict[str, ModuleKind] = {}


def register_kind(
    name: str,
    function: str,
    forward: tuple[str, ...] = INPUT,
    settings: dict[str, Any] | None = None,
    printed: tuple[str, ...] = (),
    keyword_only: bool = False,
) -> None:
    MODULE_KINDS[name] = ModuleKind(name, function, forward, settings or {}, printed, keyword_only)


for _name, _function in (
    ("ReLU", "relu"),
    ("ReLU6", "relu6"),
    ("SELU", "selu"),
    ("SiLU", "silu"),
    ("Mish", "mish"),
):
    register_kind(_name, f"F.{_function}", settings=INPLACE, printed=("inplace",))
for _name in ("Sigmoid", "Tanh", "LogSigmoid", "Softsign", "Tanhshrink"):
    register_kind(_name, f"F.{_name.lower()}")
for _name in ("Hardsigmoid", "Hardswish"):
    register_kind(_name, f"F.{_name.lower()}", settings=INPLACE)
for _name, _function in (("Softmax", "softmax"), ("LogSoftmax", "log_softmax"), ("Softmin", "softmin")):
    register_kind(_name, f"F.{_function}", settings=DIM, printed=("dim",))
for _name in ("ELU", "CELU"):
    register_kind(
        _name, f"F.{_name.lower()}", settings={"alpha": 1.0, **INPLACE}, printed=("alpha", "inplace")
    )
register_kind(
    "LeakyReLU",
    "F.leaky_relu",
    settings={"negative_slope": 0.01, **INPLACE},
    printed=("negative_slope", "inplace"),
)
register_kind("GELU", "F.gelu", settings={"approximate": "none"}, printed=("approximate",))
register_kind(
    "Softplus", "F.softplus", settings={"beta": 1.0, "threshold": 20.0}, printed=("beta", "threshold")
)
for _name in ("Softshrink", "Hardshrink"):
    register_kind(_name, f"F.{_name.lower()}", settings={"lambd": 0.5}, printed=("lambd",))
register_kind(
    "Hardtanh",
    "F.hardtanh",
    settings={"min_val": -1.0, "max_val": 1.0, **INPLACE},
    printed=("min_val", "max_val", "inplace"),
)
register_kind(
    "Threshold",
    "F.threshold",
    settings={"threshold": REQUIRED, "value": REQUIRED, **INPLACE},
    printed=("threshold", "value", "inplace"),
)
register_kind("GLU", "F.glu", settings={"dim": -1}, printed=("dim",))
register_kind(
    "Flatten", "torch.flatten", settings={"start_dim": 1, "end_dim": -1}, printed=("start_dim", "end_dim")
)
register_kind("CosineSimilarity", "F.cosine_similarity", PAIR, {"dim": 1, "eps": 1e-8})
register_kind("PairwiseDistance", "F.pairwise_distance", PAIR, {"p": 2.0, "eps": 1e-6, "keepdim": False})

for _name, _function in (
    ("L1Loss", "l1_loss"),
    ("MSELoss", "mse_loss"),
    ("SoftMarginLoss", "soft_margin_loss"),
    ("MultiLabelMarginLoss", "multilabel_margin_loss"),
):
    register_kind(_name, f"F.{_function}", TARGET, REDUCTION)
for _name, _function in (
    ("BCELoss", "binary_cross_entropy"),
    ("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss"),
):
    register_kind(_name, f"F.{_function}", TARGET, {"weight": None, **REDUCTION})
register_kind(
    "BCEWithLogitsLoss",
    "F.binary_cross_entropy_with_logits",
    TARGET,
    {"weight": None, **REDUCTION, "pos_weight": None},
)
_CLASSES = {"weight": None, "size_average": None, "ignore_index": -100, "reduce": None, "reduction": "mean"}
register_kind("NLLLoss", "F.nll_loss", TARGET, _CLASSES)
register_kind("CrossEntropyLoss", "F.cross_entropy", TARGET, {**_CLASSES, "label_smoothing": 0.0})
register_kind("KLDivLoss", "F.kl_div", TARGET, {**REDUCTION, "log_target": False})
register_kind("SmoothL1Loss", "F.smooth_l1_loss", TARGET, {**REDUCTION, "beta": 1.0})
register_kind("HuberLoss", "F.huber_loss", TARGET, {"reduction": "mean", "delta": 1.0})
register_kind("HingeEmbeddingLoss", "F.hinge_embedding_loss", TARGET, {"margin": 1.0, **REDUCTION})
register_kind(
    "MultiMarginLoss", "F.multi_margin_loss", TARGET, {"p": 1, "margin": 1.0, "weight": None, **REDUCTION}
)
register_kind(
    "PoissonNLLLoss",
    "F.poisson_nll_loss",
    TARGET,
    {
        "log_input": True,
        "full": False,
        "size_average": None,
        "eps": 1e-8,
        "reduce": None,
        "reduction": "mean",
    },
)
register_kind(
    "GaussianNLLLoss",
    "F.gaussian_nll_loss",
    (*TARGET, "var"),
    {"full": False, "eps": 1e-6, "reduction": "mean"},
    keyword_only=True,
)
for _name, _function in (
    ("MarginRankingLoss", "margin_ranking_loss"),
    ("CosineEmbeddingLoss", "cosine_embedding_loss"),
):
    register_kind(_name, f"F.{_function}", ("input1", "input2", "target"), {"margin": 0.0, **REDUCTION})
register_kind(
    "TripletMarginLoss",
    "F.triplet_margin_loss",
    ("anchor", "positive", "negative"),
    {"margin": 1.0, "p": 2.0, "eps": 1e-6, "swap": False, **REDUCTION},
)


def write_module(module: Module) -> str:
    """Return torch's repr of a module: ``ELU(alpha=1.0)``; ``inplace`` appears only if it is True."""
    parts = []
    for name in module.kind.printed:
        value = module.settings[name]
        if name == "lambd":
            parts.append(as_repr(value))
        elif name != "inplace" or is_true(value):
            parts.append(f"{name}={as_repr(value)}")
    return f"{module.kind.name}({', '.join(parts)})"


REPRS[Module] = write_module


@script_method(Module, "forward")
def forward(module: Module, *args: Any, **kwargs: Any) -> Any:
    return module(*args, **kwargs)


@script_method(Module, "train", "eval", "to", "cpu", "double", "float", "requires_grad_", "zero_grad")
def unchanged(module: Module, *args: Any) -> Module:
    """Return the module itself: it has no weights and no modes to change."""
    return module


@script_method(Module, "parameters")
def no_parameters(module: Module) -> list[Any]:
    return []


# -- parameters -------------------------------------------------------------------------------------


def make_parameter(*args: Any, **kwargs: Any) -> Tensor:
    """Return ``nn.Parameter(t)``: a leaf that shares the memory of ``t``."""
    taken = {"data": None, "requires_grad": True}
    data, requires_grad = match_arguments("Parameter.__new__()", taken, 2, args, kwargs).values()
    if requires_grad.__class__ is not bool:
        raise ScriptError(
            f"_make_subclass(): argument 'require_grad' (position 3) must be bool, not"
            f" {type_name(requires_grad)}",
            code="E0310",
            caret="`requires_grad` is True or False",
        )
    if data is None:
        empty = FUNCTIONS["torch.empty"]
        data = empty(0)
    if data.__class__ is not Tensor:
        raise ScriptError(
            f"'{type_name(data)}' object has no attribute 'detach'",
            code="E0204",
            caret="a parameter is made of a tensor",
            help=("write `torch.tensor(...)` around it",),
        )
    made = data.data_alias()
    if requires_grad:
        require_floating_dtype(made, "Only Tensors of floating point and complex dtype can require gradients")
        made.set_requires_grad()
    runtime.parameters[id(made)] = ref(made)
    return made


def constructor(kind: ModuleKind) -> Callable[..., Module]:
    return lambda *args, **kwargs: kind.make(args, kwargs)


MEMBERS = {
    **{name: Builtin(name, constructor(made)) for name, made in MODULE_KINDS.items()},
    "Parameter": Builtin("Parameter", make_parameter),
}
