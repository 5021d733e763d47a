"""The examples in docstrings (``>>>``) of the three layers run and print what they show."""

from __future__ import annotations

import ast
import doctest
import importlib

import pytest
import rooms

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


def has_example(text: str) -> bool:
    """Whether a docstring of the source text has an example."""
    docstrings = [
        ast.get_docstring(node) or "" for node in ast.walk(ast.parse(text)) if isinstance(node, DOCUMENTED)
    ]
    return any(doctest.DocTestParser().get_examples(docstring) for docstring in docstrings)


MODULES = [name for name, text in rooms.read_sources().items() if ">>>" in text and has_example(text)]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples(name: str) -> None:
    results = doctest.testmod(importlib.import_module(f"autodiff.{name}"))
    assert results.attempted
    assert not results.failed
