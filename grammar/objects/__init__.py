"""Script values at run time: their attributes, methods, subscripts, operators and namespaces."""
