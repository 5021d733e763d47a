"""The reference of functions: a catalog with examples that run."""
