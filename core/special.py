"""The special functions of mathematics, as in ``torch.special``. Names load when they are first used."""

from autodiff.core.interface.names import lazy_names

__getattr__, __dir__ = lazy_names(__name__)
