"""Pictures of graphs: cards joined by labelled edges, placed by a layout library and drawn as SVG.

``layout`` alone calls the layout library, ``png`` the one for pixels, ``gif`` the one for animations.
``picture`` decides what stands where, ``svg`` draws it; ``story`` tells a run step by step.

May import cli.process, cli.render, core.base and core.report. Imported by cli.commands.
"""
