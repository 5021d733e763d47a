"""Measurements beside peers. Nothing here is part of the package or of the test suite's verdict."""
