"""The story of a run: what was made, how gradients flowed back, and what each path adds.

May import core.base, core.paths and core.report. Imported by core.derivation.
"""
