"""A replacement, in the script language, for a function or module it lacks."""

from __future__ import annotations


class Rewrite:
    """Lines of script to write instead of something absent.

    The advice shows ``words`` and then the ``lines``. Between ``lines_before`` and
    ``lines_after`` they form a complete script, which a test runs. ``caret`` is the text at the caret, if not
    that of the error code.
    """

    __slots__ = ("caret", "lines", "lines_after", "lines_before", "words")

    def __init__(self, words: str, lines: str, lines_before: str, lines_after: str, caret: str = "") -> None:
        self.caret = caret
        self.words = words
        self.lines = lines
        self.lines_before = lines_before
        self.lines_after = lines_after

    @property
    def help(self) -> str:
        """The advice: on one line for a single line of script, otherwise followed by the lines."""
        if not self.lines:
            return self.words
        if "\n" not in self.lines:
            return f"{self.words}: `{self.lines}`"
        return self.words + ":\n" + "\n".join("    " + line for line in self.lines.split("\n"))

    @property
    def script(self) -> str:
        """The complete script, with imports."""
        imports = "import torch\nimport torch.nn.functional as F\n"
        return imports + self.lines_before + self.lines + "\n" + self.lines_after + "\n"
