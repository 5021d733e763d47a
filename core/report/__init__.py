"""Reports about gradients as plain data classes, without any formatting."""
