"""Exact accounting of Transformers: from a configuration to parameters, FLOPs and bytes on a rank.

>>> from mlsysim import Model
>>> model = Model.named("Llama3_70B")
>>> model.total
70553706496
>>> account = model.account(tp=8, pp=4, dp=16, sp=True, batch=512, sequence=8192)
>>> account.parameters["total"]
2270765056
>>> account.flops["forward"]["mlp"].to("TFLOP")
<Quantity(923.589767, 'teraFLOP')>
>>> print(account.explain("sent.pp"))  # doctest: +ELLIPSIS
sent.pp = 536870912 B  [exact]
...

With ``on`` the step is placed on a machine, and the account says whether it fits:

>>> serving = model.account(tp=8, decode=64, context=8192, on="DGX_H100")
>>> serving.fits
True
>>> serving.bound["binds"]
'memory'
"""

from __future__ import annotations

from . import _mlsysim
from .accounts import PLACE, STEP, Account, Fixed, accounted, check_names, chosen, layout_of
from .errors import ScenarioError
from .values import to_core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any, Self, TypeAlias

    from ._types import CountLike
    from .records import Fleet, NetworkFabric, Node, Workload

    #: A configuration: its file or folder, its text, or what the text says.
    Configuration: TypeAlias = str | PathLike[str] | Mapping[str, Any]


class Model(Fixed):
    """A Transformer, as its configuration describes it.

    ``Model.from_config`` reads a configuration, ``Model.named`` finds a model of the registry.
    """

    __slots__ = ()
    _core: _mlsysim.Transformer

    def __init__(self) -> None:
        raise TypeError("write Model.from_config(…) or Model.named(…)")

    @classmethod
    def from_config(cls, config: Configuration, /) -> Self:
        """The model that a configuration describes.

        ``config`` is the path of a ``config.json`` or ``params.json``, or of a folder with one; the
        text of such a file, which begins with a brace; or the dict that the text is of.

        Raises
        ------
        ScenarioError
            The file cannot be read, is no configuration, or describes what is not modelled.
        """
        from .configuration import text_of

        text, name, place = text_of(config)
        try:
            core = _mlsysim.Transformer.from_config(text, name)
        except ScenarioError as error:
            if not place:
                raise
            raise ScenarioError(f"{place}: {error}", None, error.kind) from None
        return cls._of(core, "from_config", text, name)

    @classmethod
    def named(cls, model: str | Workload, /) -> Self:
        """A model of the registry, by its path (``"Llama3_70B"``) or as the object itself.

        Raises
        ------
        ScenarioError
            There is no such model, or its architecture is not published.
        """
        core = to_core(model, "model")
        if isinstance(core, str):
            return cls._of(_mlsysim.Transformer.named(core), "named", core)
        if isinstance(core, _mlsysim.Instance):
            return cls._of(_mlsysim.Transformer.of(core), "of", core)
        raise ScenarioError(f"a model of the registry is needed, but `{model!r}` was given", "model")

    @classmethod
    def _of(cls, core: _mlsysim.Transformer, *made: Any) -> Self:
        return cls.__new__(cls)._hold(core, _model_again, *made)

    def summary(self) -> dict[str, Any]:
        """What is counted of the model alone, as ``mlsysim import -o json`` prints it."""
        told: dict[str, Any] = self._core.summary()
        return told

    @property
    def name(self) -> str:
        """What the model is called: by the registry, or after its file."""
        return self._core.name

    @property
    def model_type(self) -> str:
        """The family that its configuration names."""
        return str(self.summary()["model_type"])

    @property
    def parameters(self) -> dict[str, int]:
        """The parameters of each part, with their ``total`` and those ``active`` for a token."""
        return dict(self.summary()["parameters"])

    @property
    def total(self) -> int:
        """All parameters; a weight that is used twice counts once."""
        return self.parameters["total"]

    @property
    def active(self) -> int:
        """The parameters that a token passes: all, except experts that it is not sent to."""
        return self.parameters["active"]

    @property
    def kv_bytes_per_token(self) -> int:
        """The bytes that a token leaves in the KV cache, at two bytes a number."""
        return int(self.summary()["kv_bytes_per_token"])

    @property
    def layers(self) -> int:
        """How many layers it has."""
        return int(self.summary()["layers"])

    @property
    def hidden(self) -> int:
        """The width of the activations between layers."""
        return int(self.summary()["hidden"])

    @property
    def vocabulary(self) -> int:
        """The entries of its vocabulary."""
        return int(self.summary()["vocabulary"])

    @property
    def notes(self) -> list[str]:
        """What the reader of the counts should know."""
        return list(self.summary()["notes"])

    def account(
        self,
        layout: str | Mapping[str, Any] | None = None,
        *,
        batch: CountLike | None = None,
        sequence: CountLike | None = None,
        micro_batch: CountLike | None = None,
        recompute: str | None = None,
        precision: str | None = None,
        gradients: str | None = None,
        kv_precision: str | None = None,
        prefill: CountLike | None = None,
        decode: CountLike | None = None,
        context: CountLike | None = None,
        stage: CountLike | None = None,
        on: str | Fleet | Node | None = None,
        nodes: CountLike | None = None,
        fabric: str | NetworkFabric | None = None,
        wiring: str | Mapping[str, Any] | None = None,
        state: Mapping[str, Any] | None = None,
        memory: Mapping[str, Any] | None = None,
        **degrees: Any,
    ) -> Account:
        """What one rank of a layout holds, computes, moves and sends in a step.

        The layout is a text (``"tp=8,pp=4,dp=16,sp"``), a dict, or degrees by name; without any it
        is one device; ``order`` (``"tp-cp-ep-dp-pp"``) says which of its groups are next to each other on
        devices. The step is one of training unless ``prefill`` gives the tokens of a prompt,
        or ``decode`` the sequences that each get one token more; ``context`` is what each has in
        the KV cache already. A step has one sequence for each replica where ``batch`` is left out,
        of 4,096 tokens or the model's context if that is shorter. ``stage`` counts from 0; without
        it, it is the one with most parameters, or on a machine the slowest one.

        ``on`` is a cluster of the registry (``"Training_512_H100"``) or a server (``"DGX_H100"``), of
        which there are ``nodes`` on the network ``fabric``; ``wiring`` says how, where that is not what
        the registry says: ``"ports=4,oversubscription=2,rail_domains=32"``; ``state`` has figures of its devices,
        links and network where the registry has others or none: ``{"peak.bf16": "989 TFLOP/s",
        "memory.capacity": "80 GiB"}``. The account then has a ``machine``,
        ``memory``, ``groups`` and a ``bound``, and says whether it ``fits``. ``memory`` is how the
        framework uses the devices: ``optimizer``, ``schedule``, ``fused_attention``,
        ``recompute_layers``, ``cache_block``, ``framework`` (a size), ``fragmentation`` and what else
        a memory policy has.

        Raises
        ------
        ScenarioError
            A degree or an input is wrong, the model does not divide as the layout wants, or the
            machine lacks a network or a precision that the step needs.
        """
        names = (*STEP, "stage", *PLACE)
        question = chosen(locals(), *names)
        check_names(degrees, names, "an account")
        return _account(self, layout_of(layout, degrees), question)

    def __repr__(self) -> str:
        return f"<Model {self._title()}: {self.total:,} parameters>"

    def _repr_html_(self) -> str:
        from .html import counts

        parts = {part: count for part, count in self.parameters.items() if count}
        parts["total"], parts["active"] = parts.pop("total"), parts.pop("active")
        return counts(self._title(), parts, self.notes)

    def _title(self) -> str:
        return f"{self.name} ({self.model_type})" if self.name else self.model_type


def account(
    model: Model | Workload | Configuration, layout: str | Mapping[str, Any] | None = None, **question: Any
) -> Account:
    """The account of a step of ``model``: a ``Model``, one of the registry, or a configuration.

    What else can be given, and what it means, is that of ``Model.account``. A text is the path of a
    model in the registry if there is one, else that of a file or the text of a configuration.

    >>> from mlsysim import Models, account
    >>> account(Models.Language.Llama3_8B, tp=2, decode=8, context=1024)
    <Account of Llama-3.1-8B, decode on 2 devices: stage 0 with 32 layers, 4,015,263,744 parameters a rank>
    """
    return model_of(model).account(layout, **question)


def model_of(model: Any) -> Model:
    if isinstance(model, Model):
        return model
    if hasattr(model, "_core"):
        return Model.named(model)
    if isinstance(model, str):
        from .configuration import is_elsewhere

        if not is_elsewhere(model):
            return Model.named(model)
    return Model.from_config(model)


def _account(model: Model, layout: Any, question: dict[str, Any]) -> Account:
    core = accounted(model._core, layout, question)
    return Account.__new__(Account)._hold(core, _account, model, layout, question)


def _model_again(how: str, *made: Any) -> Model:
    return Model._of(getattr(_mlsysim.Transformer, how)(*made), how, *made)
