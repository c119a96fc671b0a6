"""Groups of single figures, and the roots of the registry."""

import pickle
from typing import Any

import pytest
from pint.registry import Quantity

import mlsysim
from mlsysim import Agents, Datasets, Hardware, Infrastructure, Literature, Ops, ReferenceStats, Systems, _mlsysim

MEMORY = Hardware.Tech.Memory


def test_a_figure_is_a_quantity_in_its_written_unit() -> None:
    assert repr(MEMORY.DRAM.energy_per_byte) == "<Quantity(160.0, 'picojoule / byte')>"
    assert str(Systems.SwitchFabric.AlphaNdr) == "1.5 µs"
    # One that refers to another figure is that figure.
    assert ReferenceStats.ServingProfiles.H100VendorMemoryBudget == Hardware.Cloud.H100.memory.capacity


def test_numbers_and_texts_stay_what_they_are() -> None:
    assert type(Systems.SwitchFabric.NdrSwitchPorts) is int
    assert type(Systems.Reliability.SdcRatePerGpuHr) is float
    assert Datasets.MNIST.name == "MNIST"
    assert type(Agents.Support.CustomerOps.archetype) is str


def test_a_group_is_a_namespace() -> None:
    assert list(MEMORY) == dir(MEMORY)[:-1] == ["DRAM"]
    assert "sources" in dir(MEMORY)
    assert "sources" not in MEMORY
    assert "DRAM" in MEMORY
    assert len(MEMORY.DRAM) == 2
    assert MEMORY["DRAM.energy_per_byte"] == Hardware["Tech.Memory.DRAM"].energy_per_byte
    assert repr(MEMORY) == "<Hardware.Tech.Memory: DRAM>"
    assert Hardware.Tech.Memory is MEMORY
    for way in ("sources", "DRAM.energy_per_bite", "_path"):
        with pytest.raises(KeyError):
            MEMORY[way]
    untyped: Any = MEMORY
    with pytest.raises(AttributeError, match="no `energy_per_bite` in Hardware.Tech.Memory.DRAM; did you mean"):
        untyped.DRAM.energy_per_bite
    with pytest.raises(AttributeError, match="no `SRAM` in Hardware.Tech.Memory; did you mean `DRAM`"):
        untyped.SRAM


def test_a_figure_cannot_be_changed_for_others() -> None:
    Systems.SwitchFabric.AlphaNdr.ito("s")
    assert str(Systems.SwitchFabric.AlphaNdr) == "1.5 µs"


def test_a_group_may_be_a_folder_too() -> None:
    reliability = Systems.Reliability
    assert repr(reliability.Gpu) == "Systems.Reliability.Gpu"
    assert {"Gpu", "SdcRatePerGpuHr"} <= set(reliability)
    assert "SdcRatePerGpuHr" in reliability.sources()
    assert "Gpu" not in reliability.sources()
    html = reliability._repr_html_()
    assert "<td>SdcRatePerGpuHr</td><td>1e-6</td>" in html
    assert "<td>Gpu</td><td></td><td>A GPU in steady operation.</td>" in html


def test_figures_have_sources() -> None:
    source = MEMORY.sources()["DRAM.energy_per_byte"]
    assert source == MEMORY.DRAM.sources()["energy_per_byte"]
    assert source.unverified
    assert str(source.url).startswith("https://")
    html = MEMORY._repr_html_()
    assert "<td>DRAM.energy_per_byte</td><td>160 pJ/B</td>" in html
    assert f'<a href="{source.url}">' in html
    assert "[unverified]" in html
    assert "<td>Memory</td><td>Energy of an access to memory" in Hardware.Tech._repr_html_()


@pytest.mark.parametrize("group", [MEMORY, MEMORY.DRAM, Systems.Reliability, Literature], ids=repr)
def test_groups_are_pickled_by_path(group: object) -> None:
    assert pickle.loads(pickle.dumps(group)) is group


def test_every_root_can_be_imported() -> None:
    roots = {path.partition(".")[0] for path in _mlsysim.paths("")}
    assert roots >= {"Hardware", "Models", "Systems", "Literature", "ReferenceStats", "Infrastructure", "Ops", "Datasets"}
    for root in roots:
        assert root in mlsysim.__all__
        assert root in dir(mlsysim)
        assert len(getattr(mlsysim, root)) > 0
    everything: dict[str, Any] = {}
    exec("from mlsysim import *", everything)
    assert everything["Infrastructure"] is Infrastructure
    assert everything["Ops"] is Ops
    assert {*mlsysim.__all__} <= {*everything}


def test_every_path_of_the_registry_leads_to_what_stands_there() -> None:
    def leaves(found: Any, path: str) -> None:
        for name in found:
            below = f"{path}.{name}"
            reached = found[name]
            if hasattr(type(reached), "sources"):
                # A record, or a group of figures: each of its figures has a source.
                reached.sources()
            if hasattr(type(reached), "__iter__") and not isinstance(reached, (str, list, dict, Quantity)):
                seen.add(below)
                leaves(reached, below)
            else:
                assert reached is not None, below
                seen.add(below)

    paths = set(_mlsysim.paths(""))
    seen: set[str] = set()
    for root in {path.partition(".")[0] for path in paths}:
        leaves(getattr(mlsysim, root), root)
    assert paths <= seen


def test_no_name_hides_a_method() -> None:
    named = {step for path in _mlsysim.paths("") for step in path.split(".")}
    for path in _mlsysim.paths(""):
        named |= set(_mlsysim.figures(path) or ())
    assert named.isdisjoint({*dir(type), "sources", "_path", "_names", "_figures"})
