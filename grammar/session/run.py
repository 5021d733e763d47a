"""Runs a script from text to values, and finds the subject of a report about it.

``run`` is for callers from Python. The command line uses ``execute``, which keeps the graph of the last
backward pass, and ``differentiate``, which chooses the target and the inputs and runs one more pass.
"""

from __future__ import annotations

import sys

from autodiff.core.base import lazy_imports, random_source
from autodiff.core.base.errors import AutodiffError
from autodiff.core.base.incoming import incoming
from autodiff.core.base.lazy_imports import LazyModule, services
from autodiff.core.base.limits import limits
from autodiff.core.base.source import Source, Span
from autodiff.core.engine.tensor import Tensor
from autodiff.core.graph import dtypes
from autodiff.core.graph.node import next_number
from autodiff.core.graph.state import ignore_count, mode
from autodiff.grammar.interpret import assignment, expressions, operators, statements
from autodiff.grammar.interpret.compiler import Compiler
from autodiff.grammar.interpret.scope import ScriptScopes, check_names, resolve
from autodiff.grammar.interpret.script_kind import (
    builds_tensors,
    fixed_arrays,
    is_written_as_torch,
    prints_numbers,
)
from autodiff.grammar.interpret.statements import changed_in_place
from autodiff.grammar.objects.builtins.namespaces import builtin_value, plain_value
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import UNBOUND
from autodiff.grammar.session.assignment_plan import (
    make_plan,
    to_leaf,
    to_script_value,
    top_level_assignments,
    unknown_name_error,
)
from autodiff.grammar.session.backward_log import LastPasses
from autodiff.grammar.session.script_warnings import WarningLog
from autodiff.grammar.syntax import tree
from autodiff.grammar.syntax.parser import parse_to_first_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from typing import Any

    from autodiff.core.graph.node import Node
    from autodiff.core.report.records import ReportedPass
    from autodiff.grammar.interpret.compiler import Execute
    from autodiff.grammar.session.assignment_plan import AssignmentPlan, Shapes

__all__ = ["Execution", "Settings", "differentiate"]

plain_text = LazyModule("autodiff.grammar.objects.plain_text")
python_errors = LazyModule("autodiff.grammar.objects.python_errors")

# Importing these modules fills the compiler's tables, except for constructs that few scripts have.
LANGUAGE_MODULES = (assignment, expressions, operators, statements)


class Settings:
    """The options of a run: values, default dtype, random seed, and the target and inputs of a report.

    ``data`` are the names whose values are data: inputs of a report only if it has no others. ``changes`` has
    functions that change the values of names where the script assigns them. ``keep`` has names whose values
    before a statement at top level are kept, by the offset where it begins.
    If the report ``adds_up`` and no ``grad_output`` is given, it is about the sum of an output's entries.
    ``one_float``: where the script says float32, it means the default dtype.
    """

    __slots__ = (
        *("adds_up", "changes", "data", "dtype", "grad_output", "keep", "of", "one_float", "seed", "sets"),
        *("track", "wrt"),
    )

    def __init__(
        self,
        sets: dict[str, Any] | None = None,
        dtype: str = "float64",
        seed: int = 0,
        wrt: list[str] | tuple[str, ...] = (),
        of: str | None = None,
        grad_output: Any = None,
        track: bool = True,
        adds_up: bool = False,
        data: Collection[str] = (),
        changes: dict[str, Callable[[Any], Any]] | None = None,
    ) -> None:
        self.sets = dict(sets or {})
        self.dtype = dtype
        self.seed = seed
        self.wrt = list(wrt)
        self.of = of
        self.grad_output = grad_output
        self.track = track
        self.adds_up = adds_up
        self.data = frozenset(data)
        self.changes = dict(changes or {})
        self.keep: dict[int, set[str]] = {}
        self.one_float = False

    def copy(
        self,
        sets: dict[str, Any] | None = None,
        dtype: str | None = None,
        wrt: list[str] | None = None,
        changes: dict[str, Callable[[Any], Any]] | None = None,
    ) -> Settings:
        """Return the same settings with other values, another number type, other inputs or other changes."""
        made = Settings(
            self.sets if sets is None else sets,
            self.dtype if dtype is None else dtype,
            self.seed,
            self.wrt if wrt is None else wrt,
            self.of,
            self.grad_output,
            self.track,
            self.adds_up,
            self.data,
            self.changes if changes is None else changes,
        )
        made.one_float, made.keep = self.one_float, self.keep
        return made


class Execution:
    """The result of a run: the script's top-level names, the graphs of its last passes, its warnings.

    ``reshaped`` has the shape in the script and the new shape of each tensor that the settings reshaped.
    ``last_value`` and ``last_span`` are those of a last expression; None if the script ends otherwise, or if
    the expression only shows a value, as ``L.item()`` does. ``stopped_before`` is the span of the statement
    before which a report on second derivatives ended the script, see ``execute``. In a script without tensors
    ``reassigned`` has the first values of the numbers that are assigned more than once, ``first_leaves`` the
    nodes of first values that ``--wrt`` names, ``first_numbers`` the names whose first value is no node,
    ``list_entries`` the leaves of changed lists; ``leaves`` are the other numbers.
    ``positions`` has the inputs that have picked entries, each with the first place where it did.
    ``data`` are the names whose values are data, ``assigned_once`` those that have one value each.
    ``last_loop`` is the last statement at top level that is no expression and no definition, if it is a loop;
    ``last_target`` is its last target, if it is an assignment. ``script`` is the syntax tree; that of a long
    text is None, as it would take more memory than the graph. ``origins`` says what the output is made of as
    the text has it, once ``with_reassigned_inputs`` has asked. ``recorded`` is the number of operations that
    the run recorded, ``chosen`` the note on an output that is not what the script ends in. ``kept`` are the
    values that names have before statements, as the settings ask.
    """

    __slots__ = (
        "assigned_once",
        "chosen",
        "data",
        "first_leaves",
        "first_numbers",
        "kept",
        "last_assigned",
        "last_loop",
        "last_passes",
        "last_span",
        "last_target",
        "last_value",
        "leaves",
        "list_entries",
        "made_choice",
        "names",
        "origins",
        "positions",
        "prints_numbers",
        "reassigned",
        "recorded",
        "reshaped",
        "scopes",
        "script",
        "skipped",
        "source",
        "steps",
        "stopped_before",
        "warnings",
        "without_tensors",
    )

    def __init__(
        self, source: Source, script: tree.Script | None, scopes: ScriptScopes, keeps_all: bool = False
    ) -> None:
        self.source = source
        self.script = script
        self.scopes = scopes
        self.names: dict[str, Any] = {}
        self.last_value: Any = None
        self.last_span: Span | None = None
        self.last_assigned: str | None = None
        self.last_loop: tree.For | tree.While | None = None
        self.last_target: tree.Expression | None = None
        self.last_passes = LastPasses(keeps_all)
        self.warnings: list[tuple[str, Span]] = []
        self.without_tensors = self.prints_numbers = False
        self.reshaped: dict[str, Shapes] = {}
        self.reassigned: dict[str, float | None] = {}
        self.origins: Any = None
        self.first_leaves: dict[str, Node] = {}
        self.first_numbers: frozenset[str] = frozenset()
        self.list_entries: dict[str, list[tuple[str, Node]]] = {}
        self.leaves: list[str] = []
        self.positions: dict[Node, Span | None] = {}
        self.assigned_once: list[str] = []
        self.data: frozenset[str] = frozenset()
        self.stopped_before: Span | None = None
        self.made_choice = False
        self.steps = self.recorded = 0
        self.chosen = ""
        self.kept: dict[int, dict[str, Any]] = {}
        self.skipped: dict[str, tuple[str, Span]] = {}

    def first_offset(self, name: str) -> int:
        """Return the offset where a name is first bound, to sort names in source order."""
        span = self.scopes.module.first_binding.get(name)
        return len(self.source.text) if span is None else span.start

    def ends_in_steps(self) -> bool:
        """Whether the last statement at top level is a loop that makes values of its own, as training."""
        loop = self.last_loop
        if loop is None:
            return False
        start = loop.body[0].span.start
        return any(span.start >= start for span in self.scopes.module.first_binding.values())

    def may_end_in_steps(self) -> bool:
        """Whether the script ends in a loop, or gives a name another value at last."""
        last = self.last_assigned
        return self.last_loop is not None or (
            last is not None and self.scopes.module.assignment_count(last) > 1
        )

    def may_lack_value(self) -> bool:
        """Whether a script without tensors has top-level names that got no value, or None."""
        return self.without_tensors and any(
            self.names.get(name) is None for name in self.scopes.module.first_binding
        )


def run_once(
    source: Source,
    settings: Settings,
    write: Callable[[str], None],
    warn: Callable[[str, Span], None],
    script: tree.Script | None = None,
) -> Execution:
    """Run a script once, whose tree may be known. The repairs that an error proposes have not been tried."""
    incoming.choose(source.text)
    with EngineSetup(settings):
        keeps_tree = script is not None or len(source.text) <= LONGEST_KEPT
        script = script or parse_to_first_error(source)
        first = next_number()
        execution = run_script(script, source, settings, write, warn, keeps_tree)
        execution.made_choice, execution.steps = runtime.made_choice, runtime.used
        execution.recorded = next_number() - first
        return execution


#: The syntax tree of a text with more characters is not kept.
LONGEST_KEPT = 1_000_000
#: The statements after which a script still ends in what was assigned before.
WITHOUT_ASSIGNMENT = (tree.ExpressionStatement, tree.FunctionDef, tree.ClassDef)


class EngineSetup:
    """A context manager that sets the engine's global state for a script, and restores it at the end."""

    __slots__ = ("before", "numpy_errors", "settings", "single_before")

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.numpy_errors: dict[str, Any] | None = None

    def __enter__(self) -> None:
        self.before = (
            mode.enabled,
            mode.site,
            mode.recorder,
            dtypes.default_dtype(),
            runtime.write,
            runtime.warn,
            sys.getrecursionlimit(),
            lazy_imports.numpy_import_hooks[:],
            mode.warn,
            mode.follows_numpy,
            mode.count,
        )
        mode.close_tape()
        mode.enabled, mode.site, mode.warn = True, None, runtime.tell
        dtypes.set_default_dtype(dtypes.DTYPES[self.settings.dtype])
        self.single_before = dtypes.read_single_as_default(self.settings.one_float)
        runtime.start()
        # Closures that call closures use no C stack, so Python's recursion limit can be raised to fit ours.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 25 * (limits.depth or 100_000) + 10_000))
        if "numpy" in sys.modules:
            self.silence_numpy()
        else:
            lazy_imports.numpy_import_hooks.append(self.silence_numpy)
        random_source.random_source.reset(self.settings.seed)

    def silence_numpy(self) -> None:
        """Turn off numpy's warnings, so that its arithmetic follows IEEE silently."""
        self.numpy_errors = dict(lazy_imports.np.seterr(all="ignore"))

    def __exit__(self, *exc: object) -> None:
        if self.numpy_errors is not None:
            lazy_imports.np.seterr(**self.numpy_errors)
        (
            enabled,
            mode.site,
            mode.recorder,
            dtype,
            runtime.write,
            runtime.warn,
            deepest,
            hooks,
            mode.warn,
            mode.follows_numpy,
            mode.count,
        ) = self.before
        mode.close_tape()
        mode.enabled = enabled
        lazy_imports.numpy_import_hooks[:] = hooks
        dtypes.set_default_dtype(dtype)
        dtypes.read_single_as_default(self.single_before)
        sys.setrecursionlimit(deepest)


def run_script(
    script: tree.Script,
    source: Source,
    settings: Settings,
    write: Callable[[str], None],
    warn: Callable[[str, Span], None],
    keeps_tree: bool = True,
) -> Execution:
    """Resolve, compile and run a parsed script. Without ``keeps_tree`` the tree is of no use afterwards."""
    sets = settings.sets
    scopes, only_read, without_tensors, is_plain = resolve_names(script, source, sets)
    planned = make_plan(script, source, scopes, settings, without_tensors)
    execution = Execution(source, script if keeps_tree else None, scopes, settings.of is not None)
    execution.without_tensors = without_tensors
    execution.data = settings.data.union(planned.data)
    execution.reshaped, execution.reassigned = planned.reshaped, planned.reassigned
    execution.first_leaves, execution.list_entries = planned.first_leaves, planned.list_entries
    execution.assigned_once = planned.assigned_once
    mode.recorder = execution.last_passes
    runtime.without_tensors, runtime.plain_functions = without_tensors, is_plain
    runtime.prints_numbers = mode.follows_numpy = is_plain and prints_numbers(scopes)
    execution.prints_numbers, execution.skipped = runtime.prints_numbers, runtime.skipped
    runtime.numbers_are_leaves = without_tensors or bool(sets or settings.wrt)
    mode.count = (lambda x: plain_text.enter_count(x)) if runtime.numbers_are_leaves else ignore_count
    runtime.fixed_arrays = fixed_arrays(scopes) if is_plain else ""

    runtime.write, runtime.warn = write, WarningLog(execution, warn).tell
    compiler = Compiler(scopes, source, planned.conversions, is_plain, keeps_tree)
    body, last = script.body, None
    if body and isinstance(body[-1], tree.ExpressionStatement) and not changed_in_place(body[-1].value):
        last, body = body[-1], body[:-1]
    frame = compiler.frame
    first = compiled_body(script, body, settings, compiler, execution)
    final = compiler.expression(last.value) if last is not None else None
    compiler.assigned.clear()  # these closures refer to the compiler: nothing would ever free them
    try:
        for name in only_read:
            frame[scopes.module.slots[name]] = given_value(name, sets[name], without_tensors)
        if first is not None:
            first(frame)
        if final is not None:
            value = final(frame)
            assert last is not None
            if value.__class__ is Tensor or not is_method_call(last.value, compiler):
                execution.last_value, execution.last_span = value, last.value.span
    except (AutodiffError, *python_errors.PYTHON_ERRORS) as raised:
        whole = script if keeps_tree else parse_to_first_error(source)
        error = located_error(raised, whole, source, compiler)
        error.reshaped = planned.reshaped
        if error is raised:
            raise
        raise error from None
    execution.names = bound_names(compiler)
    enter_inputs(execution, planned)
    execution.last_assigned = compiler.last[0]
    enter_ending(execution, body, last)
    return execution


def compiled_body(
    script: tree.Script, body: tree.Body, settings: Settings, compiler: Compiler, execution: Execution
) -> Execute | None:
    """Return the closure that runs the statements ``body`` of a script; None if there are none."""
    if settings.keep:
        from autodiff.grammar.session.kept_values import keeping

        return keeping(script.body, body, settings.keep, compiler, execution)
    return compiler.body(body) if body else None


def enter_ending(execution: Execution, body: tree.Body, last: tree.ExpressionStatement | None) -> None:
    """Enter the last statement at top level before a ``last`` expression, and the result that this prints."""
    ending = next((one for one in reversed(body) if one.__class__ not in WITHOUT_ASSIGNMENT), None)
    if isinstance(ending, (tree.For, tree.While)):
        execution.last_loop = ending
    elif isinstance(ending, tree.Assign):
        execution.last_target = ending.targets[-1]
    if execution.without_tensors and last is not None and execution.last_loop is not None:
        from autodiff.grammar.session.outputs import printed_result

        printed = printed_result(last.value, execution.last_loop, execution.names)
        execution.last_assigned = printed or execution.last_assigned


def enter_inputs(execution: Execution, planned: AssignmentPlan) -> None:
    """Enter what the run has found out about the inputs of a script without tensors."""
    firsts = planned.first_numbers.union(planned.reassigned)
    execution.first_numbers = frozenset(firsts.difference(planned.first_leaves))
    execution.positions = runtime.positions
    execution.leaves = [name for name in planned.leaves if is_input(execution.names.get(name))]


def is_input(value: Any) -> bool:
    """Whether the value of a number of the text is an input; one that picks entries is none."""
    return value.__class__ is Tensor and value.stored_node not in runtime.positions


def given_value(name: str, value: Any, without_tensors: bool) -> Any:
    """The value that ``--set`` gives to a name that the script only reads; a leaf in a script of numbers."""
    made = to_script_value(to_leaf(value) if without_tensors else value)
    if made.__class__ is Tensor and made.source().name is None:
        made.source().name = name
    return made


def resolve_names(
    script: tree.Script, source: Source, sets: dict[str, Any]
) -> tuple[ScriptScopes, list[str], bool, bool]:
    """Return the scopes of a script, the names of ``sets`` that it only reads, and two facts about it.

    The facts: whether it builds no tensors, and whether it is not written as torch either. UsageError if it
    has not one of the names of ``sets``.
    """
    scopes = resolve(script)
    only_read = [name for name in sets if name not in scopes.module.slots]
    known = {name for name, _ in scopes.reads}
    for name in only_read:
        if name not in known:
            raise unknown_name_error(name, settable(script, scopes), "variable", "E0601")
    if only_read:  # these names are the script's own from here on
        scopes = resolve(script, only_read)
    without_tensors = not builds_tensors(scopes) and not any(sets[x].__class__ is Tensor for x in only_read)
    is_plain = without_tensors and not is_written_as_torch(scopes)
    find = plain_value if is_plain else builtin_value
    check_names(scopes, script, source, lambda name: find(name) is not UNBOUND)
    return scopes, only_read, without_tensors, is_plain


def located_error(
    raised: BaseException, script: tree.Script, source: Source, compiler: Compiler
) -> AutodiffError:
    """Return what a run raised as an error of the language, with its place, labels and proposals."""
    error = raised if isinstance(raised, AutodiffError) else python_errors.convert_python_error(raised)
    if mode.site is not None:
        error.at(mode.site)
    services["script errors"].complete_error(error, script, source, bound_names(compiler))
    return error


def is_method_call(node: tree.Expression, compiler: Compiler) -> bool:
    """Whether an expression calls a method of a value, as ``L.item()`` does."""
    return (
        isinstance(node, tree.Call)
        and isinstance(node.function, tree.Attribute)
        and compiler.constant(node.function) is UNBOUND
    )


def settable(script: tree.Script, names: ScriptScopes) -> list[str]:
    """Return the names that ``--set`` can replace: those the script only reads, then those it assigns."""
    read_only = [name for name, scope in names.reads if scope.find(name) is None]
    assigned = [target.id for target, _ in top_level_assignments(script.body)]
    return list(dict.fromkeys([*(name for name in read_only if builtin_value(name) is UNBOUND), *assigned]))


def bound_names(compiler: Compiler) -> dict[str, Any]:
    """Return the top-level names that are bound, without builtins that the script has not replaced."""
    found = {}
    for name, slot in compiler.names.module.slots.items():
        value = compiler.frame[slot]
        if value is not UNBOUND and value is not builtin_value(name):
            found[name] = value
    return found


def differentiate(execution: Execution, settings: Settings) -> ReportedPass:
    """Run and return the backward pass of a report. A custom ``backward`` of the script runs again for it."""
    from autodiff.grammar.session.target import make_subject

    with EngineSetup(settings):
        runtime.without_tensors, runtime.prints_numbers = execution.without_tensors, execution.prints_numbers
        return make_subject(execution, settings)
