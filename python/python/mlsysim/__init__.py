"""First-principles modelling of machine-learning systems.

mlsysim says, before anyone rents a GPU, how long a training step, a token or a run takes, how much
memory, money and energy it needs, what binds it and why. Every number carries its unit, the
equation that made it, the inputs and their sources.

A *scenario* is built from keyword inputs, and its outputs are attributes:

>>> from mlsysim import Scenarios
>>> case = Scenarios.Llama2_70BPrefillTensorParallel8
>>> case.parallel_layer_time
<Quantity(4.35, 'millisecond')>
>>> case.variant(tp_size=4).speedup < case.speedup
True

The *registry* holds hardware, models and systems, each figure with its source:

>>> from mlsysim import Hardware
>>> Hardware.Cloud.H100.nvlink.bandwidth_per_direction
<Quantity(450.0, 'gigabyte / second')>
>>> Hardware.Cloud.H100.sources()["memory.bandwidth"].unverified
False

A *model* is read from its own configuration, and counted exactly, whole or on a rank of a layout:

>>> from mlsysim import Model
>>> Model.named("Llama3_70B").account("tp=8,pp=4,dp=16").parameters["mlp"]
1761607680

And it is *predicted* how long its steps take, with an interval:

>>> from mlsysim import predict
>>> step = predict("Llama3_8B", on="DGX_H100", layout="tp=8,sp", batch=8)
>>> step.bound < step.low < step.time < step.high
True

The best way to train a model on a machine is *planned*, and how far tensor parallelism pays is told:

>>> from mlsysim import plan, tp
>>> plan("Llama3_8B", on="DGX_H100", batch=64, sequence=8192).best.devices
8
>>> 1 < tp("Llama3_70B", on="DGX_H100", prefill=2048)[8].speed_up < 8
True

And every number explains itself: ``print(case.explain("speedup"))``.

Quantities are those of ``mlsysim.ureg``, a pint registry in which a byte, a FLOP, a parameter, a
token and a dollar are dimensions of their own. A wrong input is refused with ``ScenarioError``,
which is a ``ValueError``.
"""

# Nothing is imported until somebody asks for it: not the extension, and above all not pint, whose
# import takes longer than all the rest.
_HOMES = {
    "AbsentError": "errors",
    "Account": "accounts",
    "Degrees": "degrees",
    "Fit": "measurements",
    "Model": "accounting",
    "Plan": "plans",
    "Prediction": "predictions",
    "Q_": "quantities",
    "ScenarioError": "errors",
    "StatedDegrees": "degrees",
    "Validation": "measurements",
    "__version__": "_mlsysim",
    "account": "accounting",
    "calibrate": "measurements",
    "plan": "plans",
    "predict": "predictions",
    "tp": "degrees",
    "ureg": "quantities",
    "validate": "measurements",
}
_MODULES = ("engine", "errors", "records", "solvers")


def __getattr__(name):
    from importlib import import_module

    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    if name == "__all__":
        return sorted([*(home for home in _HOMES if home != "__version__"), *_roots()])
    home = _HOMES.get(name)
    # The roots of the registry are for the registry to list. They alone begin with a capital, so
    # that it is not loaded in search of a module.
    if home is None and name[:1].isupper() and name in _roots():
        home = "registry"
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__():
    return sorted({*_HOMES, *_MODULES, *_roots()})


def _roots():
    from .registry import __all__

    return __all__
