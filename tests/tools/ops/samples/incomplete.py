"""The incomplete gamma and beta functions, also by their shapes; ``ops.stand_ins`` has the references."""

from ops.generators import binary, spread

SHAPES = [
    ("2,3", "2,3", "2,3"),
    ("2,3", "3", "()"),
    ("()", "()", "()"),
    ("2,1", "1,3", "3"),
    ("()", "3", "3"),
    ("3", "()", "2,1,3"),
    ("0", "0", "0"),
    ("1", "4", "4"),
    ("4", "4", "4"),
    ("2,2", "2,2", "2,2"),
    ("3,1", "3,1", "3"),
]


def gamma(name: str) -> list[str]:
    key = f"special.{name}"
    held = "torch.special.%s((({3,4 +}.detach() * 0) + %s), {3,4 +})"
    return [
        *binary(key, "0.5..3", "0.2..3", numbers=False, whole=False),
        *binary(key, "0.5..3", "3..9", numbers=False, whole=False, no="keyword method f4 T R S E"),
        *binary(key, "0.5..3 held", "0.2..3", numbers=False, whole=False, no="keyword method f4"),
        *(held % (name, shape) for shape in ("2.5", "0.5", "1.0")),
    ]


SAMPLES = {
    "special.gammainc": gamma("gammainc"),
    "special.gammaincc": gamma("gammaincc"),
    "torch.igamma": binary("torch.igamma", "0.5..3 held", "0.2..3", numbers=False, whole=False),
    "torch.igammac": binary("torch.igammac", "0.5..3 held", "0.2..3", numbers=False, whole=False),
    "special.betainc": spread(
        "special.betainc",
        *(f"torch.special.betainc({{{a} 0.5..3}}, {{{b} 0.6..4}}, {{{x} 0.1..0.9}})" for a, b, x in SHAPES),
    ),
}
