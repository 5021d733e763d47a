"""Graphs and derivations of little programs, as ``describe`` answers them."""

from __future__ import annotations

from typing import Any

from autodiff.core.base.source import Source
from autodiff.core.derivation.describe import MOST_PATHS, describe
from autodiff.core.report.graph_records import Graph
from autodiff.core.report.records import Derivation, ReportedPass
from graph_builder import run

FIRST = """\
x1 = leaf(1.0)
x2 = leaf(2.0)
w1 = leaf(1.0)
w2 = leaf(2.0)
w3 = leaf(3.0)
x3 = w1*x1
x4 = w1*x2
x5 = w2*x3 + w3*x4
L = 1 - x5
"""


def describe_graph(subject: ReportedPass, source: Source) -> Graph:
    graph = describe(subject, source, derivations=False).graph
    assert graph is not None
    return graph


def describe_derivation(
    subject: ReportedPass, source: Source, wrt_index: int, max_paths: int = MOST_PATHS
) -> Derivation:
    return describe(subject, source, graph=False, max_paths=max_paths).derivations[wrt_index]


def derive(code: str, wrt: str, output: str = "L", seed: Any = None) -> Derivation:
    subject, source = run(code, wrt, output, seed)
    return describe_derivation(subject, source, 0)


def graph_of(code: str, output: str = "L") -> Graph:
    return describe_graph(*run(code, "", output))


def simplified(code: str, wrt: str, output: str = "L", seed: Any = None) -> str:
    return derive(code, wrt, output, seed).simplified


def names_of(code: str, output: str = "L") -> list[str]:
    return [node.name for node in graph_of(code, output).nodes]
