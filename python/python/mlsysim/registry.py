"""The roots of the registry, such as ``Hardware`` and ``Models``, and ``Scenarios``: by attribute.

>>> from mlsysim import Hardware, Models
>>> Models.Language.GPT3.parameters
<Quantity(1.75e+11, 'param')>
>>> "H100" in Hardware.Cloud
True
>>> Hardware.Cloud.H10
Traceback (most recent call last):
    ...
AttributeError: there is no `H10` in Hardware.Cloud; did you mean `H100`?

Beside entries there are single figures, in groups:

>>> Hardware.Tech.Memory.DRAM.energy_per_byte
<Quantity(160.0, 'picojoule / byte')>
>>> Hardware.Tech.Memory.sources()["DRAM.energy_per_byte"].unverified
True
"""

from functools import cache

from . import _mlsysim
from .definition import Described, wrap
from .values import to_python


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
        # Entries and their groups do not change, so that each has to be found only once. A figure
        # is made anew each time: pint's quantities can be converted in place.
        if isinstance(found, (Namespace, Described)):
            self.__dict__[name] = found
        return found

    def _find(self, name):
        path, below = f"{self._path}.{name}", self._names[name]
        # A group of figures may have a folder of its name beside it.
        if path not in _entries():
            return Namespace(path, below)
        figures = _mlsysim.figures(path)
        return wrap(_mlsysim.entry(path)) if figures is None else Figures(path, figures, below)

    def _unknown(self, name):
        near = _mlsysim.nearest(name, [*self._names])
        hint = f"did you mean `{near}`?" if near else f"`dir({self._path})` lists what there is"
        return f"there is no `{name}` in {self._path}; {hint}"

    def __getitem__(self, name):
        found = self
        for step in name.split("."):
            # Only what the registry holds, no method of the namespace itself.
            if isinstance(found, Namespace) and step not in found:
                raise KeyError(found._unknown(step))
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
        from .html import listing

        return listing(self._path, ((name, self._about(name)) for name in self))

    def _about(self, name):
        path = f"{self._path}.{name}"
        return _mlsysim.about(path) if path in _entries() else ""


class Figures(Namespace):
    """A group of single figures, each a quantity in the unit of its source, a number or a text."""

    def __init__(self, path, figures, folder):
        super().__init__(path, {**figures, **folder})
        #: The figures alone, each with nothing below it; groups of them with theirs.
        self._figures = {name: below for name, below in figures.items() if name not in folder}

    def _find(self, name):
        if name not in self._figures:
            return super()._find(name)
        path, below = f"{self._path}.{name}", self._figures[name]
        return to_python(_mlsysim.figure(path)) if below is None else Figures(path, below, {})

    def sources(self):
        """Where each figure comes from: ``Source(source, url, note, unverified)``."""
        from .records import Source

        return {figure: Source(*source) for figure, *source in _mlsysim.sources(self._path)}

    def __dir__(self):
        return [*self._names, "sources"]

    def _repr_html_(self):
        from .html import figures

        folder = ((name, self._about(name)) for name in self if name not in self._figures)
        return figures(self._path, folder)


class Cases(Namespace):
    """The named cases, which are scenarios with their inputs."""

    def _find(self, name):
        return wrap(_mlsysim.case(name))

    def _repr_html_(self):
        from .html import listing

        return listing(self._path, ((name, self[name].name) for name in self))


@cache
def _entries():
    return frozenset(_mlsysim.paths(""))


def _tree(root):
    names = {}
    for path in _mlsysim.paths(root):
        below = names
        for step in path.split(".")[1:]:
            below = below.setdefault(step, {})
    return names


@cache
def _roots():
    return sorted({path.partition(".")[0] for path in _entries()} | {"Scenarios"})


def __getattr__(name):
    # A root is made when it is first asked for; which there are is for the data to say.
    if name == "__all__":
        return [*_roots()]
    if name == "Scenarios":
        found = Cases(name, dict.fromkeys(_mlsysim.case_names()))
    elif name in _roots():
        found = Namespace(name, _tree(name))
    else:
        near = None if name.startswith("_") else _mlsysim.nearest(name, _roots())
        hint = f"; did you mean `{near}`?" if near else ""
        raise AttributeError(f"the registry has no root `{name}`{hint}")
    globals()[name] = found
    return found


def __dir__():
    return [*_roots()]


def _restore(path):
    root, _, rest = path.partition(".")
    found = globals()[root] if root in globals() else __getattr__(root)
    return found[rest] if rest else found
