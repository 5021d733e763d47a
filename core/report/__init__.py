"""What can be said about a gradient, as plain data."""
