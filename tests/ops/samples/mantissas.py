"""Mantissas."""

from ops.generators import spread

SAMPLES = {
    "torch.frexp": spread(
        "torch.frexp",
        "torch.frexp({2,3 held})",
        "torch.frexp({() held})",
        "torch.frexp({0 held})",
        "torch.frexp({=[0.0, 1.0, -8.0, 0.3]; held})",
        "torch.frexp({3 held f4})",
        "torch.frexp({2,1,3 held})",
        "torch.frexp({2,3 held T})",
        "torch.frexp({3 held R})",
        "torch.frexp({2,3 held S})",
        "torch.frexp({2,3 held E})",
        "torch.frexp({3 10..1000 held})",
        "torch.frexp({=[inf, -inf, nan]; held})",
    ),
}
