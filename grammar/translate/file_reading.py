"""What to do about a call that reads a file: the command takes the file, and the script its values."""

from __future__ import annotations

from shlex import quote

from autodiff.core.base.errors import AutodiffError
from autodiff.grammar.objects.absent_table import WRITE
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.walk import path_to
from autodiff.grammar.translate.pasted_program import PastedProgram

#: Functions whose first argument is the file, by the beginning of their full names.
READERS = ("numpy.load", "numpy.loadtxt", "numpy.genfromtxt", "numpy.fromfile", "pandas.read_", "open")
WITH_ARRAYS = (".npy",)


def reading_advice(pasted: PastedProgram, error: AutodiffError) -> str:
    """The option that gives what a call reads; "" if the call does not name its file."""
    if error.span is None:
        return ""
    name = str(error.repair_context[0]) if error.repair_context else pasted.source.excerpt(error.span)
    if not name.startswith(READERS):
        return ""
    path = path_to(pasted.script, error.span)
    call = next((node for node in reversed(path) if isinstance(node, tree.Call)), None)
    file = call.arguments[0].value if call is not None and call.arguments else None
    if not isinstance(file, tree.String):
        return ""
    mode = call.arguments[1].value if call is not None and len(call.arguments) > 1 else None
    if name == "open" and isinstance(mode, tree.String) and "r" not in mode.value:
        return WRITE.help
    assigned = next((node.targets[0] for node in path if isinstance(node, tree.Assign)), None)
    if isinstance(assigned, tree.Name) and file.value.endswith(WITH_ARRAYS):
        option = f"--set {quote(f'{assigned.id}=@{file.value}')}"
        return f"delete the line, and give the array with the command: {option}"
    option = f"--data {quote(file.value)}"
    advice = (
        f"delete what reads the file, and give it with the command: {option} makes a variable of each column"
    )
    if isinstance(assigned, tree.TupleDisplay) and all(
        isinstance(one, tree.Name) for one in assigned.elements
    ):
        names = ",".join(one.id for one in assigned.elements if isinstance(one, tree.Name))
        return f"{advice}; without a header in the file: {option} --columns {names}"
    return advice
