"""One run of a script, and what a report about it is about: target, inputs, leaves, passes."""
