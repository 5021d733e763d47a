"""What can go wrong, as data: raised where it is known, placed by the interpreter, spelled by the cli.

An error carries a code, one line that makes sense alone, the sentence to write at the caret, labels for
the values involved and the ways out. It knows nothing of colours, files or columns.
"""

from __future__ import annotations

from autodiff.core.base.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Label:
    """A remark about one place in the source, such as ``X has shape (2, 3)`` at the line that made X."""

    __slots__ = ("span", "text")

    def __init__(self, span: Span, text: str) -> None:
        self.span = span
        self.text = text


class Turn:
    """Where a loop was when an error went through it: its place, the turn if it is known, and ``i = 2``."""

    __slots__ = ("number", "span", "where")

    def __init__(self, span: Span, number: int | None, where: str) -> None:
        self.span = span
        self.number = number
        self.where = where


class Edit:
    """One change of the source: the text a span covers is replaced; an empty span inserts."""

    __slots__ = ("span", "text")

    def __init__(self, span: Span, text: str) -> None:
        self.span = span
        self.text = text


class Fix:
    """A repair of the script: the sentence that proposes it and the edits that carry it out.

    Where an error is raised a fix is a guess. The script is run with it before anybody reads it, and a
    fix that does not hold is dropped (``grammar.repair``).
    """

    __slots__ = ("edits", "text")

    def __init__(self, text: str, *edits: Edit) -> None:
        self.text = text
        self.edits = edits

    def apply(self, source_text: str) -> str:
        """The source with the edits made; their spans must not overlap."""
        for edit in sorted(self.edits, key=lambda edit: edit.span.start, reverse=True):
            source_text = source_text[: edit.span.start] + edit.text + source_text[edit.span.end :]
        return source_text

    def moves(self, place: int) -> int:
        """Where a place of the source is once the edits are made: in replaced text, its last character."""
        moved = place
        for edit in self.edits:
            if edit.span.end <= place:
                moved += len(edit.text) - (edit.span.end - edit.span.start)
            elif edit.span.start <= place:
                moved += edit.span.start + len(edit.text) - 1 - place
        return moved


class AutodiffError(Exception):
    """Any mistake a script, a number or a command line can make.

    ``message`` is the first line: the words of PyTorch where PyTorch has words for it. ``caret`` is the
    plain sentence that stands under the source line. ``operands`` are the tensors involved, which the
    interpreter turns into labels by their names; ``about`` are values of any kind that repairs look at, by
    the error's code: the owner of an attribute and its name, the operands of an operator, a function and
    the argument it does not take. ``help`` holds advice in words, ``fixes`` repairs of the
    text that were tried, ``calls`` how many calls led here, ``frames`` the innermost of them, ``turns`` the
    loops, ``names`` what the innermost call called its values, ``reshaped`` the shapes, in the script and
    now, of what the caller gave other shapes, and ``further`` the mistakes found beside it.
    """

    code = "E0900"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        caret: str = "",
        operands: tuple[object, ...] = (),
        help: tuple[str, ...] = (),
        fixes: tuple[Fix, ...] = (),
        span: Span | None = None,
        about: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.caret = caret
        self.operands = operands
        self.about = about
        self.help = help
        self.fixes = fixes
        self.span = span
        self.labels: list[Label] = []
        self.frames: list[tuple[str, Span]] = []
        self.calls = 0
        self.names: dict[str, Any] = {}
        self.turns: list[Turn] = []
        self.reshaped: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.further: list[AutodiffError] = []

    @property
    def advice(self) -> tuple[str, ...]:
        """Everything a reader may do about it: the repairs that were tried, then advice in words."""
        return (*(fix.text for fix in self.fixes), *self.help)

    def at(self, span: Span) -> AutodiffError:
        """Place the error, unless something closer to the mistake has placed it already."""
        if self.span is None:
            self.span = span
        return self


class CompileError(AutodiffError):
    """The script does not compile: syntax, or a name bound nowhere (exit 3)."""

    code = "E0100"


class ScriptError(AutodiffError):
    """The script failed while it ran (exit 4)."""

    code = "E0200"


class ShapeError(ScriptError):
    """Shapes that do not fit."""

    code = "E0302"


class GradientError(ScriptError):
    """backward() or grad() asked for something the graph cannot give."""

    code = "E0401"


class LimitError(AutodiffError):
    """A limit stopped the script: steps, nodes, memory, depth or paths (exit 5)."""

    code = "E0500"


class UsageError(AutodiffError):
    """A request that does not fit the script, such as ``--wrt`` of an unknown name (exit 2)."""

    code = "E0600"


#: What Python or torch calls classes that have another name here; their modules enter them.
TYPE_NAMES: dict[type, str] = {}


def type_name(value: object) -> str:
    """The name of a value's class, as messages have it."""
    return TYPE_NAMES.get(value.__class__, value.__class__.__name__)


def no_such_call(name: str, *args: Any) -> ScriptError:
    """The error for arguments that no form of a function takes."""
    kinds = ", ".join(type_name(arg) for arg in args if arg is not None)
    return ScriptError(
        f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:",
        code="E0310",
    )
