"""Activations, layers and losses as functions, as in ``torch.nn.functional``. Names load on first use."""

from autodiff.core.interface.names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
