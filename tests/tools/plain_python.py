"""Scripts run by plain Python with PyTorch, and what is compared of their output."""

from __future__ import annotations

import builtins
import io
import re
import warnings
from contextlib import redirect_stdout
from typing import Any

DIGITS = {"float64": 13, "float32": 5}


def comparable(text: str, dtype: str = "float64") -> str:
    """Printed text without the addresses of objects, and numbers to the digits both can be sure of.

    ``.item()`` prints all digits, and the last ones depend on the order of summation, which processors do not
    share: -20.0 on one is -20.000000000000004 on another.
    """
    text = re.sub(r"0x[0-9a-f]+", "0x...", text)
    most = DIGITS[dtype]

    def shortened(match: re.Match[str]) -> str:
        digits = match[0].partition("e")[0].replace(".", "").replace("-", "").lstrip("0")
        return match[0] if len(digits) <= most else repr(float(f"{float(match[0]):.{most - 1}e}"))

    return re.sub(r"-?\d+\.\d+(?:e[+-]?\d+)?", shortened, text)


def run_with_plain_python(text: str, dtype: str = "float64") -> tuple[str, dict[str, Any]]:
    """What a script prints and binds where there is Python, PyTorch and nothing else."""
    from torch_prelude import pristine_torch

    code = re.sub(r"^%.*$", "", text, flags=re.MULTILINE)
    names: dict[str, Any] = {"__name__": "__main__", "__builtins__": builtins}
    out = io.StringIO()
    with pristine_torch(dtype, 0), warnings.catch_warnings(), redirect_stdout(out):
        warnings.simplefilter("ignore")
        exec(compile(code, "<pasted>", "exec", dont_inherit=True), names)
    return out.getvalue(), names
