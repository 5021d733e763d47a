"""Whether a text is a number."""

from __future__ import annotations


def is_number_text(text: str) -> bool:
    """Whether a text is a decimal number as programs and data files write it: ``1.5e-3``, ``nan``, ``inf``.

    Digits of other scripts and underscores, which Python's ``float`` reads too, are refused.
    """
    if not text.isascii() or "_" in text:
        return False
    try:
        float(text)
    except ValueError:
        return False
    return True
