"""Modules that scripts use beside their numbers: drawings, progress bars, clocks, logs and warnings.

Their calls evaluate the arguments and change no number. What draws is skipped: a call gives a ``Drawing``,
whose members and entries are drawings too, and the report says so once. A progress bar is what it loops over.
A script has no clock, so that it prints the same in each run.
"""

from __future__ import annotations

import math

from autodiff.core.base.errors import ScriptError
from autodiff.core.base.source import Span
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.objects.values import (
    UNBOUND,
    Builtin,
    Drawing,
    Namespace,
    ProgressBar,
    as_index,
    is_true,
    iterate,
    type_name,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: The modules that draw, by their first names.
DRAWING_MODULES = frozenset(["matplotlib", "mpl_toolkits", "pylab", "seaborn", "torchviz"])
#: The usual short names of modules in scripts.
USUAL_NAMES = {"matplotlib.pyplot": "plt", "pylab": "plt", "seaborn": "sns"}
#: Calls that set how drawings look or are shown, of which no report need speak.
SETTINGS = frozenset(
    """
    clear_output close figure ion rc set set_context set_palette set_style set_theme subplots switch_backend
    tight_layout update use
    """.split()
)
#: What to use in place of the drawing of a module, by its first name.
INSTEAD = {"torchviz": "`autodiff graph` draws the graph"}
CURVES = "`autodiff plot` draws curves"
#: The attributes of rows of drawings that have all of them in one row.
FLAT = ("flat", "flatten", "ravel", "reshape")


def is_side_module(full: str) -> bool:
    """Whether a module makes drawings or progress bars."""
    return full.partition(".")[0] in DRAWING_MODULES | {"tqdm"}


def side_value(module: str, name: str | None, full_module: str) -> Any:
    """Return what the import of a module or its member binds; None if it is none of those here."""
    if module.partition(".")[0] in DRAWING_MODULES:
        full = module if name in (None, "*") else f"{module}.{name}"
        return Drawing(USUAL_NAMES.get(full, full))
    if full_module not in MODULES:
        return None
    found = MODULES[module]
    member = found if name in (None, "*") else found.find(name)
    return None if member is UNBOUND else member


def drawing_member(owner: Drawing, name: str) -> Drawing:
    """Return ``plt.plot``, ``ax.set_title`` or ``axes.flat``."""
    shape = (math.prod(owner.shape),) if owner.shape and name in FLAT else ()
    full = f"{owner.name}.{name}"
    return Drawing(USUAL_NAMES.get(full, full), shape)


def draw(drawing: Drawing, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Skip a call of a drawing. ``plt.subplots(2, 3)`` gives a figure and 2 rows of 3 axes."""
    name = drawing.name.rpartition(".")[2]
    if drawing.shape:  # `axes.flatten()`
        return drawing
    if name not in SETTINGS:
        instead = INSTEAD.get(drawing.name.partition(".")[0], CURVES)
        skip("drawing", f"`{drawing.name}` draws nothing here; {instead}")
    if name != "subplots":
        return Drawing(drawing.name)
    given = [*args, 1, 1][:2]
    counts = [as_index(kwargs.get(key, given[at]), key) for at, key in enumerate(("nrows", "ncols"))]
    is_squeezed = is_true(kwargs.get("squeeze", True))
    axes = tuple([count for count in counts if count != 1 or not is_squeezed])
    return Drawing("fig"), Drawing("ax", axes)


def entry_of_drawing(drawing: Drawing, index: Any) -> Drawing:
    """Return ``axes[0]``; an index of numbers takes a dimension each, a slice none."""
    parts = index if index.__class__ is tuple else (index,)
    taken = sum(part.__class__ is not slice for part in parts)
    return Drawing(drawing.name, drawing.shape[taken:])


def rows_of_drawing(drawing: Drawing) -> list[Drawing]:
    if not drawing.shape:
        raise ScriptError(
            f"`{drawing.name}` is skipped here, so how many there are is not known",
            code="E0144",
            caret="a loop needs to know how many there are",
            help=("leave the loop out, as the other lines that draw",),
        )
    return [Drawing(drawing.name, drawing.shape[1:])] * drawing.shape[0]


def skip(kind: str, text: str) -> None:
    """Note for the report that a call was skipped; of each kind the first is kept."""
    runtime.skipped.setdefault(kind, (text, mode.site or Span(0, 0)))


def skipped_call(kind: str, text: str, value: Any = None) -> Any:
    """Return a function that is skipped: it notes ``text``, if there is one, and returns ``value``."""

    def function(*args: Any, **kwargs: Any) -> Any:
        if text:
            skip(kind, text)
        return value

    return function


def progress(iterable: Any = None, desc: Any = None, total: Any = None, **settings: Any) -> ProgressBar:
    """Return ``tqdm(iterable)``: what it loops over, without a bar."""
    if iterable is not None:
        iterate(iterable)  # raises for what is no sequence
    return ProgressBar(iterable)


def progress_range(*args: Any, **settings: Any) -> ProgressBar:
    return ProgressBar(range(*[as_index(x, "a number of steps") for x in args]))


def write_text(text: Any) -> int:
    """Run ``sys.stdout.write(text)``: print without a line break; return the number of characters."""
    if text.__class__ is not str:
        raise ScriptError(f"write() argument must be str, not {type_name(text)}", code="E0203")
    runtime.write(text)
    return len(text)


def warn(message: Any, category: Any = None, stacklevel: Any = 1) -> None:
    """Run ``warnings.warn``."""
    if message.__class__ is not str:
        raise ScriptError(f"the message must be a text, not {type_name(message)}", code="E0203")
    runtime.tell(message)


def module(name: str, **members: Any) -> Namespace:
    found = {
        key: Builtin(key, value) if callable(value) and value.__class__ is not Builtin else value
        for key, value in members.items()
    }
    return Namespace(name, lambda key: found.get(key, UNBOUND), lambda: list(found))


#: What every method of a progress bar does.
PROGRESS_METHOD = Builtin("update", skipped_call("", ""))
CLOCK = "is always 0 here: a script has no clock, so that it prints the same in each run"
LOG = "nothing is logged here; `print` shows a text"
TQDM = {"tqdm": progress, "trange": progress_range}
PARTS = {name: module(f"tqdm.{name}", **TQDM) for name in ("auto", "notebook")}
LOGGERS = {name: skipped_call("log", LOG) for name in ("debug", "info", "warning", "error", "critical")}
LEVELS = {"DEBUG": 10, "INFO": 20, "WARNING": 30, "ERROR": 40}
STREAM = {"flush": skipped_call("", "")}
LOGGER = module("logging", **LOGGERS, setLevel=skipped_call("", ""))

MODULES: dict[str, Namespace] = {
    "tqdm": module("tqdm", **TQDM, **PARTS),
    **{f"tqdm.{name}": part for name, part in PARTS.items()},
    "time": module(
        "time",
        sleep=skipped_call("", ""),
        **{
            name: skipped_call("clock", f"`time.{name}()` {CLOCK}", 0.0)
            for name in ("time", "perf_counter", "process_time", "monotonic")
        },
    ),
    "logging": module(
        "logging", **LOGGERS, **LEVELS, basicConfig=skipped_call("", ""), getLogger=lambda name=None: LOGGER
    ),
    "warnings": module(
        "warnings", filterwarnings=skipped_call("", ""), simplefilter=skipped_call("", ""), warn=warn
    ),
    "sys": module(
        "sys",
        stdout=module("sys.stdout", **STREAM, write=write_text),
        stderr=module("sys.stderr", **STREAM, write=skipped_call("log", LOG, 0)),
    ),
}
