"""The public functions: which there are, their arguments under torch's names, how long an op file is."""

from __future__ import annotations

import inspect

import pytest
from autodiff.core.engine.public_functions import FUNCTIONS, MISSING
from autodiff.core.engine.tensor import tensor
from autodiff.grammar.objects.attributes import find_method
from autodiff.grammar.objects.builtins.namespaces import builtin_value
from autodiff.grammar.objects.values import UNBOUND
from conftest import REPOSITORY
from script_runner import run_script

#: What there is to differentiate, family by family: everything of torch's that HIPS autograd or MyGrad has,
#: and what scripts need besides.
WANTED = {
    "elementwise, one operand": """
        abs neg sqrt square reciprocal exp log sin cos tan tanh sigmoid relu clamp positive sign sgn
        rsqrt exp2 expm1 log2 log10 log1p asin acos atan sinh cosh asinh acosh atanh sinc logit erf
        erfc erfinv floor ceil round trunc frac deg2rad rad2deg nan_to_num clamp_min clamp_max
        lgamma digamma polygamma mvlgamma i0 special.i1 special.i0e special.i1e special.entr
        special.ndtr special.ndtri special.log_ndtr special.erfcx frexp""",
    "elementwise, two operands": """
        add sub mul div pow maximum minimum where rsub true_divide float_power fmod remainder fmax
        fmin atan2 hypot logaddexp logaddexp2 xlogy special.xlog1py lerp addcmul addcdiv masked_fill
        copysign ldexp dist""",
    "reductions and scans": """
        sum mean max min prod norm logsumexp std var amax amin cumsum aminmax std_mean var_mean
        linalg.norm linalg.vector_norm linalg.matrix_norm median nanmedian mode kthvalue quantile
        nansum nanmean cumprod cummax cummin logcumsumexp diff gradient trapezoid
        cumulative_trapezoid trace sort msort topk cov corrcoef renorm""",
    "shape": """
        reshape view transpose t permute squeeze unsqueeze flatten expand cat stack repeat unflatten
        ravel movedim expand_as broadcast_to broadcast_tensors tile repeat_interleave hstack vstack
        dstack column_stack split chunk tensor_split unbind hsplit vsplit flip fliplr flipud rot90
        roll narrow contiguous clone to atleast_1d atleast_2d atleast_3d Tensor.unfold meshgrid
        cartesian_prod combinations block_diag""",
    "indexing": """
        select index_select gather take take_along_dim masked_select scatter scatter_add index_put
        index_add index_copy index_fill diag diagonal diag_embed diagflat tril triu scatter_reduce
        masked_scatter select_scatter slice_scatter diagonal_scatter put""",
    "linear algebra": """
        mm matmul mv dot outer bmm einsum linalg.det linalg.inv linalg.solve inner vdot
        linalg.vecdot tensordot kron cross linalg.cross addmm addmv addr baddbmm addbmm
        linalg.multi_dot linalg.matrix_power matrix_exp linalg.slogdet logdet linalg.pinv pinverse
        linalg.solve_triangular linalg.cholesky linalg.qr linalg.eigh linalg.eigvalsh linalg.svd
        linalg.svdvals cdist linalg.lstsq cholesky_solve cholesky_inverse linalg.lu linalg.cond
        linalg.vander""",
    "activations": """
        F.relu F.softmax F.log_softmax F.softplus F.gelu F.leaky_relu F.relu6 F.prelu F.elu F.selu
        F.celu F.silu F.mish F.softsign F.hardtanh F.hardsigmoid F.hardswish F.tanhshrink
        F.softshrink F.hardshrink F.logsigmoid F.threshold F.glu F.softmin""",
    "layers": """
        F.linear F.bilinear F.embedding F.conv1d F.conv2d F.max_pool1d F.max_pool2d F.avg_pool1d
        F.avg_pool2d F.batch_norm F.layer_norm F.group_norm F.instance_norm F.rms_norm F.normalize
        F.dropout F.pad F.cosine_similarity F.pairwise_distance F.scaled_dot_product_attention
        F.conv3d F.conv_transpose1d F.conv_transpose2d F.adaptive_avg_pool2d F.unfold F.interpolate
        F.pixel_shuffle""",
    "losses": """
        F.mse_loss F.cross_entropy F.nll_loss F.l1_loss F.smooth_l1_loss F.huber_loss
        F.binary_cross_entropy F.binary_cross_entropy_with_logits F.kl_div F.hinge_embedding_loss
        F.margin_ranking_loss F.multi_margin_loss F.soft_margin_loss F.gaussian_nll_loss
        F.poisson_nll_loss F.triplet_margin_loss F.cosine_embedding_loss F.ctc_loss""",
    "creation": """
        tensor Tensor FloatTensor zeros ones full eye arange linspace zeros_like ones_like full_like
        empty empty_like logspace tril_indices F.one_hot""",
    "random": """
        randn rand randint normal manual_seed randn_like rand_like bernoulli multinomial
        Tensor.uniform_""",
    "gradients": """
        Tensor.detach Tensor.requires_grad_ no_grad Tensor.retain_grad Tensor.backward Tensor.zero_
        Tensor.item enable_grad set_grad_enabled autograd.grad""",
    "without a gradient": """
        eq ne lt le gt ge logical_and logical_or logical_not logical_xor isnan isinf isfinite argmax
        argmin argsort floor_divide any all count_nonzero nonzero searchsorted unique histc
        histogram bincount""",
}
#: The one family that is not there: numbers are real.
COMPLEX = """
    angle real imag conj linalg.eig linalg.eigvals fft.fft fft.ifft fft.rfft fft.irfft fft.fft2
    fft.ifft2 fft.fftn fft.ifftn fft.rfft2 fft.irfft2 fft.rfftn fft.irfftn fft.fftshift
    fft.ifftshift""".split()
#: Keywords that say nothing about a result: where it is put, how it is stored, which generator draws it.
PLUMBING = {"out", "generator", "layout", "pin_memory", "memory_format", "device", "non_blocking", "split"}


def is_there(name: str) -> bool:
    """Whether a script can call it, under its namespace or bare, or as a method."""
    namespace, _, bare = name.rpartition(".")
    if namespace == "Tensor":
        return find_method(tensor(1.0), bare) is not None
    if namespace == "autograd":
        return builtin_value("autograd").find(bare) is not UNBOUND
    return name in FUNCTIONS or (
        not namespace and (builtin_value(name) is not UNBOUND or is_there(f"Tensor.{name}"))
    )


@pytest.mark.parametrize("family", WANTED)
def test_every_function_wanted_is_there(family: str) -> None:
    assert not [name for name in WANTED[family].split() if not is_there(name)]


def test_only_the_complex_family_is_missing() -> None:
    assert sum(len(names.split()) for names in WANTED.values()) > 330
    assert not [name for name in COMPLEX if is_there(name)]


@pytest.mark.parametrize("name", COMPLEX)
def test_what_is_complex_is_refused_by_name(name: str) -> None:
    error = run_script(f"x = torch.ones(2, 2)\ny = torch.{name}(x)").error
    assert error is not None
    assert name.rpartition(".")[2] in error.message or "fft" in error.message
    assert error.repair_context or error.help or error.fixes or error.caret


@pytest.mark.oracle
@pytest.mark.parametrize("key", sorted(FUNCTIONS))
def test_arguments_have_torchs_names_and_defaults(key: str) -> None:
    """Where torch's function is written in Python its signature can be read, and ours is the same."""
    torch = pytest.importorskip("torch")
    namespace, _, name = key.partition(".")
    spaces = {"torch": torch, "F": torch.nn.functional, "linalg": torch.linalg, "special": torch.special}
    theirs = getattr(spaces.get(namespace, torch.Tensor), name, None)
    try:
        parameters = inspect.signature(theirs).parameters
    except (TypeError, ValueError):
        pytest.skip("torch's function is written in C++")
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters.values()):
        pytest.skip("torch takes any arguments here")
    ours = {p.name: p.default for p in FUNCTIONS[key].parameters}
    wanted = {p.name: p.default for p in parameters.values() if p.name not in PLUMBING}
    assert list(ours) == [name for name in wanted if name in ours]
    assert not set(wanted) - set(ours)
    for name, default in wanted.items():
        expected = MISSING if default is inspect.Parameter.empty else default
        assert ours[name] is expected or ours[name] == expected, name


def test_an_op_file_is_a_page_or_four() -> None:
    long = {p.name: len(p.read_text().splitlines()) for p in (REPOSITORY / "core" / "ops").glob("*.py")}
    assert not {name: lines for name, lines in long.items() if lines > 400}
