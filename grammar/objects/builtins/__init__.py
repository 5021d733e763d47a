"""The functions that scripts use without an import and that core lacks: Python's builtins and grad modes.

``sum max min abs round pow all any`` are torch's when their first argument is a tensor and Python's
otherwise.

May import core.base, core.engine, core.graph and grammar.objects. Imported by any room above.
"""

from __future__ import annotations

import math

from autodiff.grammar.objects.builtins import modes, numbers, sequences, types_and_text
from autodiff.grammar.objects.builtins.table import BUILTINS
from autodiff.grammar.objects.values import FunctionBase

__all__ = ["BUILTINS"]

# Importing these modules registers their functions, which completes the table.
FAMILIES = (types_and_text, modes, numbers, sequences)
BUILTINS |= {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "Function": FunctionBase()}
