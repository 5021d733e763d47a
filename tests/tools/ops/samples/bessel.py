"""Bessel functions of any order by their argument; ``ops.stand_ins`` has the references."""

from ops.generators import binary


def samples(name: str) -> list[str]:
    key = f"special.{name}"
    numbers = [f"torch.special.{name}({order}, {{2,3 0.4..6}})" for order in (0, 1, 2, 3, 0.5, 2.5)]
    return [*binary(key, "0..3 held", "0.4..6", numbers=False, whole=False, no="keyword method"), *numbers]


SAMPLES = {f"special.{name}": samples(name) for name in ("jv", "yv", "iv", "kv")}
