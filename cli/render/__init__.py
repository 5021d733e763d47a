"""Renderers: functions that turn a report into text. They do not compute gradients.

May import cli.process, core.base, core.derivation, core.paths, core.report and core.symbolic. Imported by
cli.commands, cli.pictures and cli.requests.
"""
