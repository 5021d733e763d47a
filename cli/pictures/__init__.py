"""Pictures of graphs: cards joined by labelled edges, placed by a layout library and drawn as SVG.

``layout`` alone calls the layout library, ``png`` the one for pixels, ``gif`` the one for animations.
``columns`` cuts tall layouts, ``picture`` decides what is placed where, ``svg`` draws it. ``story`` describes
a run step by step, ``page`` plays it with derivations in ``mathml``. ``axes`` measures a curve, which
``curve_picture`` draws as SVG and ``chart``, with the library for characters, on a terminal.

May import cli.process, cli.render, core.base, core.report and core.symbolic. Imported by cli.commands.
"""
