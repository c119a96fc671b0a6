"""The solvers: models of several steps that scenarios share, each with the result that it returns.

>>> from mlsysim import Hardware, Models
>>> from mlsysim.solvers import TensorParallelLayerModel
>>> result = TensorParallelLayerModel().solve(
...     model=Models.Language.GPT3,
...     tp_size=8,
...     tokens=2048,
...     peak_flops="989 TFLOP/s",
...     local_efficiency=0.5,
...     links={"NVLink": Hardware.Cloud.H100.nvlink.bandwidth_per_direction},
... )
>>> round(result.compute_time, 3)
<Quantity(1.887, 'millisecond')>
"""

from . import _mlsysim
from .definition import Described, class_of, wrap
from .values import to_core


class Solver:
    """What all solvers share."""

    __slots__ = ()

    def __eq__(self, other):
        return type(self) is type(other)

    def __hash__(self):
        return hash(type(self))

    def __repr__(self):
        return f"{type(self).__name__}()"


class SolverResult(Described):
    """What all results share: an attribute for each output of the solver."""

    __slots__ = ()

    def __init__(self, /, **inputs):
        raise TypeError(f"a {type(self).__name__} is what a solver returns; it cannot be built by hand")

    def explain(self, output=None, /):
        """How ``output`` comes about, down to the inputs and their sources.

        Without an ``output`` it is the tuple of the explanations of all that take no arguments.

        Raises
        ------
        ScenarioError
            There is no such output.
        """
        from .explanation import explain, explain_all

        if output is None:
            # The fields of a result are its solver's outputs.
            return explain_all(self._core, type(self)._description["fields"])
        return explain(self._core, output, ())


_RESULTS = {name: result for name, family, result, _ in _mlsysim.types() if family == "solver"}
_SOLVERS = {}

_NAMES = [*_RESULTS, *_RESULTS.values()]

__all__ = ["Solver", "SolverResult", *_NAMES]


def solver_of(result):
    """The name of the solver that returns ``result``, if one does."""
    return next((solver for solver, returned in _RESULTS.items() if returned == result), None)


def __getattr__(name):
    if name in _RESULTS:
        if name not in _SOLVERS:
            _SOLVERS[name] = _make(name)
        return _SOLVERS[name]
    if name in _RESULTS.values():
        return class_of(name)
    near = None if name.startswith("_") else _mlsysim.nearest(name, _NAMES)
    hint = f"; did you mean `{near}`?" if near else ""
    raise AttributeError(f"there is no solver `{name}`{hint}")


def __dir__():
    # What the module needs for itself is nobody else's.
    return sorted(__all__)


def _make(name):
    from .docs import of_class
    from .signature import bind, of_method

    description = _mlsysim.describe(name)
    fields = description["fields"]

    def solve(self, /, *args, **kwargs):
        given = bind(name, fields, args, kwargs)
        core = _mlsysim.Instance(name, {field: to_core(value, field) for field, value in given.items()})
        return wrap(core.read("solve"))

    solve.__qualname__ = f"{name}.solve"
    solve.__doc__ = f"Every output for these inputs, as a ``{_RESULTS[name]}``."
    solve.__signature__ = of_method(fields, _RESULTS[name])
    namespace = {
        "__slots__": (),
        "__module__": __name__,
        "__qualname__": name,
        "__doc__": of_class(description),
        "solve": solve,
    }
    return type(name, (Solver,), namespace)
