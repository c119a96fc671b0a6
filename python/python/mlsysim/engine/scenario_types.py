"""The scenario types, each a class that is built from keyword inputs.

>>> from mlsysim.engine.scenario_types import TensorParallelSpeedupScenario
>>> scenario = TensorParallelSpeedupScenario(
...     serial_layer_times={"attention": "12 ms", "feed-forward": "18 ms"},
...     tp_size=8,
...     allreduce_time="0.3 ms",
...     layers=80,
... )
>>> scenario.parallel_total
<Quantity(348.0, 'millisecond')>
>>> scenario.variant(tp_size=0)
Traceback (most recent call last):
    ...
mlsysim.errors.ScenarioError: tp_size: a whole number of at least 1 is needed, but `0` was given
"""

from collections import namedtuple

from .. import _mlsysim
from ..definition import Described, class_of, wrap
from ..errors import ScenarioError
from ..values import spelled, to_core

Note = namedtuple("Note", ("outputs", "text"))
Note.__doc__ = "What is remarkable about some outputs, beside their values."


class BaseScenario(Described):
    """What all scenarios share.

    Every scenario takes ``name`` and ``description`` beside its inputs: what the case is, in a few
    words and in a sentence.
    """

    __slots__ = ()
    _texts = ("name", "description")

    def __init__(self, /, **inputs):
        texts = self._taken(inputs, "")
        super().__init__(**inputs)
        if any(texts):
            self._hold(self._core.variant({}, *texts))

    @property
    def name(self):
        """What the case is, in a few words."""
        return self._core.title

    @property
    def description(self):
        """What the case says, in a sentence or two."""
        return self._core.description

    @property
    def notes(self):
        """What is remarkable about the outputs: a list of ``Note(outputs, text)``."""
        return [Note(tuple(outputs), text) for outputs, text in self._core.notes()]

    def variant(self, /, **changes):
        """The same scenario with some inputs changed, through the same checks.

        Raises
        ------
        ScenarioError
            An input is misspelt or wrong.
        """
        texts = self._taken(changes, None)
        changes = {name: to_core(value, name) for name, value in changes.items()}
        return wrap(self._core.variant(changes, *texts))

    def explain(self, output=None, /, *arguments):
        """How ``output`` comes about, down to the inputs and their sources.

        A method takes its ``arguments``: ``explain("sharded", "attention")``. Print the result for
        a tree; its ``data`` is the same tree as nested dicts. Without an ``output`` it is the tuple
        of the explanations of all those that take no arguments.

        Raises
        ------
        ScenarioError
            There is no such output.
        """
        from ..explanation import explain, explain_all

        if output is None and not arguments:
            return explain_all(self._core, type(self)._description["outputs"])
        return explain(self._core, output, arguments)

    def answer(self):
        """Every output as plain data, as ``mlsysim run --output json`` prints it."""
        from json import loads

        return loads(self._core.answer())

    @classmethod
    def _taken(cls, inputs, absent):
        """Takes the name and the description out of ``inputs``."""
        texts = [inputs.pop(text, absent) if text in cls._texts else absent for text in BaseScenario._texts]
        for name, text in zip(BaseScenario._texts, texts, strict=True):
            if text is absent:
                continue
            if not isinstance(text, str):
                raise ScenarioError(f"a text is needed, but `{text!r}` was given", name)
            spelled(text, name)
        return texts


_NAMES = [name for name, family, _, _ in _mlsysim.types() if family == "scenario"]

__all__ = ["BaseScenario", "Note", *_NAMES]


def __getattr__(name):
    if name in _NAMES:
        return class_of(name)
    near = None if name.startswith("_") else _mlsysim.nearest(name, _NAMES)
    hint = f"; did you mean `{near}`?" if near else ""
    raise AttributeError(f"there is no scenario type `{name}`{hint}")


def __dir__():
    # What the module needs for itself is nobody else's.
    return sorted(__all__)
