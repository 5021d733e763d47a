"""The parts of the graph: op records, nodes, dtypes, recording state, saved values."""
