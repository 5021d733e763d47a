"""Many small cases as one test: pytest takes 3 ms for a test in its processes, more than such a case."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from conftest import check_state

#: Of so many failures the traceback is shown.
MOST_SHOWN = 5


def in_one_test(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """As ``pytest.mark.parametrize(names, cases)``, but one test, which runs all cases and tells which fail.

    The other parameters are fixtures, which all cases share, or those of another such line. No case may skip
    the test. After each case the engine's state has to be as it was.
    """
    split = names.split(", ")
    kept = list(cases)

    def make(function: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(function)
        def run(**fixtures: Any) -> None:
            assert kept, "there are no cases"
            errors = []
            for case in kept:
                values = case if len(split) > 1 else (case,)
                try:
                    function(**dict(zip(split, values, strict=True)), **fixtures)
                    check_state()
                except Exception as error:
                    error.add_note(f"{names}: {case!r:.200}")
                    errors.append(error)
            if errors:
                raise ExceptionGroup(f"{len(errors)} of {len(kept)} cases", errors[:MOST_SHOWN])

        signature = inspect.signature(function)
        others = [parameter for name, parameter in signature.parameters.items() if name not in split]
        run.__signature__ = signature.replace(parameters=others)
        return run

    return make
