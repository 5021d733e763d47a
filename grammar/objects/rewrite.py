"""A replacement, in the script language, for a function or module it lacks."""

from __future__ import annotations


class Rewrite:
    """Lines of script to write instead of something absent.

    The advice shows ``words`` and then the lines ``shown``. Between ``before`` and ``after`` these lines form
    a complete script, which a test runs. ``caret`` is the text at the caret, if not that of the error code.
    """

    __slots__ = ("after", "before", "caret", "shown", "words")

    def __init__(self, words: str, shown: str, before: str, after: str, caret: str = "") -> None:
        self.caret = caret
        self.words = words
        self.shown = shown
        self.before = before
        self.after = after

    @property
    def help(self) -> str:
        """The advice: on one line for a single line of script, otherwise followed by the lines."""
        if not self.shown:
            return self.words
        if "\n" not in self.shown:
            return f"{self.words}: `{self.shown}`"
        return self.words + ":\n" + "\n".join("    " + line for line in self.shown.split("\n"))

    @property
    def script(self) -> str:
        """The complete script, with imports."""
        imports = "import torch\nimport torch.nn.functional as F\n"
        return imports + self.before + self.shown + "\n" + self.after + "\n"
