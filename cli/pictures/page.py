"""One HTML page of a run: script, graph and derivations, played step by step. It needs nothing else.

The page asks for nothing from the network: its policy allows its one style sheet and its one script, by
their hashes. Without JavaScript it shows the finished picture.
"""

from __future__ import annotations

import os
from html import escape
from json import dumps

from autodiff.cli.pictures.fold import lost_edges
from autodiff.cli.pictures.mathml import brackets, mathml, matrix, mtext, quotient, text_mathml, text_piece
from autodiff.cli.pictures.picture import WIDEST_NAME, typeset
from autodiff.cli.pictures.svg import svg_text
from autodiff.cli.process.streams import visible, visible_lines
from autodiff.cli.render.derivation import left_out_text
from autodiff.cli.render.expression_latex import parse_quotient
from autodiff.cli.render.numbers import is_array, number, short, spell_count
from autodiff.cli.render.page import fit
from autodiff.cli.render.paths import all_kink_texts, repair_words
from autodiff.cli.render.tree import entry
from autodiff.core.base.incoming import incoming

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from autodiff.cli.pictures.boxes import Drawing
    from autodiff.cli.pictures.fold import View
    from autodiff.cli.pictures.mathml import Piece
    from autodiff.cli.pictures.story import Step
    from autodiff.cli.render.page import Page
    from autodiff.core.base.source import Source
    from autodiff.core.report.graph_records import Graph
    from autodiff.core.report.records import Derivation, GradientReport

HERE = os.path.dirname(__file__)
#: Lines of the script, and derivations, that a page has at most.
MOST_LINES, MOST_DERIVATIONS = 2_000, 60
WIDEST_LINE = 400
#: From this width in px on, a graph that is wider than high stands below the script instead of beside it.
WIDE = 820
LARGEST_MATRIX = 6
PRINTED_WORDS = 2_000
WIDEST_BOX = 60
WIDEST_SUM = 80  # characters of a sum on one row
MOST_WITH_ROWS = 500  # steps that show the entries of small matrices; each takes up to 300 bytes
BOX_KEYS = " <kbd>O</kbd> open the next boxes <kbd>C</kbd> close all"


def html_text(
    report: GradientReport,
    drawn: Sequence[Drawing],
    source: Source,
    page: Page,
) -> str:
    """The whole page: drawings of the report's graph, of which the first is shown, and the derivations."""
    view, picture = drawn[0].view, drawn[0].picture
    graph, whole = view.graph, report.graph
    assert whole is not None
    style, script = read("page.css"), read("page.js")
    derivations = report.derivations[:MOST_DERIVATIONS]
    chosen = strongest(derivations)
    pictures = [
        svg_text(
            one.picture,
            is_page=True,
            lost=lost_edges(derivations, whole, one.view),
            inside=one.closes,
        )
        for one in drawn
    ]
    has_lost = bool(lost_edges(derivations, whole, view))
    title = title_of(report, graph.output, page)
    name = visible(os.path.basename(report.script))
    policy = (
        f"default-src 'none'; img-src data:; style-src '{digest(style)}'; script-src '{digest(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    parts = [
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="color-scheme" content="light dark">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f'<link rel="icon" href="data:,"><title>{escape(title)}</title><style>{style}</style></head><body>',
        f"<header><h1>{escape(title)}</h1><p>{escape(fit(name, 60))} · {counts(graph)}</p>",
        f"<p>{escape(view.note)}</p>" if view.note else "",
        '<ul class="key"><li class="k-leaf">leaf</li><li class="k-function">made by a function</li>',
        '<li class="k-value">value</li><li class="k-grad">∂ gradient</li>',
        f"{'<li class=k-lost>lost here</li>' if has_lost else ''}</ul></header>",
        controls(derivations, chosen, drawn),
        f"<main{' class=wide' if picture.width > max(WIDE, picture.height) else ''}>",
        '<section class="code" aria-label="Script" tabindex="0">',
        f"<ol>{''.join(code_lines(source))}</ol></section>",
        '<div class="stage"><section class="graph" aria-label="Graph" tabindex="0">',
        f'{pictures[0]}</section><svg id="map" aria-hidden="true" hidden></svg></div></main>',
        *(f'<template class="drawing">{one}</template>' for one in pictures[1:]),
        '<section class="derivations" aria-label="Derivations"><h2>Where the gradients come from</h2>',
        *(derivation_block(one, at == chosen, page) for at, one in enumerate(derivations)),
        left_out(len(report.derivations) - len(derivations)),
        "</section>",
        "<footer><kbd>space</kbd> play <kbd>←</kbd> <kbd>→</kbd> step <kbd>F</kbd> forward <kbd>B</kbd>"
        " backward <kbd>P</kbd> paths <kbd>Z</kbd> zoom <kbd>End</kbd> the finished picture"
        f"{BOX_KEYS if len(drawn) > 1 else ''}</footer>",
        f'<script type="application/json" id="data">{data_text(drawn, derivations, source, page)}</script>',
        f"<script>{script}</script></body></html>\n",
    ]
    return "\n".join(parts).encode("ascii", "xmlcharrefreplace").decode("ascii")


def title_of(report: GradientReport, output: str, page: Page) -> str:
    """What the page is about and its value: the output, or a derivative of order 2 or more."""
    if len(report.derivations) == 1 and report.derivations[0].order > 1:
        derivation = report.derivations[0]
        return f"{heading(derivation)} = {typeset(entry(derivation.value, page))}"
    return f"{fit(output, WIDEST_NAME)} = {typeset(entry(root_value(report), page))}"


def root_value(report: GradientReport) -> Any:
    """The value of what is differentiated: of the output, or of its gradient in a second derivative."""
    graph = report.graph
    return report.output.value if graph is None or graph.root < 0 else graph.nodes[graph.root].value


def read(name: str) -> str:
    """The text of a file of this folder. The hash of the text is that of its bytes, because it is ASCII."""
    with open(os.path.join(HERE, name), encoding="ascii") as file:
        return file.read()


def digest(text: str) -> str:
    from base64 import b64encode
    from hashlib import sha256

    return "sha256-" + b64encode(sha256(text.encode()).digest()).decode()


def counts(graph: Graph) -> str:
    left = f", {graph.left_out:,} node{'s' * (graph.left_out != 1)} left out" if graph.left_out else ""
    return f"{len(graph.nodes):,} nodes, {len(graph.edges):,} edges{left}"


def strongest(derivations: Sequence[Derivation]) -> int:
    """The derivation that is open at first: the one with the most paths."""
    return max(range(len(derivations)), key=lambda at: (derivations[at].count, -at), default=0)


def controls(derivations: Sequence[Derivation], chosen: int, drawn: Sequence[Drawing]) -> str:
    options = "".join(
        f"<option{' selected' * (at == chosen)}>{escape(fit(one.wrt, WIDEST_NAME))}</option>"
        for at, one in enumerate(derivations)
    )
    boxes = "".join(f"<option>{escape(fit(one.name, WIDEST_BOX))}</option>" for one in drawn)
    if len(drawn) > 1:
        boxes = f'<select id="boxes" aria-label="boxes">{boxes}</select>'
    else:
        boxes = ""
    return (
        '<nav aria-label="Steps" hidden><div class="parts"><button id="forward">Forward</button>'
        '<button id="backward">Backward</button><span class="joined"><button id="paths">Paths to</button>'
        f'<select id="wrt" aria-label="input">{options}</select></span>{boxes}</div>'
        '<div class="drive"><button id="back" aria-label="step back">◂</button>'
        '<button id="play" aria-label="play">▶</button><button id="next" aria-label="step">▸</button>'
        '<input id="at" type="range" min="0" value="0" aria-label="step number"><output id="count"></output>'
        '<button id="zoom" aria-pressed="false">Zoom to fit</button></div>'
        '<div id="told"><p id="says" aria-live="polite"></p><pre id="rows"></pre></div></nav>'
    )


def input_id(derivation: Derivation, view: View) -> int:
    """The id of the input in the picture; -1 if it is not there, or no path leads to it."""
    shown = (view.shown[path.node_ids[-1]] for path in derivation.paths if path.node_ids)
    return next((id for id in shown if id is not None), -1)


def code_lines(source: Source) -> Iterator[str]:
    lines = source.text.rstrip("\n").split("\n")
    for at, line in enumerate(lines[:MOST_LINES], 1):
        yield f'<li id="l{at}"><code>{escape(visible_lines(line[:WIDEST_LINE])) or " "}</code></li>'
    if len(lines) > MOST_LINES:
        yield f"<li><code>... {len(lines) - MOST_LINES:,} more lines</code></li>"


def left_out(count: int) -> str:
    return f"<p>{count:,} more inputs are not derived here; --wrt chooses some.</p>" if count else ""


def derivation_block(derivation: Derivation, is_open: bool, page: Page) -> str:
    """One derivation: a table of the steps, the check, the path in words, causes and kinks."""
    paths = f"{spell_count(derivation.count)} path{'s' * (derivation.count != 1)}"
    wrt, head = escape(fit(derivation.wrt, WIDEST_NAME)), heading(derivation)
    value = typeset(entry(derivation.value, page))
    rows = "".join(step_rows(derivation))
    rest = left_out_text(derivation, len(derivation.paths), page) if derivation.paths else ""
    says = f"<p>{escape(rest)}</p>" if rest else ""
    if derivation.difference is not None:
        ok = derivation.difference <= 1e-6 * (1 + abs(derivation.magnitude or 0.0))
        sign = '<span class="ok">✓</span>' if ok else '<span class="wrong">✗</span>'
        says += (
            f"<p>{sign} backward() gives {escape(typeset(entry(derivation.backward, page)))}, difference"
            f" {short(derivation.difference, 3)}</p>"
        )
    if derivation.words:
        words = visible(derivation.words[:PRINTED_WORDS])
        says += f'<p class="words">{escape(words[:1].upper() + words[1:])}.</p>'
    for cause in derivation.causes:
        repairs = (f"Try: {repair_words(repair, cause)}" for repair in cause.repairs)
        said = "<br>".join(escape(visible(text[:PRINTED_WORDS])) for text in (cause.text, *repairs))
        says += f'<p class="why">{said}</p>'
    for texts in all_kink_texts(derivation):
        said = ": ".join(escape(visible(text[:PRINTED_WORDS])) for text in texts if text)
        says += f'<p class="why">{said}</p>'
    return (
        f'<details class="derivation" data-wrt="{wrt}"{" open" * is_open}>'
        f"<summary>{escape(head)} = {escape(value)}<small>{paths}</small></summary>"
        f'<div class="scroll"><table>{rows}</table></div>{says}</details>'
    )


def heading(derivation: Derivation) -> str:
    """The derivative as a quotient: ``∂L / ∂w``, ``∂²L / ∂w²``."""
    first = parse_quotient(derivation.output)
    if derivation.order == 2 and first is not None and derivation.weight is None:
        above, by, again = (fit(name, WIDEST_NAME) for name in (*first, derivation.wrt))
        return f"∂²{above} / ∂{by}²" if by == again else f"∂²{above} / ∂{by} ∂{again}"
    if derivation.given:
        return fit(derivation.given, 2 * WIDEST_NAME)
    return f"∂{fit(derivation.output, WIDEST_NAME)} / ∂{fit(derivation.wrt, WIDEST_NAME)}"


def step_rows(derivation: Derivation) -> Iterator[str]:
    """The rows of the steps; a row of a path has the path's index, so that it can be lit."""
    dot = "<mo>·</mo>"
    of_paths = [(path.edges, path.derivatives) for path in derivation.paths]
    if all(edges for edges, _ in of_paths):
        yield from rows_of(
            "chain rule", [dot.join(quotient(*edge) for edge in edges) for edges, _ in of_paths], True
        )
        if derivation.is_scalar:
            terms = [dot.join(brackets(mathml(one)) for one in each) for _, each in of_paths]
            yield from rows_of("local derivatives", terms, True)
        else:
            maps = [
                "<mo>,</mo>".join(
                    f"<mrow><mi>{incoming.letter}</mi><mo>↦</mo>{mathml(one)}</mrow>" for one in each
                )
                for _, each in of_paths
            ]
            yield from rows_of(f"maps of {incoming.letter}", maps, True)
    formulas = derivation.expressions
    simplified = formulas.simplified if formulas is not None else None
    if simplified is not None:
        yield from rows_of("simplified", [mathml(simplified)])
    elif derivation.simplified:
        yield from rows_of("simplified", [mtext(derivation.simplified)])
    if derivation.is_scalar and derivation.numbers:
        yield from sum_rows("in numbers", derivation.numbers)
    elif formulas is not None and simplified is not None:
        values = {name: value_piece(value) for name, value in formulas.values.items()}
        known = {name: piece for name, piece in values.items() if piece is not None}
        if len(known) == len(values):
            yield from rows_of("in numbers", [mathml(simplified, known)])
    value = value_piece(derivation.value)
    if value is not None:
        yield from rows_of("value", [value[0]])


def sum_rows(label: str, terms: Sequence[str]) -> Iterator[str]:
    """The rows of a sum of terms that are given as texts: each has its own if they are wide together."""
    signs = ["−" if at and term.startswith("-") else "+" for at, term in enumerate(terms)]
    made = [text_mathml(term.removeprefix("-") if at else term) for at, term in enumerate(terms)]
    if sum(map(len, terms)) > WIDEST_SUM:
        yield from rows_of(label, made, signs=signs)
        return
    joined = [f"<mo>{sign}</mo>{term}" for sign, term in zip(signs[1:], made[1:], strict=True)]
    yield from rows_of(label, ["".join([*made[:1], *joined])])


def rows_of(
    label: str, terms: Sequence[str], is_by_path: bool = False, signs: Sequence[str] = ()
) -> Iterator[str]:
    """The rows of a step; ``is_by_path`` says that each term belongs to a path.

    ``signs`` are those before the terms, plus if they are left out.
    """
    for at, term in enumerate(terms):
        head = f'<th scope="row">{label}</th>' if not at else "<th></th>"
        sign = "=" if not at else signs[at] if signs else "+"
        yield (
            f'<tr data-path="{at if is_by_path else -1}">{head}<td>{sign}</td>'
            f'<td><math displaystyle="true">{term}</math></td></tr>'
        )


def value_piece(value: Any) -> Piece | None:
    """A number or a small matrix, with how tightly it binds; None for a larger tensor."""
    if not is_array(value):
        return text_piece(short(number(value)))
    if value.ndim > 2 or max(value.shape) > LARGEST_MATRIX or not value.size:
        return None
    return matrix(value.tolist() if value.ndim == 2 else [value.tolist()])


def data_text(drawn: Sequence[Drawing], derivations: Sequence[Derivation], source: Source, page: Page) -> str:
    """The steps and places of each drawing, as JSON that HTML cannot mistake for markup."""
    data = [
        {
            "steps": steps_with_rest(one, derivations, page),
            "edges": [[edge.input, edge.output] for edge in one.view.graph.edges],
            "places": [place(node.span, source) for node in one.view.graph.nodes],
            "inputs": [input_id(each, one.view) for each in derivations],
            "opens": one.opens,
            "closes": one.closes,
        }
        for one in drawn
    ]
    text = dumps(data, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def steps_with_rest(drawing: Drawing, derivations: Sequence[Derivation], page: Page) -> list[dict[str, Any]]:
    """The steps of a drawing; the last path to an input also says how many are left out."""
    steps = [dict(step_entry(step)) for step in drawing.steps]
    if len(steps) <= MOST_WITH_ROWS:
        for entries, drawn in zip(steps, drawing.steps, strict=True):
            if drawn.rows:
                entries["rows"] = "\n".join(drawn.rows)
    last = {step["wrt"]: step for step in steps if "wrt" in step}
    for derivation in derivations:
        step = last.get(input_id(derivation, drawing.view))
        if step and (rest := left_out_text(derivation, len(derivation.paths), page)):
            step["says"] += f"; {rest}"
    return steps


def step_entry(step: Step) -> Mapping[str, Any]:
    made: dict[str, Any] = {"phase": step.phase, "node": step.node, "edges": step.edges, "says": step.says}
    if step.line is not None:
        made["line"] = step.line
    if step.grad:
        made["grad"] = step.grad
    if step.nodes:
        made |= {"nodes": step.nodes, "wrt": step.wrt, "path": step.index}
    return made


def place(span: Any, source: Source) -> list[int] | None:
    """Line, first and last offset in the line as it is shown; None if the place is unknown or far right."""
    if span is None:
        return None
    line, column = source.position(span.start)
    text = source.line(line)
    until = min(column - 1 + span.end - span.start, len(text))
    if until > WIDEST_LINE:
        return None
    return [line, len(visible_lines(text[: column - 1])), len(visible_lines(text[:until]))]
