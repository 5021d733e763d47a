"""Devices. Only the CPU exists. As in torch without CUDA, others can be named but hold no tensors."""

from __future__ import annotations

from autodiff.core.base.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEVICE_TYPES = (
    *("cpu", "cuda", "ipu", "xpu", "mkldnn", "opengl", "opencl", "ideep", "hip", "ve", "fpga", "maia", "xla"),
    *("lazy", "vulkan", "mps", "meta", "hpu", "mtia", "privateuseone"),
)


class Device:
    """A ``torch.device``. ``index`` is the number after the colon, None if there is none."""

    __slots__ = ("index", "type")

    def __init__(self, type: str, index: int | None = None) -> None:
        self.type = type
        self.index = index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + (")" if self.index is None else f", index={self.index})")

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"


CPU = Device("cpu")


def parse_device(value: Any) -> Device:
    """Return the Device for a Device or a string such as ``"cuda:0"``; ScriptError for anything else."""
    if isinstance(value, Device):
        return value
    if value.__class__ is not str:
        raise ScriptError(
            "Device index must not be negative"
            if value.__class__ is int and value < 0
            else "Cannot access accelerator device when none is available.",
            code="E0142",
            caret="everything runs on the CPU here",
        )
    kind, _, index = value.partition(":")
    if not value:
        raise ScriptError("Device string must not be empty", code="E0142", caret="this names no device")
    if kind not in DEVICE_TYPES or (index and not (index.isdecimal() and len(index) < 4)):
        message = (
            f"Expected one of {', '.join(DEVICE_TYPES)} device type at start of device string: {kind}"
            if kind not in DEVICE_TYPES
            else f"Invalid device string: '{value}'"
        )
        raise ScriptError(message, code="E0142", caret="there is no such device")
    return Device(kind, int(index) if index else None)


def require_cpu(value: Any) -> None:
    """Raise ScriptError for any device other than the CPU; None is accepted."""
    if value is None or (device := parse_device(value)).type == "cpu":
        return
    raise ScriptError(
        "Torch not compiled with CUDA enabled"
        if device.type == "cuda"
        else f"PyTorch is not linked with support for {device.type} devices",
        code="E0142",
        caret="everything runs on the CPU here",
    )
