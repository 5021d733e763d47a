"""What layers, dropout, activations and splits refuse, call by call, in the words of PyTorch."""

from __future__ import annotations

import itertools

import pytest
from script_runner import CHOOSES_DOUBLE, run_script

pytestmark = pytest.mark.oracle

SUBJECTS = (
    "series = torch.ones(1, 1, 5)\nimage = torch.ones(1, 1, 3, 3)\nvolume = torch.ones(1, 1, 2, 2, 2)\n"
    "whole = torch.tensor([2, -1])\nbools = torch.tensor([True, False])\n"
    "pair = torch.tensor([0., 1.])\ntriple = torch.ones(3)\nsquare = torch.ones(2, 2)\n"
)
LAYERS = [
    (f"F.{layer}_pool{dims}d", subject, "2, " * (layer == "lp"))
    for layer in ("max", "avg", "lp")
    for dims, subject in ((1, "series"), (2, "image"), (3, "volume"))
]
WINDOWS = (
    *("9", "0", "-1", "2, 0", "2, -1", "2, (1, 1, 1, 1)", "2, padding=2", "2, padding=-1"),
    *("2, padding=(1, 1, 1, 1)", "2, dilation=0", "2, dilation=9", "2, (2, 0)", "2, divisor_override=0"),
)
SHAPES = (
    *("3", "2, 3", "1, 2, 3, 4, 5, 6", "0, 1, 3", "1, 0, 3", "1, 1, 0, 3", "1, 1, 3, 3, 0", "1, 1, 3"),
    "1, 1, 3, 3",
)
POOLS = [
    *(
        f"{name}({subject}, {first}{window})"
        for (name, subject, first), window in itertools.product(LAYERS, WINDOWS)
        if not (("lp" in name and "=" in window) or ("avg" in name and "dilation" in window))
        and ("divisor" not in window or name in ("F.avg_pool2d", "F.avg_pool3d"))
    ),
    *(
        f"{name}(torch.ones({shape}), {first}2)"
        for (name, _, first), shape in itertools.product(LAYERS, SHAPES)
    ),
    *(
        f"{name}(torch.arange(1, {entries} + 1).reshape({shape}), {first}2)"
        for (name, _, first), (entries, shape) in zip(
            LAYERS, itertools.cycle([(3, "1, 1, 3"), (9, "1, 1, 3, 3"), (8, "1, 1, 2, 2, 2")]), strict=False
        )
    ),
]
SERIES = (*("0, 6", "2, 0", "2, 0, 6", "2, 3, 0", "2, 3, 6", "2, 3, 6, 5", "6"),)
#: A series is pooled as an image of one row, but for the largest entries without their places.
OF_SERIES = [
    f"{name}(torch.ones({shape}), {window})"
    for name, window in (
        *(("F.avg_pool1d", window) for window in ("2", "-1", "2, padding=2", "(1, 2)", "2, 0")),
        *(("torch.max_pool1d", window) for window in ("2", "2, dilation=[]", "(1, 2)")),
        *(("F.max_pool1d", f"{window}, return_indices=True") for window in ("2", "2, dilation=0", "(1, 2)")),
    )
    for shape in SERIES
]
OUTPUTS = ("1", "2", "0", "-1", "[]", "(1, 2)", "(None, 1, 1)", "(0, -1, 2)")
ADAPTIVE = [
    f"F.adaptive_{layer}_pool{dims}d(torch.ones({shape}), {output})"
    for layer, dims, shape, output in itertools.product(("avg", "max"), (1, 2, 3), SHAPES, OUTPUTS)
    if not (dims == 1 and "None" in output)
    # Of sizes for other dimensions torch fails an assertion of its own.
    and not (layer == "max" and dims > 1 and output[0] in "([" and output.count(",") + 1 != dims)
]
NAMES = (
    *("F.max_pool1d(series, 2, 2, 0, 1, False, True, 1)", "F.max_pool2d(image, 2, return_indices=True, x=1)"),
    *("F.adaptive_max_pool1d(series, 2, True, 1)", "F.adaptive_max_pool1d(series, 2, True)"),
    *("torch.unique(whole, True, True, False, x=1)", "torch.unique(whole, True, False, True, 0, 1)"),
    *("torch.unique_consecutive(whole, x=1)", "torch.unique_consecutive(whole, True, True, x=1)"),
    "F.triplet_margin_with_distance_loss(series, series, series, 1, swap=True, margin=2.0)",
    "torch.max_pool3d(volume, 1, padding=(0, None, 0), dilation=(1, None, 1))",
)
DROPOUTS = (
    *("F.dropout1d(series[0, 0], 0.5, False)", "F.dropout1d(volume)", "F.dropout1d(series[0, 0], 1.5)"),
    *("F.dropout2d(series[0, 0])", "F.dropout3d(torch.tensor(1.))", "F.dropout2d(series[0, 0], 1.)"),
    *("F.dropout(whole)", "F.dropout1d(whole[None])", "F.dropout(whole, 1.)", "F.dropout(bools)"),
)
SINGLE, WHOLE = "torch.ones(4, dtype=torch.float32)", "torch.ones(4, dtype=torch.int64)"
PARAMETERS = ("None", "torch.ones(4)", SINGLE, WHOLE)
NORMS = [
    *(
        f"F.{layer}_norm(torch.ones(2, 4, 3), {running}, {weight}, {bias}, {training})"
        for layer, running, weight, bias, training in itertools.product(
            ("batch", "instance"),
            (f"torch.ones(4), {SINGLE}", f"{WHOLE}, torch.ones(4)", "torch.ones(4), torch.ones(4)"),
            *(PARAMETERS, PARAMETERS, (True, False)),
        )
    ),
    *(
        f"F.{layer}_norm(torch.ones({shape}), {given})"
        for layer, shape, given in itertools.product(
            ("batch", "instance"),
            ("1, 4", "2, 4, 1", "2, 0, 3", "2, 4, 0"),
            ("torch.ones(3), None", "None, None, torch.ones(3)", "None, None, None, None, True, eps=-1"),
        )
    ),
    *(f"F.batch_norm(torch.ones({n}), None, None, torch.ones(4), training=True)" for n in (1, 4)),
    *(
        f"{name}_norm(torch.ones({shape}), {given})"
        for name, shape, given in (
            *itertools.product(
                ("F.group", "torch.group"),
                ("(), dtype=torch.float32", "4", "1, 4", "2, 4, 3"),
                ("0", "-1", "3", "4", "2, None, torch.ones(3)", "2, torch.ones(3)", f"2, {SINGLE}"),
            ),
            *itertools.product(
                ("F.layer", "torch.rms"),
                ("(), dtype=torch.float64", "2, 4"),
                ("[]", "[3]", "[1, 2, 4]", "[4], torch.ones(3)", f"[3], {WHOLE}", "[3], torch.ones(3)"),
            ),
            *itertools.product(
                ("F.layer",), ("2, 4",), (f"[3], None, {SINGLE}", f"[4], torch.ones(4), {SINGLE}")
            ),
        )
    ),
    *(
        f"F.local_response_norm(torch.arange(1, 13).reshape({shape}).{kind}(), {size})"
        for shape, kind, size in itertools.product(
            ("4, 3", "2, 2, 3", "1, 2, 3, 2"), ("double", "long", "int", "bool"), ("2", "0", "-1", "9")
        )
    ),
]
LOSSES = [
    f"F.{loss}({', '.join(f'{name}.{kind}()' for name, kind in zip(operands.split(), kinds, strict=False))})"
    for loss, operands in (
        *((f"{name}_loss", "pair pair") for name in ("soft_margin", "huber", "smooth_l1", "hinge_embedding")),
        *((f"binary_cross_entropy{ending}", "pair pair") for ending in ("", "_with_logits")),
        *(("margin_ranking_loss", "pair pair pair"), ("gaussian_nll_loss", "pair pair pair")),
        *(("multilabel_soft_margin_loss", "pair pair"), ("multilabel_soft_margin_loss", "pair pair pair")),
        *(("pairwise_distance", "pair triple"), ("soft_margin_loss", "pair triple")),
        *(("soft_margin_loss", "pair square"), ("soft_margin_loss", "square pair")),
        *(("margin_ranking_loss", "pair triple pair"), ("gaussian_nll_loss", "pair triple pair")),
        *(("multi_margin_loss", "square triple"), ("multi_margin_loss", "square pair")),
        *(("multilabel_margin_loss", "square pair"), ("multilabel_margin_loss", "square square")),
    )
    for kinds in itertools.product(("double", "long", "bool"), repeat=len(operands.split()))
]
SETTINGS = (
    *(f"F.huber_loss(pair, pair, delta={delta})" for delta in ("-1", "0")),
    *(f"F.huber_loss(pair, {y}, weight=triple)" for y in ("pair", "triple")),
    *(
        f"F.smooth_l1_loss(pair.{kind}(), {y}, beta=-1)"
        for kind in ("double", "long")
        for y in ("pair", "triple")
    ),
    *(f"F.smooth_l1_loss(pair.long(), pair.long(), beta=0, reduction={how})" for how in ("'sum'", "'mean'")),
    *("F.hinge_embedding_loss(pair, pair, margin=True)", "F.hinge_embedding_loss(pair.long(), pair, 1.5)"),
    *("F.multi_margin_loss(square, pair.long(), margin=True)", "F.gumbel_softmax(square[:, :0], hard=True)"),
    *("F.cosine_embedding_loss(square, square, pair, margin=True)", "F.embedding(bools, square)"),
    *(
        "F.cross_entropy(square, pair.long(), label_smoothing=1.5)",
        "F.cross_entropy(square * whole, pair.long(), label_smoothing=-1)",
        "F.cross_entropy(square[0, 0], pair.long())",
    ),
    "F.pad(pair, 1)",
    "F.ctc_loss(torch.log_softmax(torch.ones(4, 1, 3), 2), pair.long(), torch.tensor([4]), (2,))",
)
FUNCTIONS = (
    *(
        "silu",
        "mish",
        "hardsigmoid",
        "hardswish",
        "logsigmoid",
        "softplus",
        "gelu",
        "leaky_relu",
        "elu",
        "selu",
    ),
    *("celu", "softshrink", "hardshrink", "relu", "relu6", "hardtanh", "tanhshrink"),
)
ACTIVATIONS = [
    *(f"F.{name}({x})" for name, x in itertools.product(FUNCTIONS, ("whole", "bools", "whole.int()"))),
    *(f"F.threshold({x}, 0.5, 9.)" for x in ("whole", "bools", "whole.int()")),
    *("torch.selu(whole)", "torch.celu(whole)", "F.celu(torch.ones(2), alpha=0.)"),
    *("F.hardtanh(torch.ones(2), 2., 1.)", "F.hardtanh(whole, -0.5, 1.5)"),
]
SPLITS = (
    "torch.tensor_split(series[0, 0], tensor_indices_or_sections=torch.tensor([1, 2]))",
    "torch.tensor_split(series[0, 0], tensor_indices_or_sections=torch.tensor(2))",
    "series[0, 0].tensor_split(tensor_indices_or_sections=torch.tensor([1]))",
    "torch.tensor_split(series[0, 0], tensor_indices_or_sections=torch.tensor([1., 2.]))",
    "torch.tensor_split(series[0, 0], tensor_indices_or_sections=2)",
    "torch.tensor_split(series[0, 0], 0)",
    "torch.arange()",
    "torch.arange(end=3)",
)


@pytest.mark.parametrize(
    "call",
    [*POOLS, *OF_SERIES, *ADAPTIVE, *NAMES, *NORMS, *LOSSES, *SETTINGS, *DROPOUTS, *ACTIVATIONS, *SPLITS],
)
def test_the_answer_is_torchs(call: str) -> None:
    from torch_prelude import run_with_torch

    script = f"{CHOOSES_DOUBLE}{SUBJECTS}print({call})\n"
    ours, theirs = run_script(script), run_with_torch(script)
    if theirs.error is None:
        assert ours.error is None
        assert ours.stdout == theirs.stdout
    else:
        assert ours.error is not None
        assert ours.error.message.splitlines()[0] == str(theirs.error).splitlines()[0]
        assert ours.error.span is not None


@pytest.mark.parametrize("call", [call for call in NORMS if SINGLE in call])
def test_without_float64_the_answer_is_that_of_torchs_default_dtype(call: str) -> None:
    from torch_prelude import run_with_torch

    script = f"{SUBJECTS}print({call})\n"
    ours, theirs = run_script(script), run_with_torch(script, dtype="float32")
    assert ours.stdout == theirs.stdout
    said = [str(run.error).splitlines()[0] if run.error else None for run in (ours, theirs)]
    assert (said[0] and said[0].replace("Double", "Float")) == said[1]
