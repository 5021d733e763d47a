"""The reference of the public functions: a catalog with examples that are executed."""
