"""Fast paths to the same results: tapes, small arrays, loops of numbers, fused elementwise formulas."""
