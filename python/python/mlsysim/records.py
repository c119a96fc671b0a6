"""The records that the registry is made of: hardware, links, models and systems.

>>> from mlsysim.records import Workload
>>> Workload(name="mine", layers=32, hidden_dim=4096, heads=32).head_width
128
"""

from collections import namedtuple

from . import _mlsysim
from .definition import Described, class_of

Source = namedtuple("Source", ("source", "url", "note", "unverified"))
Source.__doc__ = """Where a figure comes from.

``unverified`` is true where nobody has seen the figure in its source.
"""


class Record(Described):
    """What all records share."""

    __slots__ = ()

    def sources(self):
        """Where each figure of an entry comes from: ``Source(source, url, note, unverified)``.

        Empty for a record that no registry holds.
        """
        path = self._core.path
        found = _mlsysim.sources(path) if path else []
        return {figure: Source(*source) for figure, *source in found}


_NAMES = {}
for _name, _family, _, _aliases in _mlsysim.types():
    if _family == "record":
        _NAMES.update(dict.fromkeys((_name, *_aliases), _name))

__all__ = ["Record", "Source", *_NAMES]


def __getattr__(name):
    if name in _NAMES:
        return class_of(_NAMES[name])
    raise AttributeError(f"there is no record type `{name}`")


def __dir__():
    # What the module needs for itself is nobody else's.
    return sorted(__all__)
