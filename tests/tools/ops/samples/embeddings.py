"""Sums and means of rows of a table."""

from ops.generators import spread

SAMPLES = {
    "F.embedding_bag": spread(
        "F.embedding_bag",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='sum')",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='sum', padding_idx=0)",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='sum', padding_idx=4)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 2, 2, 3]}, mode='sum', include_last_offset=False)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 2, 2, 5]}, mode='sum', include_last_offset=True)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0]}, mode='sum', include_last_offset=False)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 5]}, mode='sum', include_last_offset=True)",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='mean')",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='mean', padding_idx=0)",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='mean', padding_idx=4)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 2, 2, 3]}, mode='mean', include_last_offset=False)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 2, 2, 5]}, mode='mean', include_last_offset=True)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0]}, mode='mean', include_last_offset=False)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 5]}, mode='mean', include_last_offset=True)",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='max')",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='max', padding_idx=0)",
        "F.embedding_bag({=[[0, 2], [4, 4], [1, 0]]}, {5,3}, mode='max', padding_idx=4)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 2, 2, 3]}, mode='max', include_last_offset=False)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 2, 2, 5]}, mode='max', include_last_offset=True)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0]}, mode='max', include_last_offset=False)",
        "F.embedding_bag({=[0, 2, 1, 1, 4]}, {5,3}, {=[0, 5]}, mode='max', include_last_offset=True)",
    ),
}
