"""Renderers: functions from a report to text. They know nothing of graphs or gradients.

May import cli.process, core.base, core.derivation, core.paths, core.report and core.symbolic. Imported by
cli.commands and cli.requests.
"""
