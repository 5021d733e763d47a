"""What neural networks are made of: ``functional`` has the functions of ``torch.nn.functional``.

May import core.interface. Imported by nothing: it is for Python programs.
"""
