from . import engine as engine, errors as errors, records as records, solvers as solvers
from .errors import AbsentError as AbsentError, ScenarioError as ScenarioError
from .quantities import Q_ as Q_, ureg as ureg
from .registry import (
    Hardware as Hardware,
    Models as Models,
    Scenarios as Scenarios,
    Systems as Systems,
)

__version__: str
__all__ = [
    "AbsentError",
    "Hardware",
    "Models",
    "Q_",
    "ScenarioError",
    "Scenarios",
    "Systems",
    "ureg",
]
