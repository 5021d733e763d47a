"""Samples at nan, infinities and the ends of the range, by function, beside those of the families.

Each is a place where a formula that is right elsewhere gave something else than torch: an overflow on the
way, 0 times infinity, a nan that was taken for a number or spread to entries that it has no part in.
"""

CORNERS: dict[str, tuple[str, ...]] = {
    "torch.amax": ("torch.amax({=[[1.0, nan, 2.0], [2.0, 3.0, 3.0]]}, 1)", "torch.amax({=[nan, 1.0]})"),
    "torch.amin": ("torch.amin({=[[1.0, nan, 2.0], [2.0, 3.0, 2.0]]}, 1)", "torch.amin({=[nan, 1.0]})"),
    "torch.aminmax": (
        "torch.aminmax({=[2.0, nan, 1.0]})",
        "torch.aminmax({=[[1.0, nan], [2.0, 3.0]]}, dim=1)",
    ),
    "torch.max": ("torch.max({=[2.0, nan, 1.0]})",),
    "torch.median": (
        "torch.median({0})",
        "torch.median({2,0})",
        "torch.median({=[]; empty})",
        "torch.median({0 f4})",
    ),
    "torch.nanmedian": ("torch.nanmedian({0})", "torch.nanmedian({2,0})", "torch.nanmedian({=[]; empty})"),
    "torch.acosh": ("torch.acosh({=[-2.0, -1.0, 0.5, 3.0]})",),
    "torch.xlogy": ("torch.xlogy({3 f4}, 0.3)", "torch.xlogy(0.3, {3 + f4})", "torch.xlogy({2,3 f4}, 2)"),
    "special.xlog1py": ("torch.special.xlog1py({3 f4}, 0.3)", "torch.special.xlog1py(2, {3 + f4})"),
    "linalg.lu": (
        "torch.linalg.lu({4,2})",
        "torch.linalg.lu({2,4})",
        "torch.linalg.lu({2,4,3})",
        "torch.linalg.lu({2,3,4})",
        "torch.linalg.lu({4,1 f4})",
        "torch.linalg.lu({0,3,3})",
        "torch.linalg.lu({2,0})",
        "torch.linalg.lu({0,2})",
    ),
    "torch.matrix_power": (
        "torch.matrix_power({=[[1, 2], [3, 4]]}, 3)",
        "torch.matrix_power({=[[1, 2], [3, 4]]}, 1)",
        "torch.matrix_power({=[[1, 2], [3, 4]]}, 0)",
        "torch.matrix_power({=[[nan, 1.0], [inf, 3.0]]}, 0)",
    ),
    "linalg.cholesky": ("torch.linalg.cholesky({=[[2.0, 0.3], [0.9, 2.0]]}, upper=True)",),
    "linalg.pinv": ("torch.linalg.pinv({3,3}, hermitian=True)",),
    "F.interpolate": (
        "F.interpolate({=[[[nan, 1.0, 2.0, inf]]]}, 5)",
        "F.interpolate({=[[[nan, 1.0, 2.0, inf]]]}, 5, mode='linear')",
        "F.interpolate({=[[[nan, 1.0, 2.0, 3.0]]]}, 2, mode='area')",
        "F.interpolate({=[[[[nan, 1.0, 2.0, 3.0, 4.0, 5.0]]]]}, (1, 3), mode='bicubic')",
    ),
    "F.adaptive_avg_pool1d": (
        "F.adaptive_avg_pool1d({=[[[nan, 1.0, 2.0, inf, 3.0]]]}, 3)",
        "F.adaptive_avg_pool1d({=[[[nan, 1.0, 2.0, -inf, 3.0]]]}, 2)",
    ),
    "F.adaptive_avg_pool2d": (
        "F.adaptive_avg_pool2d({=[[[nan, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, inf, 7.0]]]}, 2)",
    ),
    "F.adaptive_max_pool1d": (
        "F.adaptive_max_pool1d({=[[[nan, 1.0, nan, 2.0, 3.0, nan, 5.0]]]}, 2)",
        "F.adaptive_max_pool1d({2,3,7 held}, 0)",
    ),
    "F.max_pool2d": ("F.max_pool2d({=[[[[nan, nan, 1.0, 2.0], [1.0, nan, 2.0, 2.0]]]]}, 2)",),
    "F.embedding_bag": (
        "F.embedding_bag({=[[0, 2], [1, 1]]}, {=[[nan, 1.0], [2.0, inf], [3.0, 4.0]]}, mode='sum')",
        "F.embedding_bag({=[[0, 2], [1, 1]]}, {=[[nan, 1.0], [2.0, inf], [3.0, 4.0]]}, padding_idx=0)",
        "F.embedding_bag({=[1, 0]}, {=[[-1.0, inf], [-2.0, 3.0]]}, {=[0, 0, 1]}, mode='max')",
    ),
    "torch.lerp": (
        "torch.lerp({=[-inf, 1e308, inf, 1.0]}, {=[1.0, -1e308, 2.0, inf]}, {=[0.2, 0.9, 0.7, 1.0]})",
        "torch.lerp({=[1e30, 1.0, 2.0]}, {=[1.0, 1e30, 3.0]}, 1.0)",
    ),
    "torch.quantile": (
        "torch.quantile({=[-inf, 1.0, -10000.0]}, 0.4)",
        "torch.quantile({=[1.0, inf, 2.0]}, 0.6)",
    ),
    "torch.renorm": (
        "torch.renorm({=[[1.0, 2.0], [0.1, 0.2]]; held}, 2, 0, 1.0)",
        "torch.renorm({=[[nan, 2.0], [3.0, 0.2]]; held}, 2, 0, 1.0)",
    ),
    "F.multi_margin_loss": ("F.multi_margin_loss({=[[inf, inf, 1.0], [nan, 1.0, 2.0]]}, {=[1, 2]})",),
    "F.multilabel_margin_loss": (
        "F.multilabel_margin_loss({=[[nan, 1.0, 2.0]]}, {=[[2, -1, 0]]}, reduction='none')",
    ),
    "F.binary_cross_entropy_with_logits": (
        "F.binary_cross_entropy_with_logits({=[inf, 800.0, -800.0]}, {=[0., 0.5, 0.25]; held},"
        " reduction='sum')",
    ),
    "F.scaled_dot_product_attention": (
        "F.scaled_dot_product_attention({2,0}, {3,0}, {3,4})",
        "F.scaled_dot_product_attention({2,4}, {2,4}, {2,4}, {=[[True, False], [False, False]]})",
        "F.scaled_dot_product_attention({2,4}, {3,4}, {3,1}, {=[[0., -inf, 1.], [-inf, -inf, -inf]]; held})",
    ),
    "torch.addcmul": (
        "torch.addcmul({=[1.0, 2.0]}, {=[1e308, 3.0]}, {=[0.1, 4.0]}, value=2)",
        "torch.addcmul({=[1, 2]}, {=[3, 4]}, {=[5, 6]}, value=1.5)",
    ),
    "torch.addcdiv": ("torch.addcdiv({=[1.0, 2.0]}, {=[1e308, 3.0]}, {=[-800.0, 4.0]}, value=2)",),
    "torch.std": ("torch.std({=[1e37, 1e38, -1e38]; f4})",),
    "torch.var": ("torch.var({=[10001.0, 10001.25, 10000.5]; f4})",),
    "torch.cumsum": ("torch.cumsum({=[1e8, 1.0, -1e8]; f4}, 0)[2]",),
    "torch.repeat": ("{0 held}.repeat(-1)", "{2,0 held}.repeat(2, -1)"),
    "F.pad": (
        "F.pad({=[[[1.0, 2.0, 3.0, 4.0, 5.0]]]}, (1, -2), mode='circular')",
        "F.pad({=[[[1.0, 2.0, 3.0, 4.0, 5.0]]]}, (-2, 1), mode='circular')",
        "F.pad({=[[[1.0, 2.0, 3.0, 4.0, 5.0]]]}, (-1, -1), mode='circular')",
    ),
    "torch.inner": ("torch.inner({2,0}, {0})", "torch.inner({2,3,0}, {4,0})"),
    "linalg.vander": (
        "torch.linalg.vander({=[inf, 2.0, -3.0]}, N=2)",
        "torch.linalg.vander({()}, N=4)",
        "torch.linalg.vander({=[1, 2, 20]}.to(torch.uint8))",
        "torch.linalg.vander({=[1, 2, 2000]}.int(), N=4)",
    ),
    "special.i1": ("torch.special.i1({=[1e-200, -1e-40, 3.0]})",),
    "special.i1e": ("torch.special.i1e({=[1e-200, -1e-40, 3.0]})",),
    "torch.slogdet": ("torch.slogdet({=[[nan, 1.0], [2.0, 3.0]]; held})",),
    "torch.lgamma": (
        "torch.lgamma({=[inf, -inf, 0.0, 1.0, 2.0, 0.5]; held})",
        "torch.lgamma({=[1e-310, -2e-310, 5e-324, 1e-40]; held})",
        "torch.lgamma({=[1e-40, -3e-41]; held; f4})",
    ),
    "F.elu": ("F.elu({=[nan, 1.0, -1.0, 0.0]})", "F.elu({=[inf, -inf, nan]}, 0.5)"),
    "F.selu": ("F.selu({=[nan, 1.0, -1.0]})",),
    "torch.celu": ("torch.celu({=[nan, 1.0, -1.0]}, 0.5)",),
    "torch.prelu": ("F.prelu({=[-1.0, 2.0, 3.0]}, {=[inf]})",),
    "F.mse_loss": ("F.mse_loss({2,0}, {2,0})",),
    "F.smooth_l1_loss": ("F.smooth_l1_loss({2,0}, {2,0})",),
    "F.huber_loss": ("F.huber_loss({0}, {0})",),
    "F.binary_cross_entropy": ("F.binary_cross_entropy({0,3}, {0,3})",),
    "linalg.vector_norm": (
        "torch.linalg.vector_norm({=[0.0, 0.0]})",
        "torch.linalg.vector_norm({=[[0.0, 0.0], [3.0, 4.0]]}, 2, 1)",
        "torch.linalg.vector_norm({0,2}, -1, 1)",
        "torch.linalg.vector_norm({2,0}, float('inf'), 0)",
    ),
    "linalg.matrix_norm": tuple(
        f"torch.linalg.matrix_norm({{{shape} held}}, {order})"
        for shape, order in (
            ("2,0", "2"),
            ("0,2", "'nuc'"),
            ("0,0", "float('inf')"),
            ("2,0", "-float('inf')"),
            ("0,2", "-1"),
            ("3,0,2", "1"),
            ("3,0,2", "2"),
            ("0,2,2", "-2"),
        )
    ),
    "torch.index_fill": (
        "torch.index_fill({3}, 0, {=[1, 1, 0]}, {=2.0})",
        "torch.index_fill({3,2}, 1, {=[1, 1]}, {=2.0})",
    ),
    "torch.any": (
        "torch.any({=[2, 0]}.to(torch.uint8))",
        "torch.any({=[[2, 0], [0, 0]]}.to(torch.uint8), 1, keepdim=True)",
    ),
    "torch.all": (
        "torch.all({=[2, 0]}.to(torch.uint8))",
        "torch.all({=[[2, 1], [0, 0]]}.to(torch.uint8), (0, 1))",
    ),
    "torch.cumprod": ("torch.cumprod({=[[nan, inf, -inf]]}, 0)", "torch.cumprod({=inf}, 0)"),
    "linalg.solve_triangular": (
        "torch.linalg.solve_triangular({2,2 f4 up}, {2,2}, upper=True)",
        "torch.linalg.solve_triangular({2,2 up}, {2,2 f4}, upper=True)",
        "torch.linalg.solve_triangular({2,2 up}, {=[[1, 2], [3, 4]]}, upper=True)",
    ),
    "torch.addmv": (
        "torch.addmv({=[1, 2]}, {=[[1, 1], [1, 1]]}, {=[1, 2]}, beta=0.5, alpha=-1.5)",
        "torch.addmv({=[1, 2]}, {=[[1, 1], [1, 1]]}, {=[1, 2]}, beta=True)",
    ),
    "torch.addbmm": ("torch.addbmm({=[[1]]}.int(), {=[[[1]], [[3]]]}.int(), {=[[[1]], [[2]]]}.int())",),
    "torch.baddbmm": ("torch.baddbmm({=[[6]]}, {=[[[1]], [[3]]]}, {=[[[1]], [[2]]]}, beta=0.5)",),
    "torch.trace": (
        "torch.trace({=[[1, 2], [3, 4]]}.to(torch.uint8))",
        "torch.trace({=[]; empty}.to(torch.uint8).view(0, 0))",
    ),
    "torch.einsum": ("torch.einsum('ij->j', {=[[200, 100], [100, 1]]}.to(torch.uint8))",),
    "torch.nanmean": (
        "torch.nanmean({=[nan, nan]})",
        "torch.nanmean({=[[nan, 1.0], [nan, nan]]}, 1)",
    ),
    "F.hardtanh": (
        "F.hardtanh({=[0, 1, 7]}.to(torch.uint8), 0, 2)",
        "1 / F.hardtanh({=[-0.0, 0.0]; held}, 0, 1)",
    ),
    "F.relu6": ("1 / F.relu6({=[-0.0, 0.0, 7.0]; held})",),
    "torch.erfinv": ("1 / torch.erfinv({=[-0.0, 0.0]; held})",),
    "torch.logcumsumexp": ("1 / torch.logcumsumexp({=[-0.0, -0.0]; held}, 0)",),
    "torch.where": ("torch.where({=[1, 0]}.to(torch.uint8), {2}, 3.0)",),
    "F.conv1d": (
        "F.conv1d({2,0,7}, {3,0,3})",
        "F.conv1d({2,0,7}, {3,0,3}, {3}, padding='same')",
        "F.conv1d({0,7}, {3,0,3}, stride=2)",
        "F.conv1d({0,3,7}, {4,3,3}, {4})",
    ),
    "F.conv2d": ("F.conv2d({2,0,5,5}, {3,0,3,3})",),
    "F.conv3d": ("F.conv3d({1,0,3,3,3}, {2,0,2,2,2})",),
    "F.cross_entropy": (
        "F.cross_entropy({2,0 held}, {2,0 held}, label_smoothing=0.1)",
        "F.cross_entropy({2,0}, {2,0}, reduction='sum', label_smoothing=0.1)",
    ),
    "torch.scatter_reduce": (
        "torch.scatter_reduce({3}, 0, {=[]; empty}, {2,0}, 'amax', include_self=False)",
        "torch.scatter_reduce({()}, 0, {=[]; empty}, {0}, 'sum')",
    ),
}
