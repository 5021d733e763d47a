"""torch's settings and queries of the machine: devices, print options, anomaly mode.

The only device is the CPU, so most functions return constants. Using another device is an error.
"""

from __future__ import annotations

from autodiff.core.base.errors import LimitError, ScriptError
from autodiff.core.engine.hooks import pass_watch
from autodiff.core.engine.printing import FORMAT_LIMIT, print_options
from autodiff.core.engine.public_functions import PublicFunction
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph.device import CPU, Device, parse_device, require_cpu
from autodiff.core.graph.dtypes import set_default_dtype
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import Builtin, Generator, GradMode, as_index, is_true, type_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def device(type: Any, index: Any = None) -> Device:
    """Return ``torch.device(type, index)``. The device need not exist."""
    named = parse_device(type)
    return named if index is None else Device(named.type, as_index(index, "a device"))


def set_default_tensor_type(t: Any) -> None:
    from autodiff.core.methods.conversions import OLD_CLASSES

    name = t.name if t.__class__ is PublicFunction else str(t).removeprefix("torch.")
    if name not in OLD_CLASSES:
        raise ScriptError(
            "invalid type object: only floating-point types are supported as the default type",
            code="E0203",
            caret="this names no number type",
            help=("write `torch.set_default_dtype(torch.float64)`",),
        )
    set_default_dtype(OLD_CLASSES[name])


def set_default_device(device: Any) -> None:
    require_cpu(device)


def no_effect(*args: Any, **kwargs: Any) -> None:
    """Do nothing: the setting is accepted, without effect."""


def constant_function(value: Any) -> Callable[[], Any]:
    return lambda: value


def tensor_query(name: str, ask: Callable[[Tensor], Any]) -> Builtin:
    """Return a builtin for a function of one tensor, computed by ``ask``."""

    def asked(input: Any) -> Any:
        if input.__class__ is not Tensor:
            raise ScriptError(
                f"{name}(): argument 'input' (position 1) must be Tensor, not {type_name(input)}",
                code="E0310",
            )
        return ask(input)

    return Builtin(name, asked)


def constant_members(**answers: Any) -> dict[str, Any]:
    """Return builtins without arguments by name; each returns the given constant."""
    return {name: Builtin(name, constant_function(value)) for name, value in answers.items()}


# -- print options ----------------------------------------------------------------------------------

PROFILES = {"default": (4, 1000, 3), "short": (2, 1000, 2), "full": (4, float("inf"), 3)}


def set_printoptions(
    precision: Any = None,
    threshold: Any = None,
    edgeitems: Any = None,
    linewidth: Any = None,
    profile: Any = None,
    sci_mode: Any = None,
) -> None:
    runtime.resets.append(print_options.start)
    if profile is not None:
        if profile not in PROFILES:
            raise ScriptError(
                f"there is no profile {profile!r}", code="E0206", help=("write default, short or full",)
            )
        print_options.precision, print_options.threshold, print_options.edgeitems = PROFILES[profile]
        print_options.linewidth = 80
    if precision is not None:
        print_options.precision = bounded_int(precision, "precision", 0)
    if threshold is not None:
        is_endless = threshold.__class__ is float and threshold == float("inf")
        print_options.threshold = threshold if is_endless else bounded_int(threshold, "threshold", 0, 2**63)
    if edgeitems is not None:
        print_options.edgeitems = bounded_int(edgeitems, "edgeitems", 1)
    if linewidth is not None:
        print_options.linewidth = bounded_int(linewidth, "linewidth", 1)
    print_options.sci_mode = None if sci_mode is None else is_true(sci_mode)


def bounded_int(value: Any, name: str, least: int, most: int = FORMAT_LIMIT) -> int:
    number = as_index(value, name)
    if number > most:
        raise LimitError(f"a {name} of {number} exceeds the limit of {most}", code="E0502")
    if number < least:
        raise ScriptError(f"{name} must be at least {least}, not {number}", code="E0206")
    return number


#: torch's seed of a new generator.
FIRST_SEED = 67280421310721


def make_generator(device: Any = "cpu") -> Generator:
    require_cpu(device)
    return Generator((FIRST_SEED, None, None))


# -- anomaly mode -----------------------------------------------------------------------------------


def anomaly_mode(name: str, on: bool) -> GradMode:
    """Set whether a nan in a backward pass is an error; return a GradMode that leaves recording unchanged."""
    pass_watch.anomaly = on  # at once, as in torch; `with` restores it at the end
    return GradMode(name, mode.enabled)


def set_detect_anomaly(mode: Any, check_nan: Any = True) -> GradMode:
    return anomaly_mode("set_detect_anomaly", is_true(mode) and is_true(check_nan))


ANOMALY_WARNING = (
    "Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled for"
    " debugging."
)


def detect_anomaly(check_nan: Any = True) -> GradMode:
    runtime.tell(ANOMALY_WARNING)
    return anomaly_mode("detect_anomaly", is_true(check_nan))


ANOMALY_MODES = {
    "set_detect_anomaly": Builtin("set_detect_anomaly", set_detect_anomaly),
    "detect_anomaly": Builtin("detect_anomaly", detect_anomaly),
}
CUDA = constant_members(is_available=False, device_count=0, is_initialized=False)
for _name in ("manual_seed", "manual_seed_all", "empty_cache"):
    CUDA[_name] = Builtin(_name, no_effect)

#: The release of torch whose behaviour scripts get.
TORCH_VERSION = "2.13.0"
TORCH: dict[str, Any] = {
    "__version__": TORCH_VERSION,
    "device": Builtin("device", device, (Device,)),
    "Generator": Builtin("Generator", make_generator, (Generator,)),
    "set_printoptions": Builtin("set_printoptions", set_printoptions),
    "set_default_tensor_type": Builtin("set_default_tensor_type", set_default_tensor_type),
    "is_floating_point": tensor_query("is_floating_point", lambda x: x.dtype.is_floating_point),
    "is_complex": tensor_query("is_complex", lambda x: False),
    "numel": tensor_query("numel", lambda x: x.entry_count),
    "set_default_device": Builtin("set_default_device", set_default_device),
    "get_default_device": Builtin("get_default_device", constant_function(CPU)),
    "set_num_threads": Builtin("set_num_threads", no_effect),
    "use_deterministic_algorithms": Builtin("use_deterministic_algorithms", no_effect),
}
#: The members of torch's namespaces about the machine, and such members of ``torch`` itself. Seeding another
#: generator is accepted, without effect.
NAMESPACE_MEMBERS = {
    "torch": TORCH,
    "cuda": CUDA,
    "mps": constant_members(is_available=False, is_built=False),
    "cudnn": constant_members(is_available=False),
    "random": {"seed": Builtin("seed", no_effect)},
    "accelerator": constant_members(is_available=False, device_count=0, current_accelerator=None),
}
