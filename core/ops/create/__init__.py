"""New tensors: from numbers and lists, filled, evenly spaced or random."""
