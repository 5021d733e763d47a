"""``autodiff version``: what a result depends on, for people and for programs."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version


def test_what_a_result_depends_on_is_listed(autodiff):
    done = autodiff("version")
    assert (done.returncode, done.err) == (0, "")
    rows = dict(line.split(None, 1) for line in done.out.splitlines())
    assert rows["autodiff"] == version("autodiff")
    assert rows["numpy"] == version("numpy")
    assert rows["python"].endswith(platform.python_version())
    assert set(rows) >= {"lark", "blas", "platform"}


def test_the_document_says_the_same(autodiff):
    document = json.loads(autodiff("version", "--format", "json").out)
    rows = dict(line.split(None, 1) for line in autodiff("version").out.splitlines())
    assert document == {"schema": 2, **rows}
