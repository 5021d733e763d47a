"""Images sampled at the positions of grids, unpooled and shuffled, and distances of rows."""

from ops.generators import spread

MODES = ("bilinear", "nearest", "bicubic")
PADDINGS = ("zeros", "border", "reflection")
GRID = "{1,3,2,2 -1.4..1.4}"

SAMPLES = {
    "F.affine_grid": spread(
        "F.affine_grid",
        *(
            f"F.affine_grid({{{shape}}}, {size}, align_corners={aligned})"
            for shape, size in (("2,2,3", (2, 1, 3, 4)), ("1,2,3", (1, 2, 1, 2)), ("2,3,4", (2, 1, 2, 3, 2)))
            for aligned in (True, False)
        ),
        "F.affine_grid({1,2,3}, [1, 1, 2, 2], False)",
        "F.affine_grid({1,3,4}, [1, 1, 1, 2, 2], True)",
    ),
    "F.grid_sample": spread(
        "F.grid_sample",
        *(
            f"F.grid_sample({{1,2,3,4}}, {GRID}, '{mode}', '{padding}', align_corners={aligned})"
            for mode in MODES
            for padding in PADDINGS
            for aligned in (True, False)
        ),
        *(
            f"F.grid_sample({{2,1,3,2,2}}, {{2,2,1,2,3 -1.3..1.3}}, '{mode}', '{padding}', align_corners=False)"
            for mode in MODES[:2]
            for padding in PADDINGS
        ),
        "F.grid_sample({1,1,3,3}, {1,2,2,2 -3..3}, padding_mode='reflection', align_corners=True)",
        "F.grid_sample({1,1,1,3}, {1,2,2,2 -1..1}, padding_mode='reflection', align_corners=True)",
        "F.grid_sample({1,2,3,3 held}, {1,2,2,2 -1..1}, mode='bicubic', align_corners=False)",
    ),
    "torch.grid_sampler": spread(
        "torch.grid_sampler",
        *(
            f"torch.grid_sampler({{1,2,3,4}}, {GRID}, {mode}, {pad}, False)"
            for mode in range(3)
            for pad in range(3)
        ),
        "torch.grid_sampler({1,1,2,3,2}, {1,2,1,2,3 -1..1}, 0, 0, True)",
    ),
    "torch.grid_sampler_2d": spread(
        "torch.grid_sampler_2d",
        *(
            f"torch.grid_sampler_2d({{1,2,3,4}}, {GRID}, {mode}, {pad}, True)"
            for mode in range(3)
            for pad in range(3)
        ),
        no="keyword",
    ),
    "torch.grid_sampler_3d": spread(
        "torch.grid_sampler_3d",
        *(
            f"torch.grid_sampler_3d({{1,2,2,3,2}}, {{1,2,2,1,3 -1.3..1.3}}, {mode}, {pad}, {aligned})"
            for mode in range(2)
            for pad in range(3)
            for aligned in (True, False)
        ),
        no="keyword",
    ),
    "F.max_unpool1d": spread(
        "F.max_unpool1d",
        "F.max_unpool1d({1,2,2}, torch.tensor([[[0, 3], [1, 2]]]), 2)",
        "F.max_unpool1d({1,2}, torch.tensor([[0, 3]]), 2)",
        "F.max_unpool1d({1,1,2}, torch.tensor([[[0, 3]]]), 2, output_size=(5,))",
        "F.max_unpool1d({1,1,2}, torch.tensor([[[0, 3]]]), 2, stride=2)",
        "F.max_unpool1d({1,1,2}, torch.tensor([[[4, 1]]]), 3, 2, 0)",
        "F.max_unpool1d({1,1,3}, torch.tensor([[[0, 2, 3]]]), 2, 2, 1)",
        "F.max_unpool1d({2,1,2}, torch.tensor([[[0, 3]], [[1, 2]]]), (2,))",
        "F.max_unpool1d(F.max_pool1d({1,1,4}, 2), torch.tensor([[[0, 3]]]), 2)",
        no="E method",
    ),
    "F.max_unpool2d": spread(
        "F.max_unpool2d",
        "F.max_unpool2d({1,1,2,2}, torch.tensor([[[[0, 3], [8, 15]]]]), 2)",
        "F.max_unpool2d({1,2,2}, torch.tensor([[[0, 3], [8, 15]]]), 2)",
        "F.max_unpool2d({1,1,2,2}, torch.tensor([[[[0, 3], [8, 15]]]]), 2, output_size=(5, 5))",
        "F.max_unpool2d({1,1,2,2}, torch.tensor([[[[0, 3], [8, 15]]]]), 2, output_size=(1, 1, 4, 5))",
        "F.max_unpool2d({1,1,2,2}, torch.tensor([[[[5, 6], [9, 10]]]]), (2, 2), (2, 2))",
        "F.max_unpool2d({2,1,1,2}, torch.tensor([[[[0, 3]]], [[[4, 7]]]]), 2)",
        "F.max_unpool2d({1,1,2,2}, torch.tensor([[[[0, 3], [8, 7]]]]), 3, 2, 1)",
        "F.max_unpool2d(F.max_pool2d({1,1,4,4}, 2), torch.tensor([[[[0, 3], [8, 15]]]]), 2)",
        no="E method",
    ),
    "F.max_unpool3d": spread(
        "F.max_unpool3d",
        "F.max_unpool3d({1,1,1,2,2}, torch.tensor([[[[[0, 3], [8, 15]]]]]), 2)",
        "F.max_unpool3d({1,1,2,2}, torch.tensor([[[[0, 3], [8, 15]]]]), 2)",
        "F.max_unpool3d({1,1,1,2,2}, torch.tensor([[[[[16, 3], [24, 31]]]]]), 2)",
        "F.max_unpool3d({1,1,1,1,2}, torch.tensor([[[[[1, 6]]]]]), (2, 2, 2))",
        "F.max_unpool3d({1,1,1,2,2}, torch.tensor([[[[[0, 3], [8, 15]]]]]), 2, output_size=(2, 5, 5))",
        no="E method",
    ),
    "torch.pdist": spread(
        "torch.pdist",
        *(f"torch.pdist({{4,3}}, {p})" for p in ("1.0", "1.5", "2.0", "3.0", "float('inf')", "0.0")),
        "torch.pdist({3,2})",
        "torch.pdist({2,1})",
        "torch.pdist({1,3})",
        "F.pdist({5,2}, p=2.5)",
        "F.pdist({3,4})",
        no="E method",
    ),
    "F.channel_shuffle": spread(
        "F.channel_shuffle",
        "F.channel_shuffle({1,6,2,2}, 3)",
        "F.channel_shuffle({1,6,2,2}, 2)",
        "F.channel_shuffle({2,4,3}, 2)",
        "F.channel_shuffle({1,4,1,2,1}, 4)",
        "torch.channel_shuffle({2,6,1,1}, 3)",
        "F.channel_shuffle({1,3,2,2}, 1)",
        "F.channel_shuffle({0,6,2}, 3)",
        no="keyword",
    ),
    "F.upsample": spread(
        "F.upsample",
        "F.upsample({1,1,2,2}, scale_factor=2)",
        "F.upsample({1,2,3}, 5)",
        "F.upsample({1,1,2,2}, (3, 4), mode='bilinear', align_corners=True)",
        "F.upsample({1,1,2,2}, size=3, mode='bicubic', align_corners=False)",
        "F.upsample({1,1,2,2,1}, scale_factor=2.0)",
        "F.upsample({1,1,3}, scale_factor=1.5, mode='linear', align_corners=False)",
    ),
    "F.upsample_nearest": spread(
        "F.upsample_nearest",
        "F.upsample_nearest({1,1,2,2}, 4)",
        "F.upsample_nearest({1,1,2,2}, scale_factor=2)",
        "F.upsample_nearest({1,2,3}, 5)",
        "F.upsample_nearest({2,1,2,3}, (3, 2))",
        "F.upsample_nearest({1,1,2,2,2}, scale_factor=2)",
        "F.upsample_nearest({1,1,1,1}, 3)",
    ),
    "F.upsample_bilinear": spread(
        "F.upsample_bilinear",
        "F.upsample_bilinear({1,1,2,2}, 4)",
        "F.upsample_bilinear({1,1,2,2}, scale_factor=2)",
        "F.upsample_bilinear({1,2,3,2}, (5, 3))",
        "F.upsample_bilinear({2,1,2,3}, (3, 2))",
        "F.upsample_bilinear({1,1,4,4}, 2)",
        "F.upsample_bilinear({1,1,1,1}, 3)",
    ),
    "Tensor.sum_to_size": [
        "{3,4}.sum_to_size(1, 4)",
        "{3,4}.sum_to_size(4)",
        "{3,4}.sum_to_size((3, 1))",
        "{3,4}.sum_to_size(1)",
        "{3,4}.sum_to_size(3, 4) * 2",
        "{2,3,4}.sum_to_size(3, 1)",
        "{2,3,4}.sum_to_size(1, 3, 1)",
        "{4}.sum_to_size(1)",
        "{3,4 T}.sum_to_size(1, 4)",
        "{3,4 f4}.sum_to_size(4)",
        "{0,4}.sum_to_size(1, 4)",
        "{2,2 R}.sum_to_size(2)",
    ],
    "torch.constant_pad_nd": spread(
        "torch.constant_pad_nd",
        "torch.constant_pad_nd({3,4}, (1, 1))",
        "torch.constant_pad_nd({3,4}, (1, 2, 0, 1), 2.5)",
        "torch.constant_pad_nd({3,4}, [1, -1], 3)",
        "torch.constant_pad_nd({3,4}, (-1, -1, -1, 0))",
        "torch.constant_pad_nd({3}, (0, 2), value=-1.0)",
        "torch.constant_pad_nd({2,2,2}, (1, 0, 0, 1, 1, 1))",
        "torch.constant_pad_nd({3}, ())",
    ),
    "torch.unsafe_chunk": spread(
        "torch.unsafe_chunk",
        "torch.unsafe_chunk({5,2}, 2)",
        "torch.unsafe_chunk({5,2}, 3, 1)",
        "torch.unsafe_chunk({6}, 3)[1]",
        "torch.unsafe_chunk({2,4}, 2, dim=-1)",
        "torch.unsafe_chunk({3}, 1)",
        "torch.unsafe_chunk({2,3}, 5)[1]",
    ),
    "torch.unsafe_split": spread(
        "torch.unsafe_split",
        "torch.unsafe_split({5,2}, 2)",
        "torch.unsafe_split({5,2}, 1, 1)",
        "torch.unsafe_split({6}, 3)[1]",
        "torch.unsafe_split({2,4}, 3, dim=-1)",
        "torch.unsafe_split({3}, 5)",
        "torch.unsafe_split({2,3}, 1)[0]",
    ),
    "torch.unsafe_split_with_sizes": spread(
        "torch.unsafe_split_with_sizes",
        "torch.unsafe_split_with_sizes({5,2}, [2, 3])",
        "torch.unsafe_split_with_sizes({5,2}, (1, 1), 1)",
        "torch.unsafe_split_with_sizes({6}, [1, 2, 3])[2]",
        "torch.unsafe_split_with_sizes({2,4}, [3, 1], dim=-1)",
        "torch.unsafe_split_with_sizes({3}, [3])",
        "torch.unsafe_split_with_sizes({2,3}, [0, 2])[1]",
    ),
    "linalg.diagonal": spread(
        "linalg.diagonal",
        "torch.linalg.diagonal({3,3})",
        "torch.linalg.diagonal({2,3,4})",
        "torch.linalg.diagonal({2,3,4}, offset=1)",
        "torch.linalg.diagonal({2,3,4}, offset=-1, dim1=0, dim2=1)",
        "torch.linalg.diagonal({4,2}, dim1=1, dim2=0)",
        "torch.linalg.diagonal({2,2,2,2}, offset=1)",
        "torch.linalg.diagonal({3,3}, offset=5)",
    ),
}
