"""What is recorded: op records, nodes, number types, recording state, saved values."""
