"""What is kept of one or several operands."""

from ops.generators import binary, spread, unary

SAMPLES = {
    "torch.abs": unary("torch.abs", "", "torch.abs({=[[5, -7, 3], [2, 9, -4]]})"),
    "torch.sign": unary(
        "torch.sign", "", "torch.sign({=[[5, -7, 3], [2, 9, -4]]})", "torch.sign({=[True, False]})"
    ),
    "torch.sgn": unary("torch.sgn"),
    "torch.relu": unary("torch.relu"),
    "torch.maximum": binary(
        "torch.maximum",
        "",
        "",
        "torch.maximum({=[[5, -7, 3], [2, 9, -4]]}, {=[[5, 2, -7], [9, 3, -4]]})",
        numbers=False,
    ),
    "torch.minimum": binary("torch.minimum", numbers=False),
    "torch.fmax": binary("torch.fmax", numbers=False),
    "torch.fmin": binary("torch.fmin", numbers=False),
    "torch.clamp_min": binary(
        "torch.clamp_min",
        "",
        "",
        "torch.clamp_min({5}, 0.3)",
        "torch.clamp_min({2,3 +}, 1.0)",
    ),
    "torch.clamp_max": binary(
        "torch.clamp_max",
        "",
        "",
        "torch.clamp_max({5}, 0.3)",
        "torch.clamp_max({2,3 +}, 1.0)",
    ),
    "torch.copysign": binary("torch.copysign"),
    "torch.clamp": spread(
        "torch.clamp",
        "torch.clamp({2,3}, -0.5, 0.5)",
        "torch.clamp({2,3}, min=-0.5)",
        "torch.clamp({2,3}, max=0.5)",
        "torch.clamp({2,3}, {3 -2..-0.5}, {3 0.5..2})",
        "torch.clamp({()}, -0.5, 0.5)",
        "torch.clamp({0}, 0, 1)",
        "torch.clamp({2,3}, {()})",
        "torch.clamp({2,3}, None, {3})",
        "torch.clamp({3 int}, 0, 4)",
        "torch.clamp({2,3}, 1, 0)",
        "torch.clamp({2,3}, {2,3 T}, {2,3 R})",
        "torch.clamp({()}, {()}, {()})",
        "torch.clamp({2,3}, {1,3}, {()})",
        "torch.clamp({2,3 +}, 0.5, 1.5)",
        "torch.clamp({2,3 +}, 1, 2)",
        "torch.clamp({2,3 +}, {2,3 +}, {2,3 +})",
        "torch.clamp({() 0.05..0.95}, 0.5, 1.5)",
        "torch.clamp({=[[5, -7, 3], [2, 9, -4]]}, 0, 4)",
        "torch.clamp({2,3 +}, min=1.0)",
        "torch.clamp({2,3 +}, max=1.0)",
        "torch.clamp({2,3 +}, {2,3 +})",
    ),
}
