"""Mantissas."""

from ops.generators import spread

SAMPLES = {
    "torch.frexp": spread(
        "torch.frexp",
        "torch.frexp({2,3})",
        "torch.frexp({()})",
        "torch.frexp({0})",
        "torch.frexp({=[0.0, 1.0, -8.0, 0.3]})",
        "torch.frexp({3 f4})",
        "torch.frexp({2,1,3})",
        "torch.frexp({2,3 T})",
        "torch.frexp({3 R})",
        "torch.frexp({2,3 S})",
        "torch.frexp({2,3 E})",
        "torch.frexp({3 10..1000})",
        "torch.frexp({=[inf, -inf, nan]})",
    ),
}
