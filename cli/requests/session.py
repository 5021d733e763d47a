"""One run of the program: the request, the two streams, the script, and the operations of commands.

Commands use it to get the report, lay out a page, show it and give hints. The interpreter and the engine are
imported when the first report is requested.
"""

from __future__ import annotations

import os

from autodiff.cli.command_line.fast_parser import Request
from autodiff.cli.command_line.options import DRAWN, FORMATS, PICTURES
from autodiff.cli.process.streams import Stream, charset, standard_error, standard_output, visible
from autodiff.core.base.errors import AutodiffError, UsageError
from autodiff.core.base.lazy_imports import LazyModule

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from autodiff.cli.command_line.script_source import Script
    from autodiff.cli.process.exit_codes import TimeOutError
    from autodiff.cli.render.page import Block, Line, Page
    from autodiff.cli.render.records import Records
    from autodiff.cli.render.roles import Styles
    from autodiff.cli.requests.values import Values
    from autodiff.core.base.source import Span
    from autodiff.core.report.records import GradientReport
    from autodiff.core.report.tensor_states import TensorStates

script_source = LazyModule("autodiff.cli.command_line.script_source")

ROWS_ON_TERMINAL, ROWS_OF_RUN = 200, 1_000
#: The lines of a step are cut after so many, or after so many for each path that --top asks for.
LINES_OF_A_STEP, LINES_OF_A_PATH = 20, 8
QUIET, SILENT = 1, 2


class Session:
    """The state of a command. ``tensors`` are the states of the script's tensors, if requested.

    ``has_run`` says that the script has run to its end, ``has_ended_extra`` that the time was over during
    work that only adds to the answer. ``show_so_far`` shows what was answered until then, for when the time
    is over; ``time_out`` is the error then, ``time_help`` gives its advice, and ``time_place`` says at which
    values that is, "" at no other than the script's.
    ``scripts_left`` are those after this one.
    """

    __slots__ = (
        *(
            "_styles",
            "columns",
            "diagnostics",
            "err",
            "failures",
            "format",
            "out",
            "request",
            "script",
            "tensors",
        ),
        *("has_ended_extra", "has_run", "has_several", "scripts_left", "show_so_far", "shows_prints"),
        *("time_help", "time_out", "time_place", "values", "warnings"),
    )

    def __init__(self, request: Request) -> None:
        self.script: Script | None = None
        self.warnings: list[AutodiffError] = []
        self.failures: list[AutodiffError] = []  # by --fail-on
        self.has_run = self.has_ended_extra = False
        self.show_so_far: Callable[[], None] | None = None
        self.shows_prints = True
        self.has_several = False  # scripts
        self.scripts_left = 0
        self.time_out: TimeOutError | None = None
        self.time_help: Callable[[], str] | None = None
        self.time_place: Callable[[], str] = lambda: ""
        self.tensors: TensorStates | None = None
        self.values: Values | None = None
        self.columns: dict[str, Sequence[str]] = {}  # of the files of numbers, by their names
        self._styles: Styles | None = None
        self.adopt(request)

    def adopt(self, request: Request) -> None:
        """Set the request and open the streams accordingly."""
        color = request.text("color") or "auto"
        self.request = request
        self.out: Stream = standard_output(color)
        self.err: Stream = standard_error(color)
        charset.name = self.out.charset
        self.format = request.text("format") or "auto"
        self.diagnostics = request.text("diagnostics") or "text"

    def peek(self, arguments: list[str]) -> None:
        """Read only the output format from a command line that cannot be parsed, for its error."""
        for at, word in enumerate(arguments):
            flag, equals, value = word.partition("=")
            if not equals and at + 1 < len(arguments):
                value = arguments[at + 1]
            if flag == "--format" and value == "json":
                self.format = value
            elif flag == "--diagnostics" and value in ("json", "github"):
                self.diagnostics = value

    @property
    def is_quiet(self) -> bool:
        return self.request.number("quiet") >= QUIET

    @property
    def is_silent(self) -> bool:
        return self.request.number("quiet") >= SILENT

    @property
    def for_people(self) -> bool:
        """Whether the result goes to a terminal in the default format."""
        return self.format == "auto" and self.out.is_terminal

    @property
    def is_brief(self) -> bool:
        """Whether ``run`` chooses itself how much it shows."""
        values = self.request.values
        is_asked = values.get("show") or values.get("all") or self.format == "json"
        return self.request.command == "run" and not is_asked

    def report(
        self, *, graph: bool = False, derivations: bool = False, order: int = 1, events: bool = False
    ) -> GradientReport:
        """Run the script, then backward ``order`` times. Return the report."""
        report = self.report_if_any(
            graph=graph, derivations=derivations, needed=True, order=order, events=events
        )
        assert report is not None
        return report

    def report_if_any(
        self,
        *,
        graph: bool,
        derivations: bool,
        needed: bool,
        tensors: bool = False,
        order: int = 1,
        events: bool = False,
    ) -> GradientReport | None:
        """Like ``report``, but None, with a note, if the script has no gradient and none was requested."""
        self.script = script_source.read_script(self.request)
        from autodiff.cli.requests.make_report import (
            make_report,  # after reading the script: a missing file needs no interpreter
        )

        report = make_report(
            self,
            graph=graph,
            derivations=derivations,
            tensors=tensors,
            needed=needed,
            order=order,
            events=events,
        )
        if self.request.texts("fail_on"):
            from autodiff.cli.requests.fail_on import judge

            judge(self, [] if report is None else [report])
        return report

    def place_of_run(self) -> Span | None:
        """Where the script is while it runs, for what ends it from outside; None before and after."""
        from autodiff.core.graph.state import mode

        return None if self.script is None or self.has_run else mode.site

    def page(self) -> Page:
        """The page for which reports are laid out."""
        from autodiff.cli.render.page import Page

        rows = self.request.values.get("rows")
        if self.request.values.get("all"):
            rows = 0
        elif rows is None:
            rows = ROWS_ON_TERMINAL if self.out.is_terminal else ROWS_OF_RUN * self.is_brief
        assert isinstance(rows, int)
        is_terminal = self.out.is_terminal
        is_whole = self.request.values.get("all") or (self.request.command == "run" and not is_terminal)
        asked = LINES_OF_A_PATH * self.request.number("top")
        step = 0 if is_whole else max(LINES_OF_A_STEP, asked)
        height = self.out.height if self.for_people and self.is_brief else 0
        made = Page(self.out.width, self.request.digits, self.out.box, rows, step, height)
        made.printed = self.out.printed + 1 if self.out.printed else 0
        return made

    def show(self, lines: Iterable[Line | Block]) -> None:
        """Write a report to standard output."""
        if self.is_silent:
            return
        if self.out.color:
            from autodiff.cli.render.terminal import write_colored

            write_colored(lines, self.out, self.styles)
        else:
            from autodiff.cli.render.text import write_plain

            write_plain(lines, self.out)

    @property
    def styles(self) -> Styles:
        """The style of each role. What is wrong with ``AUTODIFF_COLORS`` is noted at the first use."""
        if self._styles is None:
            from autodiff.cli.render.roles import read_styles

            self._styles, complaints = read_styles(os.environ)
            for complaint in complaints:
                self.note(f"AUTODIFF_COLORS: {complaint}")
        return self._styles

    def show_result(
        self,
        *,
        json: Callable[[], None],
        lines: Callable[[Page], Iterable[Line | Block]],
        records: Callable[[], Records],
        text: Callable[[], str],
    ) -> None:
        """Write a result in the requested format; only the form that it needs is made.

        ``json`` writes a document itself, ``lines`` are for people, ``text`` are bare numbers.
        """
        if self.format == "json":
            json()
        elif self.for_people or self.format == "table":
            self.show(lines(self.page()))
        elif self.format in ("auto", "plain"):
            self.show_text(text())
        else:
            self.show_records(records())

    def show_text(self, text: str) -> None:
        """Write a text that needs no layout: JSON, DOT, bare numbers."""
        if not self.is_silent:
            self.out.write(text)

    def open_output(self) -> None:
        """Turn to the file of ``-o`` if there is one; its suffix chooses the format if no option does.

        Raises UsageError for an unknown suffix, one of a format that the command does not have, and one that
        differs from the option where either is a picture.
        """
        path = self.request.text("output")
        if path is None or path == script_source.STDIN:
            return
        if not path:
            raise UsageError(
                "--output: no file is named", code="E0610", help=("name one, as in -o gradients.json",)
            )
        from autodiff.cli.process.output_file import OutputFile

        if self.format == "auto":
            self.format = format_of_suffix(path, self.request.command)
        else:
            check_suffix(path, self.format)
        self.out = OutputFile(path)

    def show_records(self, records: Records) -> None:
        """Write numbers as records, in the format that was requested."""
        from autodiff.cli.render.records import render_records

        self.show_made(render_records(records, self.format, self.request.digits))

    def show_made(self, made: str | bytes) -> None:
        """Write a text, or bytes that are not for a terminal."""
        if isinstance(made, str):
            self.show_text(made)
        elif self.out.is_terminal:
            raise UsageError(
                f"--format {self.format} is not for a terminal",
                code="E0614",
                help=(f"name a file: -o result.{self.format}", "or redirect the output to one"),
            )
        elif not self.is_silent:
            self.out.write_bytes(made)

    def show_numbers(self, report: GradientReport, numbers: Mapping[str, Any]) -> None:
        """Write other numbers than gradients as one JSON document."""
        from autodiff.cli.render.json import render_numbers

        assert self.script is not None
        seed = self.request.number("seed")
        self.show_text(
            render_numbers(
                *(report, numbers, self.script.data, seed, self.warnings, self.script.source, self.failures)
            )
        )

    def show_curve(self, numbers: Mapping[str, Any]) -> None:
        """Write the numbers of a curve as one JSON document."""
        from autodiff.cli.render.json import render_curve

        assert self.script is not None
        seed = self.request.number("seed")
        self.show_text(render_curve(numbers, self.script.data, seed, self.warnings, self.script.source))

    def show_json(self, report: GradientReport, events: bool = False) -> None:
        """Write a report as one JSON document, with its ``events`` if asked for."""
        from autodiff.cli.render.json import render_json

        assert self.script is not None
        seed = self.request.number("seed")
        self.show_text(
            render_json(
                *(report, self.script.data, seed, self.warnings, self.script.source, self.tensors, events),
                failures=self.failures,
            )
        )

    def print_from_script(self, text: str) -> None:
        """Write what a script prints: to stdout for ``run`` in formats for people, else to stderr."""
        for_programs = any(form.for_programs for form in FORMATS if form.name == self.format)
        stream = self.out if self.request.command == "run" and not for_programs else self.err
        if self.shows_prints and not self.is_silent:
            stream.write_printed(text)

    def hint(self, text: str, command: str = "") -> None:
        """Write a hint and perhaps a command, which is not folded, only for people at a terminal."""
        if lines := self.hint_lines(text, command):
            self.out.flush()
            self.err.write("\n".join(lines) + "\n")

    def hint_lines(self, text: str, command: str = "") -> list[str]:
        """The lines that ``hint`` writes, the first of them empty; none where it writes nothing."""
        is_wanted = not self.is_quiet and self.diagnostics == "text"
        if not (is_wanted and self.out.is_terminal and self.err.is_terminal):
            return []
        from autodiff.cli.render.prose import WIDEST_PROSE, fold

        both = visible(f"{text}  {command}").rstrip()
        width = min(self.err.width, WIDEST_PROSE)
        if len(both) <= width:
            return ["", both]
        return ["", *fold(visible(text), width), *[visible(command)] * bool(command)]

    def note(self, text: str, kind: str = "note") -> None:
        """Write a remark to stderr unless ``-q`` is given.

        Its ``kind`` is ``help`` if it says what to do, ``warning`` if the result is of no use as it is.
        """
        if self.is_quiet:
            return
        if self.diagnostics == "text" and self.err.is_terminal:
            from autodiff.cli.render.prose import WIDEST_PROSE, fold

            width = min(self.err.width, WIDEST_PROSE)
            self.err.write("\n".join(fold(f"{kind}: {visible(text)}", width, len(f"{kind}: "))) + "\n")
        elif self.diagnostics == "text":
            self.err.write(f"{kind}: {visible(text)}\n")
        else:
            remark = AutodiffError(text)
            remark.code = ""
            if self.script is not None:
                from autodiff.cli.render.github import span_of_line_in

                remark.span = span_of_line_in(text, self.script.source)
            self.say(remark, kind)

    def warn(self, error: AutodiffError) -> None:
        """Store a warning and write it in the same form as an error, while the script goes on."""
        self.warnings.append(error)
        if not self.is_quiet:
            self.say(error, "warning")
            self.err.flush()

    def say(self, error: AutodiffError, severity: str = "error", stream: Stream | None = None) -> None:
        """Write a diagnostic in the requested form, to standard error unless ``stream`` is given."""
        stream = stream or self.err
        source = error.source
        if source is None and self.script is not None and error.span is not None:
            source = self.script.source
        if self.diagnostics == "json":
            from autodiff.cli.render.json import render_json_line

            stream.write(render_json_line(error, source, severity))
        elif self.diagnostics == "github":
            from autodiff.cli.render.github import github_line

            script = error.source or (None if self.script is None else self.script.source)
            stream.write(github_line(error, script, severity))
        else:
            from autodiff.cli.render.diagnostic import diagnostic_lines

            if error.code == "E0204" and not error.advice:
                error.help = ("`autodiff help E0204` says what to look at",)
            lines = diagnostic_lines(
                *(error, source, stream.width, self.styles if stream.color else None, severity),
                folded=stream.is_terminal,
            )
            for line in lines:
                stream.write(line + "\n")

    def say_all(self, error: AutodiffError) -> None:
        """Write an error and those found with it, in the order of the script, and their number."""
        in_order = sorted((error, *error.other_errors), key=lambda one: one.span.start if one.span else 0)
        for at, one in enumerate(in_order):
            if at and self.diagnostics == "text":
                self.err.write("\n")
            self.say(one)
        if error.other_errors and self.diagnostics == "text" and not self.is_quiet:
            self.err.write(f"\nfound {1 + len(error.other_errors):,} mistakes\n")

    def show_failure(self, error: AutodiffError) -> None:
        """For a format that programs read, write the failure in it, to where the result would go."""
        if self.format == "verdict":
            from autodiff.cli.requests.several_scripts import failure_line

            self.show_text(failure_line(self, error))
        if self.format == "json" and not self.is_silent:
            from autodiff.cli.render.json import render_json_error

            source, data = (None, b"") if self.script is None else (self.script.source, self.script.data)
            self.show_text(render_json_error(error, source, data, self.warnings))

    def flush(self) -> None:
        """Write what both streams hold, except into the file of ``-o``, which is written at the end."""
        self.out.flush()
        self.err.flush()

    def tell_of_ended(self) -> None:
        """Say what the answer lacks because the time was over."""
        if not self.has_ended_extra:
            return
        from autodiff.core.base.extra_work import stopped

        limit = self.request.seconds("timeout")
        what = " and ".join(dict.fromkeys(stopped))
        self.note(
            f"stopped after {limit:g} second{'s' * (limit != 1)}: {what}. What is shown was found before;"
            f" --timeout {10 * limit:g} gives it more time"
        )
        stopped.clear()
        self.has_ended_extra = False

    def finish(self) -> None:
        """Write everything, after the last text. Raises OutputError if it cannot be written."""
        self.out.finish()
        self.err.flush()


#: The commands that an error names for a kind of file, the first of them that writes it.
WRITING = ("explain", "graph", "grad", "plot", "run")


def format_of_suffix(path: str, command: str) -> str:
    """The format that the suffix of a file name stands for; ``auto`` for a name without a suffix.

    Raises UsageError if the suffix is unknown or stands for a format that the command does not have.
    """
    suffix = os.path.splitext(path)[1].lower()
    if not suffix.strip("."):
        return "auto"
    forms = [form for form in FORMATS if suffix in form.suffixes]
    is_picture = suffix[1:] in PICTURES
    fitting = next((form.name for form in forms if command in form.commands), None)
    if fitting is None:
        known = [suffix for form in FORMATS if command in form.commands for suffix in form.suffixes]
        help: tuple[str, ...] = (f"its suffixes are {', '.join(known)}", "or name a format with --format")
        others = {other for form in forms for other in form.commands}
        other = next((one for one in WRITING if one in others), None)
        if other is not None:
            help = (f"`autodiff {other} ... -o {visible(path)}` writes such a file", *help)
        if is_picture and command == "graph":
            line = f"autodiff graph ... --format dot | dot -T{suffix[1:]} > graph{suffix}"
            help = (f"Graphviz makes one: `{line}`", *help)
        what = (
            f"{suffix[1:]} pictures" if is_picture else forms[0].name if forms else f"{visible(suffix)} files"
        )
        raise UsageError(
            f"-o {visible(path)}: `autodiff {command}` cannot write {what}",
            code="E0610",
            help=help,
        )
    return fitting


def check_suffix(path: str, form: str) -> None:
    """Raise UsageError if a picture's format and the suffix of its file are of different formats.

    A suffix of no format may have any: then only the option says what the file holds.
    """
    suffix = os.path.splitext(path)[1].lower()
    meant = {one.name for one in FORMATS if suffix in one.suffixes} or {suffix[1:]} & {*PICTURES}
    if not meant or form in meant or not ({form, *meant} & {*DRAWN, *PICTURES}):
        return
    own = next((one.suffixes[0] for one in FORMATS if one.name == form and one.suffixes), "")
    stem = visible(os.path.splitext(path)[0])
    raise UsageError(
        f"-o {visible(path)}: the suffix {suffix} is not that of --format {form}",
        code="E0610",
        help=(f"name the file {stem}{own}",),
    )
