"""``Hardware``, ``Models``, ``Systems`` and ``Scenarios``: what the registry holds, by attribute.

>>> from mlsysim import Hardware, Models
>>> Models.Language.GPT3.parameters
<Quantity(1.75e+11, 'param')>
>>> "H100" in Hardware.Cloud
True
>>> Hardware.Cloud.H10
Traceback (most recent call last):
    ...
AttributeError: there is no `H10` in Hardware.Cloud; did you mean `H100`?
"""

from . import _mlsysim
from .definition import wrap


class Namespace:
    """A part of the registry: its groups and entries are attributes.

    It can be iterated by name, indexed by name or dotted path, and asked whether it has a name.
    """

    def __init__(self, path, names):
        self._path = path
        #: The names below, each with the names below it; nothing below an entry.
        self._names = names

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self._names:
            raise AttributeError(self._unknown(name))
        found = self._find(name)
        # Entries do not change, so that each has to be found only once.
        self.__dict__[name] = found
        return found

    def _find(self, name):
        below = self._names[name]
        path = f"{self._path}.{name}"
        return Namespace(path, below) if below else wrap(_mlsysim.entry(path))

    def _unknown(self, name):
        near = _mlsysim.nearest(name, [*self._names])
        hint = f"did you mean `{near}`?" if near else f"`dir({self._path})` lists what there is"
        return f"there is no `{name}` in {self._path}; {hint}"

    def __getitem__(self, name):
        found = self
        for step in name.split("."):
            try:
                found = getattr(found, step)
            except AttributeError as error:
                raise KeyError(str(error)) from None
        return found

    def __contains__(self, name):
        return name in self._names

    def __iter__(self):
        return iter(self._names)

    def __len__(self):
        return len(self._names)

    def __dir__(self):
        return [*self._names]

    def __repr__(self):
        return f"<{self._path}: {', '.join(self._names)}>"

    def __reduce__(self):
        return _restore, (self._path,)

    def _repr_html_(self):
        from html import escape

        def about(name):
            return "" if self._names[name] else escape(_mlsysim.about(f"{self._path}.{name}"))

        rows = "".join(f"<tr><td>{escape(name)}</td><td>{about(name)}</td></tr>" for name in self)
        return f"<table><caption><b>{escape(self._path)}</b></caption><tbody>{rows}</tbody></table>"


class Cases(Namespace):
    """The named cases, which are scenarios with their inputs."""

    def _find(self, name):
        return wrap(_mlsysim.case(name))

    def _repr_html_(self):
        from html import escape

        rows = "".join(f"<tr><td>{escape(name)}</td><td>{escape(self[name].name)}</td></tr>" for name in self)
        return f"<table><caption><b>Scenarios</b></caption><tbody>{rows}</tbody></table>"


def _tree(prefix):
    names = {}
    for path in _mlsysim.paths(prefix):
        below = names
        for step in path.split(".")[1:]:
            below = below.setdefault(step, {})
    return names


Hardware = Namespace("Hardware", _tree("Hardware"))
Models = Namespace("Models", _tree("Models"))
Systems = Namespace("Systems", _tree("Systems"))
Scenarios = Cases("Scenarios", dict.fromkeys(_mlsysim.case_names()))


def _restore(path):
    root, _, rest = path.partition(".")
    found = globals()[root]
    return found[rest] if rest else found
