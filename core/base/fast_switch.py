"""Whether the modules that exist for speed alone are in use.

``AUTODIFF_FAST=0`` in the environment takes them out, so that the plain engine can be compared with them.
"""

from __future__ import annotations

import os

is_fast = os.environ.get("AUTODIFF_FAST") != "0"
