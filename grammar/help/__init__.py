"""Explanations of errors: labels, torch's own messages, advice on names from other libraries, syntax."""
