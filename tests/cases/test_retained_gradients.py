"""`retain_grad()` on results and views that are changed in place: what `.grad` holds, and why it is None."""

from __future__ import annotations

from pathlib import Path

from cases import Case, each_of

LEAF = "x = torch.tensor([1., 2.], requires_grad=True)\ny = x * 2\n"
RUN = "autodiff run -q script.ad --show gradients | head -n "
ADVICE = "makes a result keep it too"
BASE_CHANGED = """\
x = torch.ones(4, requires_grad=True).clone()
xx = x[2:]
y = xx[1]
xx.retain_grad()
x[0] += 0
y.backward()
print(xx.grad)
"""

CASES = [
    Case(
        "the_base_of_a_retained_view_is_changed",
        BASE_CHANGED,
        "autodiff run script.ad --show gradients | sed -n 1p",
        prints="None\n",
        says=["xx.grad is None although xx retains it: a change in place (line 5) gave xx a new history"],
        never=[ADVICE],
    ),
    Case(
        "a_view_is_used_after_its_base_was_changed",
        LEAF + "v = y[0]\nv.retain_grad()\ny += 1\n(v * v).backward()\nprint(v.grad)\n",
        RUN + "1",
        prints="tensor(6.)\n",
        never=[ADVICE],
    ),
    Case(
        "a_retained_view_is_changed_and_only_its_base_is_used",
        LEAF + "v = y[:1]\nv.retain_grad()\nv.mul_(3)\n(y * y).sum().backward()\nprint(v.grad, x.grad)\n",
        RUN + "1",
        prints="None tensor([72., 16.])\n",
        never=[ADVICE],
    ),
    Case(
        "a_reshaped_view_after_an_entry_of_its_base_was_written",
        LEAF + "v = y.view(2, 1)\nv.retain_grad()\nw = v * v\ny[0] = 5.\n"
        "out = (v * 3).sum() + w.detach().sum()\nout.backward()\nprint(v.grad, x.grad)\n",
        RUN + "2",
        prints="tensor([[3.],\n        [3.]]) tensor([0., 6.])\n",
    ),
    Case(
        "a_retained_view_whose_old_value_alone_was_used",
        LEAF + "v = y[0]\nv.retain_grad()\nw = v * 3\ny += 1\nw.backward()\nprint(v.grad, v.retains_grad)\n",
        RUN + "1",
        prints="tensor(3.) True\n",
    ),
    Case(
        "a_result_changed_where_nothing_is_recorded",
        LEAF + "y.retain_grad()\nw = y * 3\nwith torch.no_grad(): y.mul_(2)\n"
        "(w + y).sum().backward()\nprint(y.grad, y.retains_grad)\n",
        RUN + "1",
        prints="tensor([4., 4.]) True\n",
    ),
    Case(
        "the_table_of_tensors_says_why",
        BASE_CHANGED,
        "autodiff run -q script.ad --show tensors",
        shows=["None after: xx was changed in place since: y was computed from the old value"],
    ),
]


@each_of(CASES)
def test_case(case: Case, tmp_path: Path) -> None:
    case.check(tmp_path)
