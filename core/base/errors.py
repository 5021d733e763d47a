"""Errors as data: raised where the mistake is detected, located by the interpreter, formatted by the cli.

An error carries a code, a one-line message that makes sense on its own, the sentence shown at the caret,
labels for the values involved, and suggested repairs. It contains no colours, file names or columns.
"""

from __future__ import annotations

from autodiff.core.base.source import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from autodiff.core.base.source import Source


class Label:
    """A remark about one place in the source, such as ``X has shape (2, 3)`` at the line that made X."""

    __slots__ = ("span", "text")

    def __init__(self, span: Span, text: str) -> None:
        self.span = span
        self.text = text


class LoopIteration:
    """One loop iteration that an error passed through.

    ``span`` is the loop's source range, ``number`` the iteration number if known, ``where`` the value of the
    loop variable as text, such as ``i = 2``.
    """

    __slots__ = ("number", "span", "where")

    def __init__(self, span: Span, number: int | None, where: str) -> None:
        self.span = span
        self.number = number
        self.where = where


class Edit:
    """One change of the source: replace the text of ``span`` by ``text``; an empty span inserts."""

    __slots__ = ("span", "text")

    def __init__(self, span: Span, text: str) -> None:
        self.span = span
        self.text = text


class Fix:
    """A repair of the script: the sentence that proposes it and the edits that carry it out.

    A fix is only a guess when the error is raised. ``grammar.repair`` runs the script with each fix and
    drops those that do not work before the user sees them. ``lines`` are the numbers of the lines that it
    changes, for a repair of a gradient; it is shown without the source.
    """

    __slots__ = ("edits", "lines", "text")

    def __init__(self, text: str, *edits: Edit) -> None:
        self.text = text
        self.edits = edits
        self.lines: tuple[int, ...] = ()

    def apply(self, source_text: str) -> str:
        """Return the source with the edits applied. Their spans must not overlap."""
        parts, rest = [], len(source_text)  # from the end, in one pass: there may be thousands of edits
        for edit in sorted(self.edits, key=lambda edit: edit.span.start, reverse=True):
            parts += [source_text[edit.span.end : rest], edit.text]
            rest = edit.span.start
        return "".join([source_text[:rest], *reversed(parts)])

    def moves(self, place: int) -> int:
        """Return the offset of ``place`` after the edits; inside replaced text, its last character."""
        moved = place
        for edit in self.edits:
            if edit.span.end <= place:
                moved += len(edit.text) - (edit.span.end - edit.span.start)
            elif edit.span.start <= place:
                moved += edit.span.start + len(edit.text) - 1 - place
        return moved


class AutodiffError(Exception):
    """Any mistake a script, a number or a command line can make.

    ``message`` is the first line, in PyTorch's wording where PyTorch has an error for the mistake. ``caret``
    is the plain sentence shown under the source line. ``operands`` are the tensors involved, which the
    interpreter turns into labels by their names. ``repair_context`` holds values for the repairs; their
    meaning depends on ``code``: an attribute's owner and name, an operator's operands, or a function and the
    argument it rejects. ``help`` is advice in words. ``fixes`` are repairs of the source that were tried.
    ``calls`` is the call depth, ``frames`` the innermost calls, ``turns`` the loop iterations, ``names`` the
    variables of the innermost call. ``reshaped`` maps each input given another shape by the caller to its
    shape in the script and its present shape. ``other_errors`` are other mistakes found in the same script.
    ``source`` is the text with the place, None for the script.
    ``is_constant_slope``: what is differentiated is itself a derivative, and constant.
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
        repair_context: tuple[Any, ...] = (),
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or type(self).code
        self.caret = caret
        self.operands = operands
        self.repair_context = repair_context
        self.help = help
        self.fixes = fixes
        self.span = span
        self.source: Source | None = None
        self.labels: list[Label] = []
        self.frames: list[tuple[str, Span]] = []
        self.calls = 0
        self.names: dict[str, Any] = {}
        self.is_constant_slope = False
        self.turns: list[LoopIteration] = []
        self.reshaped: dict[str, tuple[tuple[int, ...], tuple[int, ...]]] = {}
        self.other_errors: list[AutodiffError] = []

    @property
    def advice(self) -> tuple[str, ...]:
        """All suggestions for the reader: the repairs that were tried, then the advice in words."""
        return (*(fix.text for fix in self.fixes), *self.help)

    def at(self, span: Span) -> AutodiffError:
        """Set the error's span unless a caller closer to the mistake has set it already; return self."""
        if self.span is None:
            self.span = span
        return self


class CompileError(AutodiffError):
    """The script does not compile: a syntax error, or a name that is never bound (exit 3)."""

    code = "E0100"


class ScriptError(AutodiffError):
    """The script failed while it ran (exit 4)."""

    code = "E0200"


class ShapeError(ScriptError):
    """Shapes that are not compatible."""

    code = "E0302"


class BroadcastError(ShapeError):
    """Shapes that cannot be broadcast against each other."""

    code = "E0301"


class DimError(ShapeError):
    """A dimension that a tensor does not have."""

    code = "E0303"


class ArgumentError(ScriptError):
    """An argument that a function does not take: too many, of the wrong class, or an unknown keyword."""

    code = "E0310"


class DtypeError(ScriptError):
    """A number type that an operation does not take, or types that do not go together."""

    code = "E0312"


class GradientError(ScriptError):
    """backward() or grad() was asked for something the graph cannot provide."""

    code = "E0401"


class PartOverError(BaseException):
    """Raised in the work when the time of one of its parts is over. No ``except Exception`` catches it."""


class LimitError(AutodiffError):
    """A limit stopped the script: steps, nodes, memory, depth or paths (exit 5)."""

    code = "E0500"


class UsageError(AutodiffError):
    """A request that does not fit the script, such as ``--wrt`` of an unknown name (exit 2)."""

    code = "E0600"


#: The Python or torch names of classes that have another name here; the modules that define them add them.
TYPE_NAMES: dict[type, str] = {}


def type_name(value: object) -> str:
    """Return the name of a value's class as used in messages."""
    return TYPE_NAMES.get(value.__class__, value.__class__.__name__)


def no_matching_overload(name: str, *args: Any) -> ScriptError:
    """Return the error for arguments that match no overload of a function."""
    kinds = ", ".join(type_name(arg) for arg in args if arg is not None)
    return ArgumentError(
        f"{name}() received an invalid combination of arguments - got ({kinds}), but expected one of:"
    )
