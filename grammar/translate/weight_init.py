"""Writes calls of ``torch.nn.init`` out as lines that fill a weight.

The lines draw the random numbers as torch does.
"""

from __future__ import annotations

from autodiff.grammar.translate.pasted_program import CannotRewriteError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from autodiff.grammar.syntax import tree


def init_lines(torch: str, call: tree.Call, name: str, text: Callable[[Any], str]) -> list[str]:
    """Return the lines that do what ``nn.init.<name>(w, ...)`` does.

    Raises CannotRewriteError for a function or a setting without a rewrite.
    """
    from autodiff.grammar.translate.modules import argument_texts

    given, more = argument_texts(call, text)
    if not given:
        raise CannotRewriteError(call, f"`nn.init.{name}` without a tensor", "name the weight")
    w, *rest = given
    fan_in = f"{w}[0].numel()"  # the fan-in of a weight of any shape
    fan_out = f"({w}.numel() // {w}.shape[1])"  # the fan-out

    def setting(position: int, keyword: str, default: str) -> str:
        return more.get(keyword, rest[position] if position < len(rest) else default)

    if name in ("zeros_", "ones_"):
        return under_no_grad(f"{w}.{'zero_()' if name == 'zeros_' else 'fill_(1)'}")
    if name == "constant_":
        return under_no_grad(f"{w}.fill_({setting(0, 'val', '0')})")
    if name == "uniform_":
        low, high = setting(0, "a", "0.0"), setting(1, "b", "1.0")
        return under_no_grad(f"{w}.copy_({low} + ({high} - ({low})) * {torch}.rand({w}.shape))")
    if name == "normal_":
        mean, std = setting(0, "mean", "0.0"), setting(1, "std", "1.0")
        return under_no_grad(f"{w}.copy_({mean} + {std} * {torch}.randn({w}.shape))")
    if name in ("xavier_uniform_", "xavier_normal_"):
        gain = setting(0, "gain", "1.0")
        top = "6" if name == "xavier_uniform_" else "2"
        scale = f"({top} / ({fan_in} + {fan_out})) ** 0.5"
        return random_fill(torch, w, scale if gain in ("1", "1.0") else f"{gain} * {scale}", name)
    if name in ("kaiming_uniform_", "kaiming_normal_"):
        slope, fan = setting(0, "a", "0"), setting(1, "mode", "'fan_in'").strip("'\"")
        kind = setting(2, "nonlinearity", "'leaky_relu'").strip("'\"")
        if kind not in ("relu", "leaky_relu"):
            raise CannotRewriteError(
                call, f"`nn.init.{name}` for `{kind}`", "make the weight with your numbers"
            )
        gain = f"2 / (1 + ({slope}) ** 2)" if kind == "leaky_relu" and slope not in ("0", "0.0") else "2"
        top = f"3 * {gain}" if name == "kaiming_uniform_" else gain
        count = fan_in if fan == "fan_in" else fan_out
        return random_fill(torch, w, f"({top} / {count}) ** 0.5", name)
    raise CannotRewriteError(call, f"`nn.init.{name}`", "make the weight with the numbers you want")


def random_fill(torch: str, w: str, scale: str, name: str) -> list[str]:
    """Return the lines that fill ``w``: uniformly within ``scale``, or normally with that deviation."""
    if "uniform" in name:
        return under_no_grad(f"{w}.copy_({scale} * (2 * {torch}.rand({w}.shape) - 1))")
    return under_no_grad(f"{w}.copy_({scale} * {torch}.randn({w}.shape))")


def under_no_grad(line: str) -> list[str]:
    return ["with torch.no_grad():", "    " + line]
