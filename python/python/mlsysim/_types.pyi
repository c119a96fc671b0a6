"""What may be given where a number or a quantity is meant; for type checkers only."""

from typing import Any, SupportsFloat, SupportsIndex, TypeAlias

import pint.registry

#: A quantity of ``mlsysim.ureg``.
Quantity: TypeAlias = pint.registry.Quantity[float]

#: A quantity of any pint registry, or its text: ``"0.3 ms"``.
QuantityLike: TypeAlias = pint.registry.Quantity[Any] | str

#: A quantity of tokens or of parameters, which may come without its unit.
CountedLike: TypeAlias = QuantityLike | SupportsFloat

#: A whole number, or its text.
CountLike: TypeAlias = pint.registry.Quantity[Any] | str | SupportsIndex

#: A number, or its text.
NumberLike: TypeAlias = pint.registry.Quantity[Any] | str | SupportsFloat
