"""The functions a script finds without an import and core does not have: Python's few, grad modes.

``sum max min abs round pow all any`` are torch's when their first argument is a tensor and Python's
otherwise.

May import core.base, core.engine, core.graph and grammar.objects. Imported by any room above.
"""

from __future__ import annotations

import math

from autodiff.grammar.objects.builtins import kinds, modes, numbers, sequences
from autodiff.grammar.objects.builtins.table import BUILTINS
from autodiff.grammar.objects.values import FunctionBase

__all__ = ["BUILTINS"]

# Each family enters its own: with all of them imported the table is whole.
FAMILIES = (kinds, modes, numbers, sequences)
BUILTINS |= {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan, "Function": FunctionBase()}
