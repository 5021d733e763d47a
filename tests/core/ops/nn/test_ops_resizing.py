"""Interpolation in every mode, and losses of weighted entries, against PyTorch."""

from __future__ import annotations

import itertools

import pytest
from script_runner import printed, run_script

pytestmark = pytest.mark.oracle

SIZES = ("size=(3, 7)", "size=(9, 2)", "scale_factor=0.6", "scale_factor=(2.5, 1.3)")
RECOMPUTED = "scale_factor=0.6, recompute_scale_factor=True"
MODES = ("nearest", "nearest-exact", "area", "bilinear", "bicubic")


def compare(script: str) -> None:
    from torch_prelude import run_with_torch

    theirs = run_with_torch(script)
    assert theirs.error is None
    assert printed(script) == theirs.stdout


@pytest.mark.parametrize(("mode", "size"), [*itertools.product(MODES, (*SIZES, RECOMPUTED))])
def test_images_are_resized_as_by_torch(mode: str, size: str) -> None:
    compare(
        "x = (torch.arange(60.).reshape(1, 2, 6, 5) * 0.7).sin().requires_grad_()\n"
        f"y = F.interpolate(x, {size}, mode='{mode}')\nprint(y)\n"
        "(y * torch.arange(float(y.numel())).reshape(y.shape)).sum().backward()\nprint(x.grad)\n"
    )


@pytest.mark.parametrize(
    ("mode", "more", "size"),
    [
        *itertools.product(
            ("bilinear", "bicubic"),
            ("antialias=True", "align_corners=True", "antialias=True, align_corners=True"),
            SIZES,
        )
    ],
)
def test_antialiasing_and_corners_are_torchs(mode: str, more: str, size: str) -> None:
    compare(
        "x = (torch.arange(60.).reshape(1, 2, 6, 5) * 0.7).sin().requires_grad_()\n"
        f"y = F.interpolate(x, {size}, mode='{mode}', {more})\nprint(y)\n"
        "(y * torch.arange(float(y.numel())).reshape(y.shape)).sum().backward()\nprint(x.grad)\n"
    )


@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "area", "linear"])
def test_series_are_resized_as_by_torch(mode: str) -> None:
    compare(f"x = torch.arange(7.).reshape(1, 1, 7)\nprint(F.interpolate(x, 4, mode='{mode}'))")


LOSSES = ("mse_loss", "l1_loss", "huber_loss")


@pytest.mark.parametrize(("loss", "reduction"), [*itertools.product(LOSSES, ("none", "mean", "sum"))])
def test_entries_are_weighed_as_by_torch(loss: str, reduction: str) -> None:
    compare(
        "x = torch.tensor([0.5, -1., 4.], requires_grad=True)\ny = torch.tensor([1., 1., 1.])\n"
        "w = torch.tensor([1., 2., 0.5], requires_grad=True)\n"
        f"out = F.{loss}(x, y, reduction='{reduction}', weight=w)\nprint(out)\n"
        "out.sum().backward()\nprint(x.grad, w.grad)\n"
    )


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("more", ["weight=torch.ones(2)", "weight=torch.ones(3), reduction='all'"])
def test_weights_that_do_not_fit_are_refused_in_torchs_words(loss: str, more: str) -> None:
    from torch_prelude import run_with_torch

    call = f"F.{loss}(torch.ones(3), torch.ones(3), {more})"
    assert run_script(call).error.message == str(run_with_torch(call).error)
