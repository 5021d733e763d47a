# Written by `python -m autodiff.core.interface` from the registry of functions.

import builtins
from collections.abc import Sequence
from typing import Any

from autodiff.core import Tensor
from autodiff.core.engine.named_results import NamedResult
from autodiff.core.graph.dtypes import DType

def adaptive_avg_pool1d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows over 1 dimension."""
def adaptive_avg_pool2d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows over 2 dimensions."""
def adaptive_avg_pool3d(input: Tensor, output_size: Any) -> Tensor:
    """The means of so many windows over 3 dimensions."""
def adaptive_max_pool1d(input: Tensor, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest entries of so many windows over 1 dimension."""
def adaptive_max_pool2d(input: Tensor, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest entries of so many windows over 2 dimensions."""
def adaptive_max_pool3d(input: Tensor, output_size: Any, return_indices: builtins.bool = False) -> Any:
    """The largest entries of so many windows over 3 dimensions."""
def affine_grid(theta: Tensor, size: builtins.int | Sequence[builtins.int], align_corners: builtins.bool | None = None) -> Tensor:
    """The grid (N, *sizes, dims) of affine maps (N, dims, dims + 1), for ``grid_sample``."""
def alpha_dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """Dropout for selu that keeps the mean and variance."""
def avg_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True) -> Tensor:
    """The mean of each window over 1 dimension."""
def avg_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None) -> Tensor:
    """The mean of each window over 2 dimensions."""
def avg_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, ceil_mode: builtins.bool = False, count_include_pad: builtins.bool = True, divisor_override: builtins.int | None = None) -> Tensor:
    """The mean of each window over 3 dimensions."""
def batch_norm(input: Tensor, running_mean: Any, running_var: Any, weight: Tensor | None = None, bias: Tensor | None = None, training: builtins.bool = False, momentum: builtins.float = 0.1, eps: builtins.float = 1e-05) -> Tensor:
    """Zero mean and unit variance per channel; without ``training``, with the running mean and variance."""
def bilinear(input1: Tensor, input2: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x W_k y + bias_k for each output k."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """-(y log x + (1 - y) log(1 - x)) for probabilities x, averaged."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """binary_cross_entropy of sigmoid(x), computed from x."""
def celu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Any:
    """x above 0, alpha (exp(x / alpha) - 1) below."""
def celu_(input: Tensor, alpha: builtins.float = 1.0) -> Tensor:
    """As ``celu`` with ``inplace=True``."""
def channel_shuffle(input: Tensor, groups: builtins.int) -> Tensor:
    """The channels, dimension 1, of several groups taken in turn."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: Any = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The input's windows times the weights, over 1 dimension."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: Any = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The input's windows times the weights, over 2 dimensions."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: Any = 0, dilation: builtins.int | Sequence[builtins.int] = 1, groups: builtins.int = 1) -> Tensor:
    """The input's windows times the weights, over 3 dimensions."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The adjoint of ``conv1d`` in its input: windows are added up."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The adjoint of ``conv2d`` in its input: windows are added up."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, output_padding: builtins.int | Sequence[builtins.int] = 0, groups: builtins.int = 1, dilation: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The adjoint of ``conv3d`` in its input: windows are added up."""
def cosine_embedding_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """1 - cos where the target is 1, max(0, cos - margin) where it is -1, averaged."""
def cosine_similarity(x1: Tensor, x2: Tensor, dim: builtins.int = 1, eps: builtins.float = 1e-08) -> Tensor:
    """The cosine of the angle between vectors along a dimension."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: builtins.int = -100, reduce: Any = None, reduction: Any = 'mean', label_smoothing: builtins.float = 0.0) -> Tensor:
    """nll_loss of log_softmax; ``target`` holds class numbers, or one probability per class."""
def ctc_loss(log_probs: Tensor, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: builtins.int = 0, reduction: Any = 'mean', zero_infinity: builtins.bool = False) -> Tensor:
    """Minus the log probability that ``log_probs``, read step by step without blanks, spells the targets."""
def dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Entries set to 0 at random, the others scaled so that the mean is kept."""
def dropout1d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Whole channels set to 0 at random, the others scaled so that the mean stays."""
def dropout2d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Whole channels set to 0 at random, the others scaled so that the mean stays."""
def dropout3d(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = True, inplace: builtins.bool = False) -> Tensor:
    """Whole channels set to 0 at random, the others scaled so that the mean stays."""
def elu(input: Tensor, alpha: builtins.float = 1.0, inplace: builtins.bool = False) -> Any:
    """x above 0, alpha (exp(x) - 1) below."""
def elu_(input: Tensor, alpha: builtins.float = 1.0, scale: builtins.float = 1.0, input_scale: builtins.float = 1.0) -> Tensor:
    """As ``elu`` with ``inplace=True``."""
def embedding(input: Tensor, weight: Tensor, padding_idx: builtins.int | None = None, max_norm: builtins.float | None = None, norm_type: builtins.float = 2.0, scale_grad_by_freq: builtins.bool = False, sparse: builtins.bool = False) -> Tensor:
    """Rows of the weight, one per index; the row ``padding_idx`` receives no gradient."""
def embedding_bag(input: Tensor, weight: Tensor, offsets: Tensor | None = None, max_norm: builtins.float | None = None, norm_type: builtins.float = 2, scale_grad_by_freq: builtins.bool = False, mode: builtins.str = 'mean', sparse: builtins.bool = False, per_sample_weights: Tensor | None = None, include_last_offset: builtins.bool = False, padding_idx: builtins.int | None = None) -> Tensor:
    """The mean, sum or maximum of the weight's rows, for each bag of indices."""
def feature_alpha_dropout(input: Tensor, p: builtins.float = 0.5, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """``alpha_dropout`` of whole channels."""
def fold(input: Tensor, output_size: builtins.int | Sequence[builtins.int], kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, stride: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """Columns added up to images; the adjoint of ``unfold``."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Tensor | builtins.float, full: builtins.bool = False, eps: builtins.float = 1e-06, reduction: builtins.str = 'mean') -> Tensor:
    """½ (log var + (input - target)² / var), averaged; variances below ``eps`` count as ``eps``."""
def gelu(input: Tensor, approximate: builtins.str = 'none') -> Any:
    """x times the standard normal distribution function, or its "tanh" approximation."""
def glu(input: Tensor, dim: builtins.int = -1) -> Tensor:
    """The first half along a dimension times the sigmoid of the second half."""
def grid_sample(input: Tensor, grid: Tensor, mode: builtins.str = 'bilinear', padding_mode: builtins.str = 'zeros', align_corners: builtins.bool | None = None) -> Tensor:
    """Images (N, C, H, W) or (N, C, D, H, W) at the positions of a grid (N, ..., 2 or 3)."""
def group_norm(input: Tensor, num_groups: builtins.int, weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Zero mean and unit variance per group of channels of each input."""
def gumbel_softmax(logits: Tensor, tau: builtins.float = 1, hard: builtins.bool = False, eps: builtins.float = 1e-10, dim: builtins.int = -1) -> Tensor:
    """softmax of logits with Gumbel noise; ``hard`` gives one-hot vectors with the softmax's gradient."""
def hardshrink(input: Tensor, lambd: builtins.float = 0.5) -> Any:
    """x, and 0 where |x| <= lambd."""
def hardsigmoid(input: Tensor, inplace: builtins.bool = False) -> None: ...
def hardswish(input: Tensor, inplace: builtins.bool = False) -> None: ...
def hardtanh(input: Tensor, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0, inplace: builtins.bool = False) -> Any:
    """x clamped to [min_val, max_val]."""
def hardtanh_(input: Tensor, min_val: builtins.float = -1.0, max_val: builtins.float = 1.0) -> Tensor:
    """As ``hardtanh`` with ``inplace=True``."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: builtins.float = 1.0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """``input`` where the target is 1, max(0, margin - input) where it is -1, averaged."""
def huber_loss(input: Tensor, target: Tensor, reduction: Any = 'mean', delta: builtins.float = 1.0, weight: Tensor | None = None) -> Tensor:
    """Quadratic where |input - target| < delta, linear with slope delta elsewhere, averaged."""
def instance_norm(input: Tensor, running_mean: Tensor | None = None, running_var: Tensor | None = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: builtins.bool = True, momentum: builtins.float = 0.1, eps: builtins.float = 1e-05) -> Tensor:
    """Zero mean and unit variance per channel of each input."""
def interpolate(input: Tensor, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None, recompute_scale_factor: builtins.bool | None = None, antialias: builtins.bool = False) -> Tensor:
    """Images resized: each entry is the nearest one, or a mean of neighbours weighted by distance."""
def kl_div(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', log_target: builtins.bool = False) -> Tensor:
    """target (log target - input), averaged; ``input`` holds log probabilities."""
def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', weight: Tensor | None = None) -> Tensor:
    """The absolute differences, averaged."""
def layer_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = None, bias: Tensor | None = None, eps: builtins.float = 1e-05) -> Tensor:
    """Zero mean and unit variance over the last dimensions, then weight and bias entry by entry."""
def leaky_relu(input: Tensor, negative_slope: builtins.float = 0.01, inplace: builtins.bool = False) -> Any:
    """x above 0, ``negative_slope`` times x below."""
def leaky_relu_(input: Tensor, negative_slope: builtins.float = 0.01) -> Tensor:
    """As ``leaky_relu`` with ``inplace=True``."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x @ weight.T + bias; ``weight`` has one row per output."""
def local_response_norm(input: Tensor, size: builtins.int, alpha: builtins.float = 0.0001, beta: builtins.float = 0.75, k: builtins.float = 1.0) -> Tensor:
    """x divided by a power of the mean square of neighbouring channels."""
def log_softmax(input: Tensor, dim: builtins.int | None = None, _stacklevel: Any = 3, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """The logarithm of softmax along a dimension; leaving ``dim`` out is deprecated."""
def logsigmoid(input: Tensor) -> None: ...
def lp_pool1d(input: Tensor, norm_type: builtins.float, kernel_size: builtins.int, stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Any:
    """The p-norm of each window over 1 dimension."""
def lp_pool2d(input: Tensor, norm_type: builtins.float, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Any:
    """The p-norm of each window over 2 dimensions."""
def lp_pool3d(input: Tensor, norm_type: builtins.float, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, ceil_mode: builtins.bool = False) -> Any:
    """The p-norm of each window over 3 dimensions."""
def margin_ranking_loss(input1: Tensor, input2: Tensor, target: Tensor, margin: builtins.float = 0, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """max(0, -target (input1 - input2) + margin), averaged; a target of 1 asks for a larger input1."""
def max_pool1d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """The largest entry of each window over 1 dimension."""
def max_pool2d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """The largest entry of each window over 2 dimensions."""
def max_pool3d(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, dilation: builtins.int | Sequence[builtins.int] = 1, ceil_mode: builtins.bool = False, return_indices: builtins.bool = False) -> Any:
    """The largest entry of each window over 3 dimensions."""
def max_unpool1d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Any = None) -> Tensor:
    """Zeros, with each entry at the position from which ``max_pool`` took it."""
def max_unpool2d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Any = None) -> Tensor:
    """Zeros, with each entry at the position from which ``max_pool`` took it."""
def max_unpool3d(input: Tensor, indices: Tensor, kernel_size: builtins.int | Sequence[builtins.int], stride: builtins.int | Sequence[builtins.int] | None = None, padding: builtins.int | Sequence[builtins.int] = 0, output_size: Any = None) -> Tensor:
    """Zeros, with each entry at the position from which ``max_pool`` took it."""
def mish(input: Tensor, inplace: builtins.bool = False) -> None: ...
def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', weight: Tensor | None = None) -> Tensor:
    """The squared differences, averaged."""
def multi_margin_loss(input: Tensor, target: Tensor, p: builtins.int = 1, margin: builtins.float = 1.0, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """max(0, margin - input[target] + input[class]) ** p, summed over the other classes, averaged."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """``multi_margin_loss`` with several right classes per sample, which end at the first -1 of a target."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: Any = None, reduction: builtins.str = 'mean') -> Tensor:
    """binary_cross_entropy of sigmoid(x), averaged over the classes and then over the samples."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: builtins.int = -100, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """Minus the log probability of the right class, averaged; ``input`` holds log probabilities."""
def normalize(input: Tensor, p: builtins.float = 2.0, dim: builtins.int | Sequence[builtins.int] = 1, eps: builtins.float = 1e-12) -> Tensor:
    """x divided by its p-norm along a dimension."""
def one_hot(input: Tensor, num_classes: builtins.int = -1) -> Tensor:
    """Rows of zeros with a one at the index."""
def pad(input: Tensor, pad: Sequence[builtins.int], mode: builtins.str = 'constant', value: builtins.float | None = None) -> Tensor:
    """Entries added around the last dimensions; ``pad`` holds (before, after) per dimension, last first."""
def pairwise_distance(x1: Tensor, x2: Tensor, p: builtins.float = 2.0, eps: builtins.float = 1e-06, keepdim: builtins.bool = False) -> Tensor:
    """The p-norm of the differences along the last dimension."""
def pdist(input: Tensor, p: builtins.float = 2.0) -> Tensor:
    """The distance of every row of a matrix from every row after it, in one vector."""
def pixel_shuffle(input: Tensor, upscale_factor: builtins.int) -> Tensor:
    """Channels rearranged to pixels: (..., C r², H, W) to (..., C, H r, W r)."""
def pixel_unshuffle(input: Tensor, downscale_factor: builtins.int) -> Tensor:
    """The inverse of ``pixel_shuffle``."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: builtins.bool = True, full: builtins.bool = False, size_average: Any = None, eps: builtins.float = 1e-08, reduce: Any = None, reduction: builtins.str = 'mean') -> Tensor:
    """exp(input) - target · input, averaged; ``full`` adds Stirling's approximation of log(target!)."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """x above 0, ``weight`` times x below, with one weight per channel or one for all."""
def relu(input: Tensor, inplace: builtins.bool = False) -> Any:
    """x above 0, 0 elsewhere."""
def relu6(input: Tensor, inplace: builtins.bool = False) -> Any:
    """x clamped to [0, 6]."""
def relu_(input: Tensor) -> Tensor:
    """As ``relu`` with ``inplace=True``."""
def rms_norm(input: Tensor, normalized_shape: Sequence[builtins.int], weight: Tensor | None = None, eps: builtins.float | None = None) -> Tensor:
    """x divided by its root mean square along the last dimensions, times the weight."""
def rrelu(input: Tensor, lower: builtins.float = 0.125, upper: builtins.float = 0.3333333333333333, training: builtins.bool = False, inplace: builtins.bool = False) -> Tensor:
    """x above 0, a multiple of x below: random between two bounds in training, else by their mean."""
def scaled_dot_product_attention(query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None = None, dropout_p: builtins.float = 0.0, is_causal: builtins.bool = False, scale: builtins.float | None = None) -> Tensor:
    """softmax(query keyᵀ scale + mask) value; the scale is 1 / √(last dimension) unless given."""
def selu(input: Tensor, inplace: builtins.bool = False) -> Any:
    """elu with the scale and alpha that keep mean 0 and variance 1."""
def selu_(input: Tensor) -> Tensor:
    """As ``selu`` with ``inplace=True``."""
def sigmoid(input: Tensor) -> Tensor: ...
def silu(input: Tensor, inplace: builtins.bool = False) -> None: ...
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean', beta: builtins.float = 1.0) -> Tensor:
    """Quadratic where |input - target| < beta, linear elsewhere, averaged."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """log(1 + exp(-target · input)), averaged; targets are 1 and -1."""
def softmax(input: Tensor, dim: builtins.int | None = None, _stacklevel: Any = 3, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """exp(x) / Σ exp(x) along a dimension; leaving ``dim`` out is deprecated."""
def softmin(input: Tensor, dim: builtins.int | None = None, _stacklevel: Any = 3, dtype: DType | builtins.type[Any] | None = None) -> Tensor:
    """softmax of the negated entries."""
def softplus(input: Tensor, beta: builtins.float = 1, threshold: builtins.float = 20) -> Any:
    """log(1 + exp(beta x)) / beta."""
def softshrink(input: Tensor, lambd: builtins.float = 0.5) -> Any:
    """x moved towards 0 by ``lambd``, and 0 where |x| <= lambd."""
def softsign(input: Tensor) -> None: ...
def tanh(input: Tensor) -> Tensor: ...
def tanhshrink(input: Tensor) -> None: ...
def threshold(input: Tensor, threshold: builtins.float, value: builtins.float, inplace: builtins.bool = False) -> Any:
    """x above the threshold, ``value`` elsewhere."""
def threshold_(input: Tensor, threshold: builtins.float, value: builtins.float) -> Tensor:
    """As ``threshold`` with ``inplace=True``."""
def triplet_margin_loss(anchor: Tensor, positive: Tensor, negative: Tensor, margin: builtins.float = 1.0, p: builtins.float = 2, eps: builtins.float = 1e-06, swap: builtins.bool = False, size_average: Any = None, reduce: Any = None, reduction: Any = 'mean') -> Tensor:
    """max(0, margin + d(anchor, positive) - d(anchor, negative)), averaged, with the p-norm as distance d."""
def triplet_margin_with_distance_loss(anchor: Tensor, positive: Tensor, negative: Tensor, *, distance_function: Any = None, margin: builtins.float = 1.0, swap: builtins.bool = False, reduction: Any = 'mean') -> Tensor:
    """``triplet_margin_loss`` with a function of two tensors as the distance."""
def unfold(input: Tensor, kernel_size: builtins.int | Sequence[builtins.int], dilation: builtins.int | Sequence[builtins.int] = 1, padding: builtins.int | Sequence[builtins.int] = 0, stride: builtins.int | Sequence[builtins.int] = 1) -> Tensor:
    """The windows of images as columns: from (N, C, H, W) to (N, C · kernel, windows)."""
def upsample(input: Tensor, size: Any = None, scale_factor: Any = None, mode: builtins.str = 'nearest', align_corners: builtins.bool | None = None) -> Tensor:
    """As ``interpolate``, by its older name."""
def upsample_bilinear(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """As ``interpolate`` in the mode "bilinear" with aligned corners."""
def upsample_nearest(input: Tensor, size: Any = None, scale_factor: Any = None) -> Tensor:
    """As ``interpolate`` in the mode "nearest"."""
