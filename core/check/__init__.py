"""Whether a gradient is right, by ways that do not use the rules it was made with.

May import core.base, core.engine, core.graph, core.ops.linalg, core.paths, core.report and core.symbolic.
Imported by cli.requests, grammar.by_hand and grammar.session.
"""
