"""Repairs of scripts: each is tried by running the repaired script before it is shown.

The modules here also complete errors and gradient reports with the reasons that the script's text tells.
"""
