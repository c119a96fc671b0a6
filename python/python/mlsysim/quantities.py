"""Quantities: pint's, with the vocabulary of units that the Rust core reads too.

Only this module imports pint, and nothing imports this module before a quantity is touched.
"""

from functools import cache

import pint

from . import _mlsysim
from .values import unit_name

# A registry of our own, not pint's application registry: that one belongs to the user's program,
# and whoever set it would lose their units by an import of ours. Pint's pickles look their registry
# up there, so that ours are pickled by the two functions at the end instead.
ureg = pint.UnitRegistry(None)
ureg.load_definitions(_mlsysim.vocabulary().splitlines())
ureg.formatter.default_format = "~P"

Q_ = ureg.Quantity


def quantity(value, unit):
    """The number ``value`` in ``unit``, which is spelled as the core spells units."""
    return Q_(value, parsed(unit))


@cache
def parsed(unit):
    """The unit of ``ureg`` that ``unit`` spells."""
    return ureg.Unit(unit)


def _restore_quantity(magnitude, unit):
    return Q_(magnitude, parsed(unit))


def _reduce_quantity(self):
    return _restore_quantity, (self.magnitude, unit_name(self.units))


def _reduce_unit(self):
    return parsed, (unit_name(self),)


# The classes belong to this one registry, so that no other registry's quantities are affected.
Q_.__reduce__ = _reduce_quantity
ureg.Unit.__reduce__ = _reduce_unit
