"""Compiles syntax to closures: each construct becomes a Python function of a frame, once per script.

A frame is a list of slots. Slot 0 holds the enclosing frame, slot 1 the value that a function returns. A
statement's closure returns None to continue, or one of the signals below. The other modules of this package
enter the function that compiles each construct in EXPRESSIONS and STATEMENTS.
"""

from __future__ import annotations

from autodiff.core.base.errors import LimitError, ScriptError
from autodiff.core.base.lazy_imports import LazyModule
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.engine.tensor import Tensor
from autodiff.grammar.interpret.scope import FIRST_SLOT, Scope, ScriptScopes
from autodiff.grammar.objects.builtins.namespaces import builtin_value, plain_namespace, plain_value
from autodiff.grammar.objects.values import UNBOUND, Namespace
from autodiff.grammar.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    T = TypeVar("T")
    Frame = list[Any]
    Evaluate = Callable[[Frame], Any]
    Execute = Callable[[Frame], int | None]
    Store = Callable[[Frame, Any], None]
    #: An assignment to a name: the value's closure, the slot, the name, whether the value's span has the name
    #: (a NamedSpan), and the function that notes the assignment otherwise.
    NameAssignment = tuple[Evaluate, int, str, bool, Callable[[Any], None]]

# The signals that a statement's closure may return instead of None.
BREAK, CONTINUE, RETURN = 1, 2, 3

#: The classes of what a script may compute. A text or a truth value is no output.
OUTPUT_CLASSES = frozenset([Tensor, float, int, list, tuple, NamedResult])
NO_CLASSES: frozenset[type] = frozenset()

MAX_ATTRIBUTE_DEPTH = 5  # ``torch.autograd.functional.jacobian`` has three dots


class ConstructTable(dict[type, "Callable[..., Any]"]):
    """The compile function of each syntax class; ``later`` has the modules of those that a script
    of plain numbers does not need, imported on use."""

    __slots__ = ("later",)

    def __init__(self, later: dict[type, LazyModule]) -> None:
        self.later = later

    def __missing__(self, kind: type) -> Callable[..., Any]:
        if kind not in self.later:
            raise KeyError(kind)
        self.later[kind].compiles  # noqa: B018 - reading any name imports the module, which fills the table
        return self[kind]


calls = LazyModule("autodiff.grammar.interpret.calls")
comprehensions = LazyModule("autodiff.grammar.interpret.comprehensions")
definitions = LazyModule("autodiff.grammar.interpret.definitions")
script_functions = LazyModule("autodiff.grammar.interpret.script_functions")

EXPRESSIONS = ConstructTable(
    {tree.Call: calls, tree.Comprehension: comprehensions, tree.Lambda: script_functions}
)
STATEMENTS = ConstructTable(
    dict.fromkeys((tree.FunctionDef, tree.ClassDef, tree.Import, tree.ImportFrom), definitions)
)


def compiles(kind: type, table: dict[type, Callable[..., Any]]) -> Callable[[Any], Any]:
    """Return a decorator that enters a compile function into ``table`` under the syntax class ``kind``."""

    def enter(function: Any) -> Any:
        table[kind] = function
        return function

    return enter


class Compiler:
    """Compiles one script; holds the current ``scope`` and what the compile functions share.

    ``frame`` is the module's frame, which closures of every depth use directly. ``conversions`` maps
    targets of top-level assignments to the function that converts the value first. ``last`` holds the name
    of the last top-level variable that was given a value, or a part of one, of OUTPUT_CLASSES: what the
    script ends in. Variables of loops do not count. With ``plain_functions`` functions of tensors take
    numbers too. ``assigned`` maps closures of assignments to names to the assignments they make.
    ``is_loop_target`` says that the target of a ``for`` is being compiled. Without ``keeps_tree`` the syntax
    tree is used for one run alone, which may delete the parts that have run.
    """

    __slots__ = (
        "assigned",
        "conversions",
        "depth",
        "find_builtin",
        "frame",
        "is_loop_target",
        "keeps_tree",
        "last",
        "loops",
        "names",
        "plain_functions",
        "scope",
        "source",
    )

    def __init__(
        self,
        names: ScriptScopes,
        source: Source,
        conversions: dict[tree.Expression, Callable[[Any], Any]],
        plain_functions: bool,
        keeps_tree: bool = True,
    ) -> None:
        self.plain_functions = plain_functions
        self.keeps_tree = keeps_tree
        self.assigned: dict[Execute, list[NameAssignment]] = {}
        self.names = names
        self.source = source
        self.find_builtin = plain_value if plain_functions else builtin_value
        self.conversions = conversions
        self.scope: Scope = names.module
        self.depth = 0
        self.loops = 0
        self.is_loop_target = False
        self.last: list[str | None] = [None]
        self.frame: Frame = new_frame(names.module)
        for name, slot in names.module.slots.items():
            # A builtin keeps its value until the script assigns its name.
            self.frame[slot] = builtin_value(name)

    def expression(self, node: tree.Expression) -> Evaluate:
        """Return the closure that computes the value of an expression."""
        self.depth += 1
        if self.depth > (limits.depth or 1 << 62):
            raise LimitError(
                "too many nested parentheses",
                code="E0501",
                caret=f"expressions are nested more than {limits.depth:,} deep here",
                help=("assign parts of it to names, on lines of their own",),
                span=Span(node.span.start, node.span.start + 1),
            )
        compiled: Evaluate = EXPRESSIONS[node.__class__](self, node)
        self.depth -= 1
        return compiled

    def body(self, statements: tree.Body) -> Execute:
        """Return the closure that runs statements until one of them returns a signal."""
        self.depth += 1
        if self.depth > (limits.depth or 1 << 62):
            raise LimitError("too many statically nested blocks", code="E0501", span=statements[0].span)
        steps: tuple[Execute, ...] = tuple(
            [STATEMENTS[statement.__class__](self, statement) for statement in statements]
        )
        self.depth -= 1
        if len(steps) == 1:
            return steps[0]
        if all(step in self.assigned for step in steps):
            return self.assign([one for step in steps for one in self.assigned[step]])
        if all(statement.__class__ in NEVER_SIGNAL for statement in statements):
            return sequence_closure(steps)

        def run(frame: Frame) -> int | None:
            for step in steps:
                signal = step(frame)
                if signal is not None:
                    return signal
            return None

        return run

    def assign(self, steps: list[NameAssignment]) -> Execute:
        """Return the closure of one or more ``name = value`` statements.

        A call of a closure for each of them would take a third of the time.
        """
        at_top, last = self.scope is self.names.module, self.last

        def run(frame: Frame) -> None:
            for value, slot, name, is_named_there, note in steps:
                made = frame[slot] = value(frame)
                # On a tape the name is in the span of the entry.
                if is_named_there and made.__class__ is Tensor and made.tape is not None:
                    if at_top:
                        last[0] = name
                else:
                    note(made)

        self.assigned[run] = steps
        return run

    def compile_in_scope(self, scope: Scope, compile_part: Callable[[], T]) -> T:
        """Compile a part that is in another scope, outside of any loop."""
        around = self.scope, self.loops
        self.scope, self.loops = scope, 0
        made = compile_part()
        self.scope, self.loops = around
        return made

    def loop_body(self, statements: tree.Body) -> Execute:
        """Compile the body of a loop, where ``break`` and ``continue`` are allowed."""
        self.loops += 1
        run = self.body(statements)
        self.loops -= 1
        return run

    # -- names ----------------------------------------------------------------------------------------

    def output_classes(self, is_count: bool = False) -> frozenset[type]:
        """Return the classes of values that, assigned to a variable here, are what the script ends in.

        The variable of a loop is no output, and neither is a number that a loop counts (``is_count``).
        """
        if self.scope is not self.names.module or self.is_loop_target:
            return NO_CLASSES
        if not (self.loops and is_count):
            return OUTPUT_CLASSES
        # In a script without tensors a counter is a tensor if it is asked for as an input.
        return OUTPUT_CLASSES - ({float, int, Tensor} if self.plain_functions else {float, int})

    def binding(self, name: str) -> tuple[int, int] | None:
        """Return how many frames outwards a name is bound, and its slot; -1 means the module's frame."""
        found = self.scope.find(name)
        if found is None:
            return None
        scope, depth = found
        if scope is self.names.module and scope is not self.scope:
            depth = -1
        return depth, scope.slots[name]

    def local_slot(self, node: tree.Expression) -> int:
        """Return the slot of a name in the running frame; 0 for any other expression."""
        return self.scope.slots.get(node.id, 0) if isinstance(node, tree.Name) else 0

    def constant(self, node: tree.Expression) -> Any:
        """Return the builtin that ``node`` is certain to mean (``sin``, ``torch.sum``), else UNBOUND."""
        members: list[str] = []
        while isinstance(node, tree.Attribute):
            members.append(node.name)
            node = node.object
            if len(members) > MAX_ATTRIBUTE_DEPTH:
                return UNBOUND
        if not isinstance(node, tree.Name):
            return UNBOUND
        found = self.scope.find(node.id)
        if found is not None and node.id not in found[0].imports:
            return UNBOUND
        value = self.find_builtin(node.id)
        if found is not None and not is_redundant_import(node.id, found[0], value):
            return UNBOUND
        if members and node.id == "norm" and self.plain_functions:
            value = plain_namespace("scipy.stats.norm")
        for member in reversed(members):
            if value.__class__ is not Namespace:
                return UNBOUND
            value = value.find(member)
        return value

    def unbound(self, node: tree.Name) -> ScriptError:
        """Return the error for reading a name before it is assigned."""
        found = self.scope.find(node.id)
        if found is None or found[0].kind == "module":
            message = f"name '{node.id}' is not defined"
        elif found[1] == 0:
            message = f"cannot access local variable '{node.id}' where it is not associated with a value"
        else:
            message = (
                f"cannot access free variable '{node.id}' where it is not associated with a value in"
                " enclosing scope"
            )
        where = found[0].first_binding[node.id] if found else node.span
        line = self.source.position(where.start)[0]
        here = self.source.position(node.span.start)[0]
        return ScriptError(
            message,
            code="E0202",
            caret=f"`{node.id}` has no value yet here"
            + (f": it is assigned in line {line}" if line != here else ""),
            span=node.span,
        )


#: Statements that never return a signal.
NEVER_SIGNAL = frozenset([tree.Assign, tree.AugmentedAssign, tree.ExpressionStatement])


def sequence_closure(steps: tuple[Execute, ...]) -> Execute:
    """Return the closure that runs statements that never return a signal."""

    def run(frame: Frame) -> None:
        for step in steps:
            step(frame)

    return run


def is_redundant_import(name: str, scope: Scope, value: Any) -> bool:
    """Whether ``name`` is only bound by imports of what it means anyway, such as ``import torch``."""
    if value.__class__ is not Namespace:
        return False
    imports = scope.imports.get(name, [])
    return len(imports) == scope.binding_counts[name] and all(module == value.name for module in imports)


def new_frame(scope: Scope) -> Frame:
    """Return a frame in which no name is assigned."""
    return [None] * FIRST_SLOT + [UNBOUND] * len(scope.slots)
