"""New tensors: from numbers and lists, by a rule, at random."""
