"""What is shown after a second on a terminal: what the program is doing, how far it is, how long it takes.

Nothing is counted for it. The main thread looks at the stack of the thread that works: which functions run
there and the variables that tell how far they are.
"""

from __future__ import annotations

import sys
import threading
from time import monotonic

from autodiff.cli.process.streams import status_line, visible
from autodiff.core.graph.state import mode
from autodiff.grammar.objects.runtime import runtime
from autodiff.grammar.session.running_loops import fraction_done

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Any

    from autodiff.cli.render.progress_bar import ProgressBar
    from autodiff.cli.requests.session import Session

    #: A text, and the fraction that is done if it is known.
    Stage = tuple[str, float | None]

INTERVAL = 0.5  # seconds between two drawings
WIDEST = 100
LONGEST_NAME = 40
SMALL_STACK = 1 << 20  # bytes; the worker's stack has hundreds of times as many


class ProgressShown:
    """A chore of the main thread: draws a line about the worker ``thread`` on the terminal of stderr."""

    __slots__ = ("bar", "began", "drawn", "session", "thread")

    def __init__(self, session: Session, thread: int, began: float) -> None:
        self.session = session
        self.thread = thread
        self.began = began
        self.drawn = 0.0
        self.bar: ProgressBar | None = None

    def begin(self) -> None:
        """Start to import rich: on a thread of its own, so that work that ends now is not kept waiting."""
        size = threading.stack_size(SMALL_STACK)
        try:
            threading.Thread(target=self.load, daemon=True).start()
        except RuntimeError:
            pass  # the system grants no other thread: then there is no progress to see
        finally:
            threading.stack_size(size)

    def load(self) -> None:
        """Import rich. Where memory has run out, the script gets the error; no progress is shown."""
        try:
            from autodiff.cli.render.progress_bar import ProgressBar

            self.bar = ProgressBar(self.session.err.charset == "ascii", monotonic)
        except MemoryError:
            pass

    def run_once(self) -> bool:
        """Draw the line if it is time. Return True: there is always more to show."""
        now = monotonic()
        err = self.session.err
        if self.bar is not None and now - self.drawn >= INTERVAL and err.fd is not None:
            self.drawn = now
            stage = stage_of(frames_of(self.thread), self.session)
            text = "" if stage is None else self.bar.line(*stage, now - self.began, min(err.width, WIDEST))
            status_line.draw(err.fd, text, err.encoding)
        return True

    def end(self) -> None:
        """Erase the line."""
        if self.session.err.fd is not None:
            status_line.draw(self.session.err.fd, "", "ascii")

    def write_some(self, seconds: float) -> None:
        """Erase the line before the process ends."""
        self.end()


def progress_of(session: Session, began: float) -> ProgressShown:
    """The chore for the thread that works; it may have ended in this moment, and there is nothing to tell."""
    others = (thread.ident for thread in threading.enumerate() if thread is not threading.main_thread())
    return ProgressShown(session, next(others, None) or 0, began)


def frames_of(thread: int) -> list[FrameType]:
    """The frames of a thread, the outermost first."""
    frame = sys._current_frames().get(thread)
    frames = []
    while frame is not None:
        frames.append(frame)
        frame = frame.f_back
    return frames[::-1]


def stage_of(frames: list[FrameType], session: Session) -> Stage | None:
    """What the outermost function that has a row in ``STAGES`` is doing; None if there is none."""
    for at, frame in enumerate(frames):
        tell = STAGES.get((frame.f_globals.get("__name__", ""), frame.f_code.co_name))
        if tell is not None:
            return tell(frame, frames[at:], session)
    return None


def variables_of(frames: list[FrameType], module: str, function: str) -> list[Any] | None:
    """The values of the ``WATCHED`` variables of a function; None for one that is not assigned yet.

    None if the function is not on the stack.
    """
    names = WATCHED[module, function]
    for frame in frames:
        if frame.f_code.co_qualname == function and frame.f_globals.get("__name__") == module:
            return values_in(frame, names)
    return None


def values_in(frame: FrameType, names: tuple[str, ...]) -> list[Any]:
    variables = frame.f_locals
    found = [variables.get(name) for name in names]
    if isinstance(variables, dict):  # before Python 3.13 it is a copy, which keeps the values alive
        variables.clear()
    return found


def running(frame: FrameType, frames: list[FrameType], session: Session) -> Stage:
    """The line and the step of the script, and how far its loops are."""
    says = f"step {runtime.used:,}"
    site, script = mode.site, session.script
    if site is not None and script is not None:
        says = f"line {script.source.position(site.start)[0]}, {says}"
    return says, fraction_done(frames)


def checking(frame: FrameType, frames: list[FrameType], session: Session) -> Stage:
    found = variables_of(frames, "autodiff.cli.requests.verify", "check_all")
    if found is None or None in (found[0], found[1]):
        return "checking", None
    spelled, checks, subject = found
    done, of_all = len(checks), len(subject.wrt)
    says, fraction = counted(f"checking the gradient of {spelled}", done, of_all)
    stepped = variables_of(frames, "autodiff.core.check.verify", "_Verifier.step_entries")
    if stepped is None or None in stepped or len(stepped[0]) < 2:
        return says, fraction
    places, place = stepped
    at = places.index(place)
    return f"{says}, entry {at + 1:,} of {len(places):,}", (done + at / len(places)) / of_all


def searching(frame: FrameType, frames: list[FrameType], session: Session) -> Stage:
    """How low a search for a minimum has come."""
    found = variables_of(frames, "autodiff.grammar.session.minimum", "search_minimum")
    assert found is not None
    objective = found[0]
    return f"searching: run {objective.runs:,}, {float(objective.least):.6g}", None


def checking_formula(frame: FrameType, frames: list[FrameType], session: Session) -> Stage:
    found = variables_of(frames, "autodiff.grammar.by_hand.check", "check_formula")
    assert found is not None
    return f"checking the formula {short_name(found[0].written)}", None


def deriving(frame: FrameType, frames: list[FrameType], session: Session) -> Stage:
    """Which gradient is being derived."""
    found = variables_of(frames, "autodiff.core.derivation.derive", "Derivations.derive")
    if found is None:
        return "describing the result", None
    writer, index = found
    wrt = writer.subject.wrt
    return counted(f"deriving the gradient of {wrt[index][0]}", index, len(wrt))


def answering(frame: FrameType, frames: list[FrameType], session: Session) -> Stage:
    """How many rows are answered, in how many a second, and which part of the file that is."""
    (rows,) = values_in(frame, WATCHED["autodiff.cli.requests.rows", "AllRows.answer_all"])
    speed = rows.count / max(monotonic() - rows.began, INTERVAL)
    return f"{rows.count:,} rows, {speed:,.0f} rows/s", rows.done


def doing(says: str) -> Callable[[FrameType, list[FrameType], Session], Stage]:
    return lambda frame, frames, session: (says, None)


def counted(says: str, done: int, total: int) -> Stage:
    """The text with the number of the part that is being done, if there are several."""
    if total < 2:
        return short_name(says), None
    return f"{short_name(says)}, {done + 1:,} of {total:,}", done / total if done else None


def short_name(text: str) -> str:
    shown = visible(text)
    return shown if len(shown) <= LONGEST_NAME else shown[:LONGEST_NAME] + "..."


#: The local variables that tell how far a function is.
WATCHED = {
    ("autodiff.cli.requests.verify", "check_all"): ("spelled", "checks", "subject"),
    ("autodiff.cli.requests.rows", "AllRows.answer_all"): ("self",),
    ("autodiff.cli.requests.batches", "AllBatches.reduce_all"): ("self",),
    ("autodiff.core.check.verify", "_Verifier.step_entries"): ("places", "place"),
    ("autodiff.grammar.session.minimum", "search_minimum"): ("objective",),
    ("autodiff.grammar.by_hand.check", "check_formula"): ("formula",),
    ("autodiff.core.derivation.derive", "Derivations.derive"): ("self", "index"),
}
#: What is shown of a function: module and name. The outermost of them on the stack counts.
STAGES = {
    ("autodiff.cli.requests.verify", "check_all"): checking,
    ("autodiff.cli.requests.rows", "answer_all"): answering,
    ("autodiff.cli.requests.batches", "reduce_all"): answering,
    ("autodiff.grammar.by_hand.check", "check_formula"): checking_formula,
    ("autodiff.grammar.session.minimum", "search_minimum"): searching,
    ("autodiff.core.derivation.describe", "describe"): deriving,
    ("autodiff.core.derivation.describe", "describe_second_order"): deriving,
    ("autodiff.grammar.session.derivative_matrices", "hessian"): doing("computing second derivatives"),
    ("autodiff.grammar.repair.try_repairs", "keep_working_fixes"): doing("trying repairs of the script"),
    ("autodiff.grammar.syntax.parser", "parse_to_first_error"): doing("reading the script"),
    ("autodiff.grammar.session.run", "run_script"): running,
    ("autodiff.grammar.session.run", "differentiate"): doing("running backward"),
    ("autodiff.cli.requests.session", "show"): doing("laying out the result"),
    ("autodiff.cli.requests.session", "show_json"): doing("writing the result"),
}
