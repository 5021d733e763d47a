"""Turns the request of ``propagate`` into standard deviations of the output."""

from __future__ import annotations

from functools import cache

from autodiff.cli.command_line.script_source import read_script
from autodiff.cli.data_files.data_file import data_error, listed
from autodiff.cli.process.streams import visible
from autodiff.cli.requests.data import read_column
from autodiff.cli.requests.derivatives import Question, entry_name
from autodiff.cli.requests.fail_on import judge
from autodiff.cli.requests.make_report import read_names
from autodiff.cli.requests.values import Values, split_names, values_of
from autodiff.core.base.errors import CompileError, UsageError
from autodiff.core.base.lazy_imports import np
from autodiff.core.base.limits import check_allocation
from autodiff.core.derivation import propagation
from autodiff.core.graph.node import OpNode
from autodiff.core.graph.topological_order import nodes_leading_to
from autodiff.core.paths.node_names import NodeNames
from autodiff.core.report.kink import JUMP, KINK, SINGULAR
from autodiff.core.report.propagation import MonteCarlo, Propagation
from autodiff.core.why.kinks import kinked_nodes, kinks_of
from autodiff.core.why.sentences import value_words
from autodiff.grammar.session import derivative_matrices
from autodiff.grammar.session.assignment_plan import unknown_name_error
from autodiff.grammar.session.data_names import sort_columns
from autodiff.grammar.session.minimum import flawed_data
from autodiff.grammar.session.monte_carlo import Draws
from autodiff.grammar.session.rerun import Probe, Rerun

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from autodiff.cli.data_files.data_file import DataFile
    from autodiff.cli.requests.session import Session

FEWEST_DRAWS, MOST_NAMED = 100, 3
NOT_SMOOTH = (KINK, JUMP, SINGULAR)


def make_propagation(session: Session, show: Callable[[Propagation], None]) -> Propagation:
    """Run the script, and propagate the deviations and covariances of the request.

    If the time is over before all draws are done, ``show`` gets what is there without them.
    """
    request = session.request
    values = values_of(session)
    sigmas, parts = read_sigmas(values)
    session.script = read_script(request)
    matrix, columns, fit = read_covariance(session, values)
    draws = request.number("monte_carlo")
    if not sigmas and not parts and matrix is None:
        raise UsageError(
            "there are no standard deviations to propagate",
            code="E0610",
            help=("give those of the inputs, as in --sigma x=0.1,y=0.02, or --cov FILE",),
        )
    if 0 < draws < FEWEST_DRAWS:
        raise UsageError(
            f"--monte-carlo takes {FEWEST_DRAWS} draws or more, not {draws}",
            code="E0610",
            help=("as in 10000",),
        )
    probe = Probe()
    names = [*sigmas, *parts, *(column.partition("[")[0] for column in columns)]
    asked = Question(session, weighed=False, probe=probe, wrt=list(dict.fromkeys(names)))
    refuse_output(asked, names)
    asked.note_rows(session)
    if fit is not None:
        note_other_values(session, asked, fit)
    sigmas |= of_values(parts, {variable.name: variable.value for variable in asked.report.gradients})
    deviations = asked.vector(sigmas, "--sigma", needed=False)
    if not (np.isfinite(deviations).all() and (deviations >= 0).all()):
        raise UsageError("--sigma: a standard deviation is 0 or more, and finite", code="E0605")
    check_allocation((len(deviations), len(deviations)))
    covariance = np.diag(deviations**2)
    if matrix is not None:
        insert(covariance, matrix, columns, places(asked))
    made = first_order(session, asked, covariance)
    if request.texts("fail_on"):
        is_finite = bool(np.isfinite(made.sigma).all())
        judge(
            session,
            [asked.report],
            {} if is_finite else {"nan": ("the standard deviation is not finite", None)},
        )
    has_kinks = note_kinks(session, asked, probe, draws)
    if draws:
        session.show_so_far = lambda: show(made)
        made.monte_carlo = sample(session, asked, made, Rerun(asked.execution, asked.settings, probe))
        session.show_so_far = None
    elif not made.sigma.any() and not has_kinks and covariance.any():
        session.note(
            "to first order the deviation is 0: so are the derivatives by what has a deviation; --monte-carlo"
            " 10000 shows what curvature does"
        )
    return made


def first_order(session: Session, asked: Question, covariance: Any) -> Propagation:
    """The deviations to first order; notes the entries of the output that have none."""
    jacobian = asked.exact_jacobian(session).astype("float64")
    refuse_spoiled_rows(asked, jacobian)
    is_known = np.isfinite(np.ravel(asked.subject.value))
    note_unknown(session, asked, is_known | ~np.isfinite(jacobian).all(axis=1))
    jacobian[~is_known] = np.nan  # what is no number has no deviation
    output, sigma, shares = propagation.first_order(jacobian, covariance)
    return Propagation(asked.report, jacobian, covariance, output, sigma, shares)


def note_unknown(session: Session, asked: Question, is_told: Any) -> None:
    """Note entries of the output that are not finite although their slopes are; others are told already."""
    count = np.count_nonzero(~is_told)
    if count:
        first = entry_name(asked.report.output, int(np.argmin(is_told)))
        text = f"`{first}` is not finite" if count == 1 else f"{count:,} entries of the output are not finite"
        more = "" if count == 1 else f", the first is `{first}`"
        session.note(f"{text}{more}: what is no number has no deviation")


def refuse_spoiled_rows(asked: Question, jacobian: Any) -> None:
    """Raise UsageError if nan in the data makes derivatives of finite entries of the output nan.

    The chain rule does so, by 0*nan, for entries that read other rows alone.
    """
    flaw = flawed_data(asked.settings)
    is_spoiled = np.isfinite(asked.subject.root.out).ravel() & ~np.isfinite(jacobian).all(axis=1)
    if flaw and is_spoiled.any():
        raise UsageError(
            f"the deviations of the other rows cannot be computed beside it: {flaw}",
            code="E0605",
            help=("leave such rows out of the data",),
        )


def refuse_output(asked: Question, names: Sequence[str]) -> None:
    """Raise UsageError if the output itself, which the script computes, is given a deviation."""
    subject = asked.subject
    if subject.name in names and isinstance(subject.root, OpNode):
        inputs = [name for name in names if name != subject.name]
        raise UsageError(
            f"--sigma {subject.name}: `{subject.name}` is the output, and its deviation is what is computed",
            code="E0610",
            help=(f"leave it out: {', '.join(inputs)}" if inputs else "name inputs of the script",),
        )


def note_kinks(session: Session, asked: Question, probe: Probe, draws: int) -> bool:
    """Note the places without a slope that the output is computed through; return whether there are any."""
    subject = asked.subject
    assert session.script is not None
    source = session.script.source
    names = cache(lambda: NodeNames(subject.order, source, numbers_first=subject.numbers_first))
    leading = nodes_leading_to(subject.order, [node for _, node in subject.wrt])
    gradients = subject.cotangents_of(kinked_nodes(leading))
    kinks = [kink for kink in kinks_of(leading, gradients, names) if kink.kind in NOT_SMOOTH]
    sentences = [(kink.line, kink.text) for kink in kinks]
    sentences += [
        (source.position(at.start)[0], f"`{source.excerpt(at)}` compares equal numbers") for at in probe.ties
    ]
    for line, text in sentences[:MOST_NAMED]:
        session.note(f"{'' if line is None else f'line {line}: '}{text}; first order does not hold there")
    if sentences and not draws:
        session.note("--monte-carlo 10000 shows the standard deviations at a kink")
    return bool(sentences)


def read_sigmas(values: Values) -> tuple[dict[str, object], dict[str, Any]]:
    """The values of ``--sigma a=0.1,b=2%``: deviations, and those that are parts of the inputs' values.

    A deviation may also be the name of a column of ``--data``.
    """
    found: dict[str, object] = {}
    parts: dict[str, Any] = {}
    for name, value in split_names("--sigma", read_names(values.request.texts("sigma"))).items():
        number = value.rstrip().removesuffix("%")
        column = read_column(values, value.strip())
        is_own_column = column is not None and value.strip() == name
        if is_own_column or (value[:1] == "@" and value[1:] in values.request.texts("data")):
            raise UsageError(
                f"--sigma {name}: `{value}` has the values of `{name}`, not its deviations",
                code="E0610",
                help=(f"name the column of the deviations, as in --sigma {name}=s{name}",),
            )
        if column is not None:
            found[name] = column
        elif number == value.rstrip():
            found[name] = values.read(f"--sigma {name}", value, name)
        else:
            parts[name] = np.asarray(values.read(f"--sigma {name}", number, name), "float64") / 100
    return found, parts


def of_values(parts: Mapping[str, Any], values: Mapping[str, Any]) -> dict[str, Any]:
    """The deviations that are parts of inputs' values; 0 for an input that takes no part."""
    return {name: np.abs(np.asarray(values.get(name, 0.0), "float64")) * part for name, part in parts.items()}


def read_covariance(session: Session, values: Values) -> tuple[Any, Sequence[str], DataFile | None]:
    """The matrix of ``--cov``, the names in its header, and the file if it is that of a fit.

    Without the option the matrix is None. Rows with labels are put in the order of the header.
    """
    path = values.request.text("cov")
    if path is None:
        return None, (), None
    data = values.read_file("--cov", path)
    if data.covariance is not None:
        matrix, columns = covariance_of_fit(session, data)
        return check_covariance(session, data.name, matrix), columns, data
    columns, labels = data.columns, data.row_labels()
    if labels and len(columns) > len(labels):
        columns = columns[1:]  # the first name is that of the labels, as pandas writes it
    if columns:
        found = data.take(columns)
        if any(found[name].shape != (len(columns),) for name in columns):
            raise data_error(
                data.name,
                f"these columns are no square matrix: {listed(columns)}",
                "a table of covariances has as many rows as columns",
            )
        matrix = np.stack([found[name] for name in columns], axis=1)
        if labels:
            matrix = matrix[rows_in_order(data.name, labels, columns)]
    else:
        matrix = np.atleast_2d(data.whole())
    return check_covariance(session, data.name, matrix), columns, None


def check_covariance(session: Session, file: str, matrix: Any) -> Any:
    """The matrix, if it is one of covariances; else raise UsageError. Notes what may be correlations."""
    flaw = propagation.covariance_flaw(matrix)
    if flaw:
        raise UsageError(f"--cov {file}: {flaw}", code="E0619")
    if (np.diag(matrix) == 1).all() and np.count_nonzero(matrix) > len(matrix):
        session.note(
            f"every variance in {file} is 1: it is taken for covariances; those of correlations r are"
            " r times both deviations"
        )
    return matrix


def covariance_of_fit(session: Session, data: DataFile) -> tuple[Any, Sequence[str]]:
    """The covariances of a fit's inputs that the script has too, and their names; notes those it has not."""
    assert session.script is not None
    assert data.covariance is not None
    names, matrix = data.covariance()
    try:
        used, computed, inputs = sort_columns(session.script.source, data.columns)
    except CompileError:
        return matrix, names  # the run reports it, with repairs
    kept = [*used, *computed]
    if not kept:
        raise data_error(
            data.name,
            f"the script uses none of the inputs of this fit: {listed(data.columns)}",
            f"the script reads: {listed(inputs) or 'no values'}",
        )
    others = [name for name in data.columns if name not in kept]
    if others:
        session.note(f"the script does not use {listed(others)} of the fit in {data.name}")
    at = [place for place, name in enumerate(names) if name.partition("[")[0] in kept]
    return matrix[np.ix_(at, at)], [names[place] for place in at]


def note_other_values(session: Session, asked: Question, fit: DataFile) -> None:
    """Note the inputs whose values are not those that the fit ended with: its covariances hold there."""
    found = fit.take(fit.columns)
    apart = [
        f"{visible(one.name)} = {value_words(found[one.name])}, not {value_words(one.value)}"
        for one in asked.report.gradients
        if one.name in found and not np.array_equal(found[one.name], one.value)
    ]
    if apart:
        session.note(
            f"the fit in {fit.name} ended at {'; '.join(apart[:MOST_NAMED])}: --data {fit.name} takes the"
            " values of the fit"
        )


def rows_in_order(file: str, rows: Sequence[str], names: Sequence[str]) -> list[int]:
    """The places of the ``rows`` that are labelled as the columns are, in their order."""
    labels = [label.replace(" ", "") for label in rows]
    columns = [column.replace(" ", "") for column in names]
    if sorted(labels) != sorted(columns):
        raise UsageError(
            f"--cov {file}: its rows are called {listed(rows)}, its columns {listed(names)}",
            code="E0619",
            help=("a covariance matrix has the same names for both",),
        )
    return [labels.index(column) for column in columns]


def places(asked: Question) -> list[str]:
    """The names of the inputs' entries: ``w`` of a number, ``w[0,1]`` of a tensor."""
    return [
        variable.name + (f"[{','.join(map(str, index))}]" if index else "")
        for variable in asked.report.gradients
        for index in np.ndindex(variable.shape)
    ]


def insert(covariance: Any, matrix: Any, columns: Sequence[str], known: list[str]) -> None:
    """Enter the covariances of the entries ``columns``, by default all, into the matrix of all entries."""
    columns = [column.replace(" ", "") for column in columns] or known
    for column in columns:
        if column not in known:
            raise unknown_name_error(column, known, "input", "E0601")
    if len(columns) != len(matrix):
        raise UsageError(
            f"--cov: the matrix has {len(matrix)} rows, and there are {len(columns)} inputs:"
            f" {', '.join(columns[:20])}",
            code="E0619",
            help=("a header with the names of the inputs says which they are",),
        )
    at = [known.index(column) for column in columns]
    if covariance[at, at].any():
        name = next(known[one] for one in at if covariance[one, one])
        raise UsageError(
            f"both --sigma and --cov say how `{name}` varies", code="E0610", help=("leave one out",)
        )
    covariance[np.ix_(at, at)] = matrix


def sample(session: Session, asked: Question, made: Propagation, again: Rerun) -> MonteCarlo:
    """Draw inputs at random, and compare the outputs with first order and, if they differ, with second."""
    count = session.request.number("monte_carlo")
    moves = propagation.draws(made.covariance, count, session.request.number("seed"))
    draws = Draws(asked.subject, again)
    if draws.why:
        session.time_help = lambda: (
            f"{draws.done:,} of {count:,} draws were done, one by one because {draws.why} (single numbers are"
            " drawn together): ask for fewer draws"
        )
    if session.request.number("verbose"):
        how = f"one by one: {draws.why}" if draws.why else "in blocks, as vectors"
        session.note(f"the draws are run {how}")
    samples = draws.outputs(moves)
    value = np.ravel(asked.subject.value)
    is_known = np.isfinite(value)
    finite = samples[np.isfinite(samples[:, is_known]).all(axis=1) & is_known.any()]
    if len(finite) < 2:
        raise UsageError(
            f"--monte-carlo: {count - len(finite):,} of {count:,} draws gave no finite output", code="E0605"
        )
    mean, sigma, error = propagation.deviation(finite)
    found = MonteCarlo(
        count,
        count - len(finite),
        mean,
        sigma,
        error,
        propagation.agree(mean, sigma, error, len(finite), value, made.sigma),
    )
    if found.lost:
        found.agrees = np.zeros_like(found.agrees)
    elif not found.agrees[is_known].all():
        shifts, variances = [], []
        for seed_of_entry in derivative_matrices.unit_seeds(asked.subject.root):
            asked.subject.seed = seed_of_entry
            hessian = asked.compute(derivative_matrices.exact_hessian)
            shift, more = propagation.second_order(hessian, made.covariance)
            shifts.append(shift)
            variances.append(more)
        found.second_mean = value + np.array(shifts)
        found.second_sigma = np.sqrt(made.sigma**2 + np.array(variances))
        found.is_curvature = propagation.agree(
            mean, sigma, error, len(finite), found.second_mean, found.second_sigma
        )
    return found
