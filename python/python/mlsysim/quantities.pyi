from typing import Any

import pint
import pint.registry

ureg: pint.UnitRegistry[Any]
Q_ = pint.registry.Quantity

def quantity(value: float, unit: str) -> pint.registry.Quantity[float]: ...
def parsed(unit: str) -> pint.Unit: ...
