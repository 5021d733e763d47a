"""One module per command: read options, call one function, hand the report to a renderer."""
