"""Pictures of graphs: cards joined by labelled edges, placed by a layout library and drawn as SVG.

``layout`` alone calls the layout library, ``picture`` decides what stands where, ``svg`` draws it.

May import cli.process, cli.render and core.base. Imported by cli.commands.
"""
