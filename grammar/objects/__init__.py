"""What the values of a script can do: attributes, methods, subscripts, operators, namespaces."""
