"""A derivation as LaTeX equations, which the LaTeX and Markdown documents share."""

from __future__ import annotations

from autodiff.cli.render.derivation import check_text, ends, is_number, name_and_line, output_of
from autodiff.cli.render.entries import MOST_NUMBERS, entry_check, entry_remarks
from autodiff.cli.render.expression_latex import (
    UNKNOWN,
    derivative_latex,
    escaped,
    latex,
    matrix,
    name_latex,
    parse_quotient,
    second_derivative_latex,
)
from autodiff.cli.render.latex_lines import break_into_lines, width
from autodiff.cli.render.name_keys import MOST_NAMES, meanings_in, value_phrase
from autodiff.cli.render.numbers import inline, is_array, spell_count
from autodiff.cli.render.page import fit
from autodiff.cli.render.paths import labelled_causes
from autodiff.core.base.incoming import incoming
from autodiff.core.base.limits import limits
from autodiff.core.derivation.matrix_layout import substitute_entries, vectors_beside_rows
from autodiff.core.derivation.path_formula import ELLIPSIS
from autodiff.core.symbolic.expr import Expr, name_expr, postorder, substitute
from autodiff.core.symbolic.expr import number_expr as number_expr
from autodiff.core.symbolic.simplify import summands
from autodiff.core.symbolic.source_exprs import parse_source as read_source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from autodiff.cli.render.page import Page
    from autodiff.core.report.entry_records import EntryDerivation
    from autodiff.core.report.name_key import NameMeaning
    from autodiff.core.report.records import Derivation, DerivationExprs, GradientReport, NumberedPart, Path

PARTIAL, TOTAL = r"\partial", r"\mathrm{d}"
TOO_LONG = r"\text{(too long to write out)}"
#: Longer formulas, and matrices with more rows or columns, are not typeset.
LONGEST = 800
LARGEST = 10
#: The width of a line in points, and the part taken by the equals sign and the name of the step.
LINE, BESIDE = 455.0, 125.0
#: The minimum width for a right side, however long the left side is.
SHORTEST_LINE = 200.0
WIDEST_MATRIX = 200.0
#: The same for the value of a name of step 4, which may stand on a line of its own.
WIDEST_VALUE = 400.0
MARGIN = 20.0
MOST_PATHS = 20
MOST_TERMS = 12


class Equation:
    """An equation: ``left`` and its right sides, each a ``label`` with the lines it is broken into.

    The constructor takes each side as a list of terms.
    """

    __slots__ = ("left", "sides")

    def __init__(self, left: str, sides: Sequence[tuple[str, Sequence[str]]]) -> None:
        self.left = left
        room = max(LINE - BESIDE - width(left), SHORTEST_LINE)
        self.sides = [(label, self.lines(label, terms, room)) for label, terms in sides]

    @staticmethod
    def lines(label: str, terms: Sequence[str], room: float) -> list[str]:
        if label in ("chain", "local"):  # one path per line
            return [line for term in terms for line in break_into_lines(term, room)]
        lines = filled_lines(terms, room)
        is_wide = label == "numbers" and any(width(line) > room + MARGIN for line in lines)
        return [TOO_LONG] if is_wide else lines


def without_derivations(report: GradientReport, page: Page) -> list[str]:
    """The gradients as sentences, and the notes that say why they are not derived; empty if they are."""
    if report.derivations:
        return []
    values = [
        f"the gradient for {fit(variable.name)} is {inline(variable.grad, page.digits)}"
        for variable in report.gradients[: page.shown_rows(len(report.gradients))]
    ]
    return [*values, *report.notes]


def fits_as_matrix(columns: Sequence[Sequence[str]]) -> bool:
    return sum(max(map(width, column)) for column in columns) <= LINE - BESIDE


def hessian_latex(derivations: Sequence[Derivation], names_may_stand: bool) -> str:
    """The matrix of all second derivatives as formulas, for a page; empty if it is no matrix or too wide.

    If ``names_may_stand``, a matrix that is too wide has the names of the derivatives instead.
    """
    found: dict[tuple[str, str], str] = {}
    output = ""
    for derivation in derivations:
        first, made = parse_quotient(derivation.output), derivation.expressions
        if (
            derivation.order != 2
            or derivation.weight is not None
            or first is None
            or not is_number(derivation)
        ):
            return ""
        if made is None or made.simplified is None:
            return ""
        output, by = first
        found[by, derivation.wrt] = found[derivation.wrt, by] = latex(made.simplified, digits=limits.digits)
    names = list(dict.fromkeys(name for name, _ in found))
    if len(names) < 2 or len(names) > LARGEST or len(found) != len(names) ** 2:
        return ""
    columns = [[found[row, column] for row in names] for column in names]
    if names_may_stand and not fits_as_matrix(columns):
        columns = [[second_derivative_latex(output, row, column) for row in names] for column in names]
    if not fits_as_matrix(columns):
        return ""
    rows = r" \\ ".join(" & ".join(row) for row in zip(*columns, strict=True))
    by = rf"\left({', '.join(map(name_latex, names))}\right)"
    return rf"\nabla_{{{by}}}^{{2}} {name_latex(output)} = \begin{{pmatrix}} {rows} \end{{pmatrix}}"


class Section:
    """The parts of a document about one derivation.

    ``title`` and ``where`` are LaTeX, ``remarks`` plain text. ``causes`` has causes and kinks as labels with
    plain texts. ``maps`` describe how each edge of a tensor path transforms the incoming gradient.
    """

    __slots__ = ("causes", "checks", "entry", "intro", "maps", "remarks", "steps", "title", "where")

    def __init__(self, derivation: Derivation, page: Page) -> None:
        left = left_side(derivation, TOTAL if derivation.is_only_input else PARTIAL)
        paths = "1 path" if derivation.count == 1 else f"{spell_count(derivation.count)} paths"
        start = name_and_line(derivation.output, derivation.output_line)
        self.title = f"{left} = {value_of(derivation.value, page)}" if is_number(derivation) else left
        self.intro = f"{paths} from {start} to {name_and_line(derivation.wrt, derivation.wrt_line)}"
        self.steps = Equation(left, five_steps(derivation, page))
        self.maps = [] if derivation.is_scalar else maps_of(derivation)
        self.where = where_of(derivation)
        self.checks = [check_text(derivation, page)]
        self.causes = list(labelled_causes(derivation))
        self.entry: Equation | None = None
        self.remarks: list[str] = [derivation.words] if derivation.words else []
        if derivation.entry is not None:
            self.entry = entry_equation(derivation.entry)
            self.where += [
                equality(name, meaning) for name, meaning in derivation.entry.meanings[:MOST_TERMS]
            ]
            self.remarks += entry_remarks(derivation.entry, page)
            self.checks.append(entry_check(derivation.entry, page))


def left_side(derivation: Derivation, sign: str) -> str:
    """The left side: the derivative that is derived."""
    first = parse_quotient(derivation.output)
    if derivation.order == 2 and derivation.weight is None and first and not first[1].endswith("]"):
        return second_derivative_latex(*first, derivation.wrt, sign)
    if derivation.order >= 2 and derivation.weight is None:
        return rf"\frac{{{sign}}}{{{sign} {name_latex(derivation.wrt)}}} {name_latex(derivation.output)}"
    return derivative_latex(output_of(derivation), derivation.wrt, sign)


def five_steps(derivation: Derivation, page: Page) -> list[tuple[str, Sequence[str]]]:
    paths = derivation.paths[:MOST_PATHS]
    more = [r"+ \cdots"] * (len(derivation.paths) > len(paths) or derivation.count > len(derivation.paths))
    steps: list[tuple[str, Sequence[str]]] = []
    if paths:
        steps.append(("chain", [*signed([chain_of(path, derivation) for path in paths]), *more]))
    if derivation.is_scalar and paths:
        weighed = derivation.weight is not None
        steps.append(("local", [*signed([factors_of(path, weighed) for path in paths]), *more]))
    made = derivation.expressions
    tensors = tensors_in({} if made is None else made.values)
    simplified = None if made is None else made.simplified
    if made is None or simplified is None or simplified.size > LONGEST:
        steps.append(("simplified", [TOO_LONG]))
    else:
        steps.append(("simplified", lines_of(simplified, tensors)))
        if made.factored is not None and made.factored.size <= LONGEST:
            steps.append(("factored", lines_of(made.factored, tensors)))
        steps.append(("numbers", numbers_of(simplified, made, derivation.is_scalar)))
    steps.append(("value", [value_of(derivation.value, page)]))
    return steps


def chain_of(path: Path, derivation: Derivation) -> str:
    """The product of derivative symbols along a path."""
    quotients = [
        r"\cdots" if above == ELLIPSIS else derivative_latex(above, below) for above, below in path.edges
    ] or [derivative_latex(output_of(derivation), derivation.wrt)]
    quotients = [r"\cdots" if one == "..." else one for one in ends(quotients)]
    return r" \cdot ".join([incoming.letter] * (derivation.weight is not None) + quotients)


def factors_of(path: Path, is_weighed: bool) -> str:
    """The product of local derivatives along a path of scalars."""
    factors = ends(["..." if expr == ELLIPSIS else latex_of(expr) for expr in path.derivatives]) or ["1"]
    factors = [
        r"\cdots" if factor == "..." else f"({factor})" if factor.isalnum() else rf"\left({factor}\right)"
        for factor in factors
    ]
    return r" \cdot ".join([incoming.letter] * is_weighed + factors)


def latex_of(
    expr: Expr, values: dict[str, str] | None = None, tensors: Mapping[str, int] | None = None
) -> str:
    return latex(expr, values, limits.digits, tensors) if expr.size <= LONGEST else TOO_LONG


def signed(terms: Sequence[str]) -> list[str]:
    """The terms of a sum with their signs, for one below the other."""
    return [
        term if not at else f"- {term[1:].lstrip()}" if term.startswith("-") else f"+ {term}"
        for at, term in enumerate(terms)
    ]


def lines_of(expr: Expr, tensors: Mapping[str, int] | None = None) -> list[str]:
    return cut_sum([latex_of(term, None, tensors) for term in summands(expr)])


def cut_sum(terms: Sequence[str]) -> list[str]:
    """The terms of a sum with their signs, with an ellipsis for the middle of a long one."""
    terms = signed(terms)
    if len(terms) > MOST_TERMS:
        terms = [*terms[: MOST_TERMS - 2], r"+ \cdots", terms[-1]]
    return terms


def filled_lines(terms: Sequence[str], room: float) -> list[str]:
    """Terms on as few lines as possible; those wider than a line are broken."""
    lines: list[str] = []
    for term in terms:
        both = f"{lines[-1]} {term}" if lines else term
        if width(both) <= room:
            lines[-1:] = [both]
        else:
            lines += break_into_lines(term, room)
    return lines


def numbers_of(expr: Expr, made: DerivationExprs, is_scalar: bool) -> list[str]:
    """The sum with values in place of names; for tensors the names of step 4 stand for parts of it."""
    if is_scalar:
        numbers = {
            spelled: number_expr(float(f"{number_in(value):.{limits.digits}g}"))
            for spelled, value in made.values.items()
            if value is not None and size_of(value) == 1
        }
        return lines_of(substitute(substitute_entries(expr, made.values), numbers))
    return cut_sum([part_latex(part) for part in made.terms])


def part_latex(part: NumberedPart) -> str:
    """A part of step 4 with matrices in place of names."""
    rows = vectors_beside_rows(part.expr, part.inserted)
    blocks = {
        spelled: matrix_of(value[None] if spelled in rows else value) or name_latex(spelled)
        for spelled, value in part.inserted.items()
    }
    return latex_of(part.expr, blocks, tensors_in(part.values))


def part_definition(part: NumberedPart) -> str:
    """The definition of a name of step 4, with its value."""
    is_variable = part.expr == name_expr(part.name)
    sides = [
        name_latex(part.name),
        "" if is_variable else part_latex(part),
        matrix_of(part.value, WIDEST_VALUE),
    ]
    return " = ".join(side for side in sides if side)


def tensors_in(values: dict[str, Any]) -> dict[str, int]:
    """The names of values with several entries, with their numbers of dimensions."""
    return {
        spelled: value.ndim for spelled, value in values.items() if value is not None and size_of(value) != 1
    }


def size_of(value: Any) -> int:
    return int(value.size) if hasattr(value, "size") else 1


def number_in(value: Any) -> float:
    return float(value.item()) if hasattr(value, "item") else float(value)


def matrix_of(value: Any, widest: float = WIDEST_MATRIX) -> str:
    """A value in LaTeX; "" if it is too large or too wide."""
    if value is None:
        return ""
    if size_of(value) == 1:
        text = matrix([[number_in(value)]], limits.digits)
        return text.removeprefix(r"\begin{pmatrix} ").removesuffix(r" \end{pmatrix}")
    if value.ndim > 2 or not value.size or max(value.shape) > LARGEST:
        return ""
    rows = value.tolist() if value.ndim == 2 else [[entry] for entry in value.tolist()]
    made = matrix(rows, limits.digits)
    return made if width(made) <= widest else ""


def value_of(value: Any, page: Page) -> str:
    if is_array(value) and value.size != 1:
        shape = " by ".join(map(str, value.shape))
        return matrix_of(value) or rf"\text{{{shape} numbers}}"
    return latex(number_expr(number_in(value)), None, page.digits)


def maps_of(derivation: Derivation) -> list[str]:
    """How each edge of the paths transforms the incoming gradient, without duplicates."""
    found: dict[str, None] = {}
    g = incoming.letter
    values = {} if derivation.expressions is None else derivation.expressions.values
    tensors = {**tensors_in(values), g: UNKNOWN}
    for path in derivation.paths[:MOST_PATHS]:
        for (above, below), derivative in zip(path.edges, path.derivatives, strict=True):
            if above != ELLIPSIS:
                found[
                    rf"{derivative_latex(above, below)} : {g} \mapsto {latex_of(derivative, None, tensors)}"
                ] = None
    return list(found)[:MOST_PATHS]


def where_of(derivation: Derivation) -> list[str]:
    """The definitions of the introduced names, and of unit vectors."""
    found = []
    if derivation.weight is not None:
        slope, output = derivative_latex("S", derivation.output), name_latex(derivation.output)
        g = incoming.letter
        found.append(rf"{g} = {slope}, \quad S = \textstyle\sum {g} \odot {output}")
    if derivation.expressions is None:
        return found
    for one in meanings_in(
        derivation.key,
        derivation.texts_without_paths,
        [name for name, _ in derivation.expressions.where],
        MOST_NAMES,
    ):
        found.append(key_latex(one))
    for name, meaning in derivation.expressions.where:
        found.append(equality(name, meaning, tensors_in(derivation.expressions.values)))
    if has_unit_vectors(derivation.expressions.simplified):
        found.append(r"\mathbf{e}_{[k]} : \text{1 at entry } k \text{, counted from 0, and 0 elsewhere}")
    return [*found, *map(part_definition, derivation.expressions.named)]


def has_unit_vectors(expr: Expr | None) -> bool:
    """Whether a formula has vectors with a single 1, which are written as a bold e."""
    return expr is not None and any(one.value == "one_hot" for one in postorder(expr) if one.head == "call")


def key_latex(one: NameMeaning) -> str:
    """What a made-up name stands for."""
    place = rf" \quad \text{{({escaped(one.place)})}}"
    if one.expr is None:
        before, variable, after = value_phrase(one, name_latex(one.variable))
        phrase = rf"\text{{{before}}} {variable}" + (rf" \text{{{after}}}" if after else "")
        return rf"{name_latex(one.name)} : {phrase}{place}"
    return equality(one.name, one.expr) + place


def equality(name: str, meaning: Expr | str, tensors: Mapping[str, int] | None = None) -> str:
    if isinstance(meaning, Expr) and meaning.head == "name":
        meaning = str(meaning.value)
    if isinstance(meaning, Expr):
        right = latex_of(meaning, None, tensors)
    else:
        read = read_source(meaning)
        right = rf"\texttt{{{escaped(meaning)}}}" if read is None else latex_of(read)
    return f"{name_latex(name)} = {right}"


def entry_equation(entry: EntryDerivation) -> Equation:
    """The equation of one gradient entry: in index sums, in numbers, and the value."""
    left = name_latex(entry.given)
    sides: list[tuple[str, Sequence[str]]] = []
    if entry.expr is not None and entry.expr.size <= 20 * LONGEST:
        terms = summands(entry.expr)
        digits = limits.digits
        numbers = {name: number_expr(float(f"{value:.{digits}g}")) for name, value in entry.values.items()}
        sides.append(("simplified", index_sum(terms)))
        sides.append(("numbers", index_sum([substitute(term, numbers) for term in terms])))
    value = latex(number_expr(entry.value), None, limits.digits)
    if not sides or sides[-1][1] != [value]:
        sides.append(("value", [value]))
    return Equation(left, sides)


def index_sum(terms: Sequence[Expr]) -> list[str]:
    """A sum; of a long one only the first terms and the last."""
    if len(terms) <= MOST_NUMBERS:
        return signed([latex_of(term) for term in terms])
    shown = signed([latex_of(term) for term in (*terms[:3], terms[-1])])
    return [*shown[:3], r"+ \cdots", shown[3]]
