"""`retain_grad()` and changes in place: generated scripts against PyTorch, and single ones with their lines.

`python tests/tools/language_retained.py --count 1000` runs more of the generated ones.
"""

from __future__ import annotations

from textwrap import dedent

import pytest
from language_comparison import compare
from language_generator import Script
from language_retained import retained_script

SCRIPTS = 120
START = (
    "x = torch.tensor([1., 2.], requires_grad=True)\nk = torch.tensor(3., requires_grad=True)\ny = x * 2\n"
)


@pytest.mark.oracle
def test_generated_scripts_agree_with_torch() -> None:
    pytest.importorskip("torch")
    compared = {seed: compare(retained_script(seed)) for seed in range(SCRIPTS)}
    differ = {seed: found.differences for seed, found in compared.items() if found.differences}
    assert not differ, f"{len(differ)} differ: {differ}"
    kept = sum("]) True" in found.oracle.stdout for found in compared.values())
    assert kept > SCRIPTS / 4, "many scripts keep a gradient"


RETAINED = {
    "a view is used after its base was changed": """
        v = y[0]; v.retain_grad(); y += 1; (v * v).backward(); print(v.grad)""",
    "a view is not used after its base was changed": """
        v = y[0]; v.retain_grad(); w = v * 3; y += 1; w.backward(); print(v.grad, v.retains_grad)""",
    "a view was used before and after": """
        v = y[0]; v.retain_grad(); w = v * 3; y += 1; (w + v).backward(); print(v.grad)""",
    "a view is printed after its base was changed": """
        v = y[0]; v.retain_grad(); w = v * 3; y += 1; print(v); w.backward(); print(v.grad)""",
    "its grad_fn is asked for": """
        v = y[0]; v.retain_grad(); w = v * 3; y += 1; print(v.grad_fn.name()); w.backward(); print(v.grad)""",
    "a part of a retained view is changed": """
        v = y[:]; v.retain_grad(); w = v * 3; u = v[0]; u.mul_(k); (y.sum() + w.sum()).backward()
        print(v.grad)""",
    "a part of a retained view is added to itself": """
        v = y[:]; v.retain_grad(); u = v[0]; u.add_(u); y.sum().backward(); print(v.grad)""",
    "a result changed where nothing is recorded": """
        y.retain_grad(); w = y * 3
        with torch.no_grad(): y.mul_(2)
        (w + y).sum().backward(); print(y.grad)""",
    "retained after a change where nothing is recorded": """
        w = y * 3
        with torch.no_grad(): y.mul_(2)
        y.retain_grad(); (w + y).sum().backward(); print(y.grad)""",
    "changed with and without record": """
        y.retain_grad()
        with torch.no_grad(): y.mul_(2)
        y.add_(k); y.sum().backward(); print(y.grad, y.retains_grad)""",
    "asked for as an input after such a change": """
        w = y * 3
        with torch.no_grad(): y.mul_(2)
        print(torch.autograd.grad((w + y * 5).sum(), y), y.grad_fn.name())""",
    "a hook after such a change": """
        w = y * 3
        with torch.no_grad(): y.mul_(2)
        y.register_hook(lambda g: print('got', g)); (w + y * 5).sum().backward(); print(x.grad)""",
    "a leaf": "x.retain_grad(); print(x.retains_grad); y.sum().backward(); print(x.grad, x.retains_grad)",
    "detached in place": "y.retain_grad(); y.detach_(); print(y.retains_grad, y.is_leaf)",
    "a new dimension": """
        y.retain_grad(); y.unsqueeze_(0); (y * y).sum().backward(); print(y.grad, y.retains_grad)""",
    "the row of a row": """
        v = y[:]; v.retain_grad(); u = v[0]; y[1] = k; u.backward(); print(v.grad, u.grad_fn.name())""",
}


@pytest.mark.oracle
@pytest.mark.parametrize("name", RETAINED)
def test_retained_gradients_agree_with_torch(name: str) -> None:
    pytest.importorskip("torch")
    compared = compare(Script(0, START + dedent(RETAINED[name]).strip() + "\n"))
    assert compared.oracle.error is None, compared.oracle.error
    assert not compared.differences
