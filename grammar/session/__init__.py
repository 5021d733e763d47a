"""Runs a script, and chooses the subject of a report about it: target, inputs, leaves and passes."""
