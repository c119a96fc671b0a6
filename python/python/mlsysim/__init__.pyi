from . import engine as engine, errors as errors, records as records, registry, solvers as solvers
from .accounting import Model as Model, account as account
from .accounts import Account as Account
from .degrees import Degrees as Degrees, StatedDegrees as StatedDegrees, tp as tp
from .errors import AbsentError as AbsentError, ScenarioError as ScenarioError
from .measurements import Fit as Fit, Validation as Validation, calibrate as calibrate, validate as validate
from .plans import Plan as Plan, plan as plan
from .predictions import Prediction as Prediction, predict as predict
from .quantities import Q_ as Q_, ureg as ureg
from .registry import *

__version__: str
__all__ = [
    "AbsentError",
    "Account",
    "Degrees",
    "Fit",
    "Model",
    "Plan",
    "Prediction",
    "Q_",
    "ScenarioError",
    "StatedDegrees",
    "Validation",
    "account",
    "calibrate",
    "plan",
    "predict",
    "tp",
    "ureg",
    "validate",
]
# The data says which roots there are.
__all__ += registry.__all__
