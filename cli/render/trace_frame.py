"""One moment of a story as a screen: the code, the values so far, the gradients so far, and a sentence."""

from __future__ import annotations

from autodiff.cli.process.streams import cells, visible
from autodiff.cli.render.page import EMPTY, GRADIENT, MUTED, NAME, NUMBER, PLAIN, TITLE, fit, pad, spread
from autodiff.cli.render.prose import fold
from autodiff.cli.render.roles import FRAME, LABEL
from autodiff.cli.render.trace_story import LONGEST_NAME, UNFINISHED, Story
from autodiff.core.report.events import Flow, Make, PathProduct, Seed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from autodiff.cli.render.page import Line
    from autodiff.cli.render.trace_story import Event
    from autodiff.core.base.source import Source, Span

CODE_LINES, SENTENCE_LINES = 5, 3
#: The lines of a frame that are not rows: heading, code and marks, blanks, header, sentence, keys.
OTHER_LINES = 1 + CODE_LINES + 1 + 1 + 1 + 1 + SENTENCE_LINES + 1
FEWEST_ROWS = 3
#: Where the columns are too wide, a name and a value have at least so many characters, if they need them.
LEAST_NAME, LEAST_VALUE, LEAST_MAKER = 12, 20, 10
COLUMN_GAP = 3
WIDEST_VALUE = 60
KEYS = "space: pause   left, right: step   q: end"
KEYS_AT_END = "the end   left: step back   space: play again   q: end"


class Frames:
    """The screens of a story: number 0 shows nothing made, number k what is there after k events."""

    def __init__(self, story: Story, source: Source) -> None:
        self.story = story
        self.source = source
        events = story.events
        self.events: list[Event] = [*events.forward, *events.backward, *events.paths]
        parts = (("forward", events.forward), ("backward", events.backward), ("paths", events.paths))
        self._phases = [(phase, len(part)) for phase, part in parts]
        nodes = story.graph.nodes
        self._names = [story.name(node.id, 24) for node in nodes]
        self._makers = [fit(story.making(node), LONGEST_NAME) for node in nodes]
        self._titles = ("node", "made by", "value", f"d{story.output}/d node")
        values = [line for node in nodes for line in story.value_lines(node.value, WIDEST_VALUE)]
        gradients = [
            line
            for event in events.backward
            for line in with_mark(event, story.value_lines(event.sum, WIDEST_VALUE))
        ]
        columns = (self._names, self._makers, values, gradients)
        self._wanted = [max(cells(t), *map(cells, c)) for t, c in zip(self._titles, columns, strict=True)]

    @property
    def last(self) -> int:
        """The number of the last screen."""
        return len(self.events)

    def lines(self, at: int, width: int, height: int, has_keys: bool) -> list[Line]:
        """The lines of screen ``at``, at most ``height`` of at most ``width`` columns."""
        event = self.events[at - 1] if at else None
        widths = self._widths(width, at <= len(self.story.events.forward))
        made = [
            self._heading(at, width),
            *self._code(self._span(event)),
            EMPTY,
            *self._rows(at, event, max(height - 1 - OTHER_LINES, FEWEST_ROWS), widths),
            EMPTY,
            *self._sentence(event, width),
        ]
        if has_keys:
            made.append(((MUTED, KEYS_AT_END if at == self.last else KEYS),))
        return [tuple(clipped(line, width)) for line in made][: height - 1]

    def _heading(self, at: int, width: int) -> Line:
        rest = at
        phases = iter(self._phases)
        phase, count = next(phases)
        while rest > count:
            rest -= count
            phase, count = next(phases)
        left = ((TITLE, phase), (MUTED, f"  step {rest} of {count}"))
        return spread(left, fit(self.source.name, 30), width)

    def _span(self, event: Event | None) -> Span | None:
        """The code of an event: what made the node, or whose rule sends the gradient."""
        if event is None:
            return None
        if isinstance(event, Flow):
            node = self.story.source(event)
        else:
            node = event.wrt if isinstance(event, PathProduct) else event.node
        return self.story.graph.nodes[node].span

    def _code(self, span: Span | None) -> Iterator[Line]:
        """Some lines of the script around the span, with marks below it; always as many."""
        count = self.source.position(len(self.source.text.rstrip()))[0]
        line, column = (1, 1) if span is None else self.source.position(span.start)
        first = max(min(line - CODE_LINES // 2, count - CODE_LINES + 1), 1)
        gutter = len(str(count)) + 1
        for number in range(first, first + CODE_LINES):
            is_here = span is not None and number == line
            text = visible(self.source.line(number)) if number <= count else ""
            shown = str(number).rjust(gutter) if number <= count else " " * gutter
            yield (FRAME, f"{'>' if is_here else ' '}{shown}  "), (PLAIN, text)
            if is_here:
                assert span is not None
                before = visible(self.source.line(line)[: column - 1])
                inside = visible(self.source.excerpt_lines(span)[0])
                yield (PLAIN, " " * (gutter + 3 + cells(before))), (LABEL, "^" * max(cells(inside), 1))
        if span is None:
            yield EMPTY

    def _widths(self, width: int, is_forward: bool) -> list[int]:
        """The widths of the columns on so many of a screen; 0 for one that there is no room for.

        Where it is narrow, the numbers that the step is about have more room than the others.
        """
        name, maker, value, grad = self._wanted
        room = width - 2 - COLUMN_GAP * 3
        if name + min(maker, LEAST_MAKER) + value + grad <= room:
            return [name, min(maker, room - name - value - grad), value, grad]
        room += COLUMN_GAP
        least = min(name, max(LEAST_NAME, width // 4 - 2))
        first, second = (value, grad) if is_forward else (grad, value)
        first = max(min(first, room - least - min(second, LEAST_VALUE)), 1)
        second = max(min(second, room - least - first), 1)
        name = max(min(name, room - first - second), least)
        return [name, 0, *((first, second) if is_forward else (second, first))]

    def _rows(self, at: int, event: Event | None, room: int, widths: list[int]) -> Iterator[Line]:
        """The nodes made so far with the gradients so far; as many rows as there is room for.

        The row that the step is about is there with all entries of a small tensor, others if there is room.
        """
        made = min(at, len(self.story.events.forward))
        sums = self._sums(at)
        marks = self._marks(event)
        yield self._row("", *self._titles, roles=(MUTED,) * 4, widths=widths)
        here = min((id for id, mark in marks.items() if mark == ">"), default=made - 1)
        whole = {id: self._cells(id, sums.get(id), widths) for id in range(made)}
        heights = {id: max(map(len, both)) for id, both in whole.items()}
        shown = window(made, here, room, heights.get(here, 1))
        spare = room - len(shown) + 1 - heights.get(here, 1)
        opened = {here}
        for id in sorted(set(shown) - opened, key=lambda id: (id not in marks, -id)):
            if heights[id] - 1 <= spare:
                spare -= heights[id] - 1
                opened.add(id)
        for id in shown:
            value, grad = whole[id] if id in opened else self._one_line(id, sums.get(id), widths)
            for line in range(max(len(value), len(grad))):
                begin = (marks.get(id, ""), self._names[id], self._makers[id]) if not line else ("", "", "")
                texts = (side[line] if line < len(side) else "" for side in (value, grad))
                yield self._row(*begin, *texts, roles=(NAME, PLAIN, NUMBER, GRADIENT), widths=widths)
        for _ in range(spare):
            yield EMPTY

    def _cells(self, id: int, got: Seed | Flow | None, widths: list[int]) -> tuple[list[str], list[str]]:
        """The lines of the value of a node and of its gradient so far."""
        value = self.story.value_lines(self.story.graph.nodes[id].value, widths[2])
        if got is None:
            return value, [""]
        return value, with_mark(got, self.story.value_lines(got.sum, widths[3] - len(mark_of(got))))

    def _one_line(self, id: int, got: Seed | Flow | None, widths: list[int]) -> tuple[list[str], list[str]]:
        """The same on one line each."""
        value = self.story.value_within(self.story.graph.nodes[id].value, widths[2])
        if got is None:
            return [value], [""]
        mark = mark_of(got)
        return [value], [self.story.value_within(got.sum, widths[3] - len(mark)) + mark]

    def _row(self, mark: str, *texts: str, roles: tuple[str, ...], widths: list[int]) -> Line:
        line = [(TITLE, f"{mark:<2}")]
        for text, width, role, is_right in zip(texts, widths, roles, (0, 0, 1, 1), strict=True):
            if width:
                line += [(role, pad(fit(text, width), width, bool(is_right))), (PLAIN, " " * COLUMN_GAP)]
        return tuple(line)

    def _sums(self, at: int) -> dict[int, Seed | Flow]:
        """By node the event that gave it its gradient as it is after ``at`` events."""
        flows = self.events[len(self.story.events.forward) : at]
        return {event.node: event for event in flows if isinstance(event, Seed | Flow)}

    def _marks(self, event: Event | None) -> dict[int, str]:
        """``>`` at the node that the event is about, ``*`` at others that take part."""
        if event is None:
            return {}
        if isinstance(event, Flow):
            return {self.story.source(event): "*", event.node: ">"}
        if isinstance(event, PathProduct):
            return {**dict.fromkeys(event.nodes, "*"), event.wrt: ">"}
        if isinstance(event, Make):
            return {**dict.fromkeys(self.story.graph.nodes[event.node].inputs, "*"), event.node: ">"}
        return {event.node: ">"}

    def _sentence(self, event: Event | None, width: int) -> Iterator[Line]:
        said = "" if event is None else self.story.sentence(event)
        lines = fold(said, width) if said else []
        if len(lines) > SENTENCE_LINES:
            lines = [*lines[: SENTENCE_LINES - 1], fit(" ".join(lines[SENTENCE_LINES - 1 :]), width)]
        for at in range(SENTENCE_LINES):
            yield ((PLAIN, lines[at]),) if at < len(lines) else EMPTY


def mark_of(event: Seed | Flow) -> str:
    """What follows a gradient that is not complete."""
    return UNFINISHED if isinstance(event, Flow) and not event.last else ""


def with_mark(event: Seed | Flow, lines: list[str]) -> list[str]:
    """The lines of a gradient, the last with the mark of one that is not complete."""
    return [*lines[:-1], lines[-1] + mark_of(event)]


def window(count: int, here: int, room: int, height: int) -> range:
    """The rows around ``here`` that fit ``room`` lines, where that row takes ``height`` and others take one.

    >>> window(10, 5, 7, 4), window(10, 9, 7, 4), window(2, 1, 7, 4)
    (range(3, 7), range(6, 10), range(0, 2))
    """
    rows = max(room - height + 1, 1)
    first = max(min(here - rows // 2, count - rows), 0)
    return range(first, min(first + rows, count))


def clipped(line: Line, width: int) -> Iterator[tuple[str, str]]:
    """The pieces of a line as far as they fit."""
    for role, text in line:
        if cells(text) > width:
            text = fit(text, max(width, 4))[:width]
        yield role, text
        width -= cells(text)
