"""Equality, hashes, copies, pickles and representations."""

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import pint
import pytest

import mlsysim
from mlsysim import Hardware, Models, Scenarios, Systems
from mlsysim.engine.scenario_types import TensorParallelSpeedupScenario
from mlsysim.records import Workload
from mlsysim.solvers import TensorParallelLayerModel

Inputs = dict[str, Any]

LAYER = Scenarios.Gpt3TensorParallelLayerTp8
MINE = Workload(name="mine", layers=2, hidden_dim=64, heads=8, parameters="0.123456789012345678e9 param")


def objects() -> Iterator[Any]:
    yield Scenarios.Llama2_70BPrefillTensorParallel8
    yield Scenarios.Llama2_70BPrefillTensorParallel8.variant(allreduce_time="0.1234567890123456789 µs", name="mine")
    yield LAYER
    yield LAYER.result
    yield LAYER.workload
    yield LAYER.variant(workload=MINE)
    yield LAYER.variant(workload=MINE).workload
    yield LAYER.variant(workload={"name": "inline", "layers": 2, "hidden_dim": 64, "heads": 8, "parameters": 1}).result
    yield MINE
    yield Hardware
    yield Hardware.Cloud
    yield Hardware.Tech.Memory
    yield Systems.Reliability
    yield Systems.Reliability.Gpu
    yield Systems.SwitchFabric.AlphaNdr
    yield Hardware.Cloud.H100
    yield Hardware.Cloud.H100.memory
    yield Systems.Nodes.DGX_H100.accelerator
    yield TensorParallelLayerModel()
    yield TensorParallelLayerModel().solve(LAYER.workload, 8, 2048, "989 TFLOP/s", 0.5, LAYER.links)
    yield LAYER.result.compute_time
    yield Models.Language.GPT3.parameters
    yield Hardware.Cloud.H100.memory.bandwidth.units
    yield LAYER.links


@pytest.mark.parametrize("given", list(objects()), ids=lambda given: repr(given)[:40])
def test_pickles_and_copies(given: object) -> None:
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        again = pickle.loads(pickle.dumps(given, protocol))
        assert type(again) is type(given)
        # A namespace is known by its path, everything else by its value.
        assert again == given or (repr(again) == repr(given) and again is given)
        assert repr(again) == repr(given)
    for copied in (copy.copy(given), copy.deepcopy(given)):
        assert copied == given or copied is given


def test_a_pickle_keeps_what_was_written() -> None:
    case = Scenarios.Llama2_70BPrefillTensorParallel8.variant(
        allreduce_time="300 µs", name="my case", description="with slow links"
    )
    again = pickle.loads(pickle.dumps(case))
    assert (again.name, again.description) == ("my case", "with slow links")
    assert str(again.allreduce_time) == "300.0 µs"
    assert again.answer() == case.answer()
    explained = str(case.explain("speedup"))
    assert str(again.explain("speedup")) == explained
    # What the variant changed is not from where the named case has its inputs, nor in a variant of
    # what came out of the pickle.
    assert "source: given" in explained
    assert "source: given" not in str(Scenarios.Llama2_70BPrefillTensorParallel8.explain("speedup"))
    of_variant = str(again.variant(name="another").explain("speedup"))
    assert of_variant == explained
    of_map = LAYER.variant(links={**LAYER.links, "NVLink": "1 TB/s"})
    assert str(pickle.loads(pickle.dumps(of_map)).explain("result")) == str(of_map.explain("result"))


def test_pickled_quantities_are_ours_again() -> None:
    of_application: Any = pint.get_application_registry
    users = of_application().get()
    time = pickle.loads(pickle.dumps(LAYER.result.compute_time))
    assert time + LAYER.result.compute_time == 2 * LAYER.result.compute_time
    # Nobody's application registry was touched on the way.
    assert of_application().get() is users
    foreign: Any = pint.UnitRegistry()
    assert foreign.Quantity.__reduce__ is not mlsysim.ureg.Quantity.__reduce__


def test_equality_is_by_type_and_value(speedup_inputs: Inputs) -> None:
    case = TensorParallelSpeedupScenario(**speedup_inputs, name="mine")
    other = TensorParallelSpeedupScenario(**speedup_inputs | {"allreduce_time": "0.0003 s"})
    assert case == other == Scenarios.Llama2_70BPrefillTensorParallel8
    assert hash(case) == hash(other)
    assert len({case, other, case.variant(tp_size=4)}) == 2
    assert case != case.variant(tp_size=4)
    assert case != LAYER
    assert case != "case"
    turned = speedup_inputs | {"serial_layer_times": {"feed-forward": "18 ms", "attention": "12 ms"}}
    assert hash(TensorParallelSpeedupScenario(**turned)) == hash(case)
    assert TensorParallelSpeedupScenario(**turned) == case


def test_named_cases_and_entries_are_found_once() -> None:
    assert Scenarios.Gpt3TensorParallelLayerTp8 is LAYER
    assert Hardware.Cloud.H100 is Hardware.Cloud["H100"] is Hardware["Cloud.H100"]


def test_representations(speedup_inputs: Inputs) -> None:
    case = TensorParallelSpeedupScenario(**speedup_inputs, name="mine")
    assert repr(case) == (
        "TensorParallelSpeedupScenario(name='mine', "
        "serial_layer_times={'attention': '12 ms', 'feed-forward': '18 ms'}, "
        "tp_size=8, allreduce_time='0.3 ms', layers=80)"
    )
    assert eval(repr(case)) == case
    assert repr(LAYER) == "Scenarios.Gpt3TensorParallelLayerTp8"
    assert eval(repr(LAYER)) is LAYER
    changed = LAYER.variant(tp_size=4)
    assert "workload=Models.Language.GPT3, tp_size=4, tokens=2048, accelerator=Hardware.Cloud.H100" in repr(changed)
    assert repr(LAYER.accelerator) == "Hardware.Cloud.H100"
    assert repr(LAYER.accelerator.memory) == "Hardware.Cloud.H100.memory"
    assert repr(TensorParallelLayerModel()) == "TensorParallelLayerModel()"
    assert repr(Systems) == f"<Systems: {', '.join(Systems)}>"
    assert {"Fabrics", "Nodes"} <= set(Systems)


def test_html(speedup_inputs: Inputs) -> None:
    case = TensorParallelSpeedupScenario(**speedup_inputs, name="a <b> & c", description="what it says")
    html = case._repr_html_()
    assert "a &lt;b&gt; &amp; c" in html
    assert "what it says" in html
    assert "<td>allreduce_time</td><td>0.3 ms</td>" in html
    assert "<td>speedup</td><td>6.89655</td>" in html
    assert "<td>result.compute_time</td><td>1.88743 ms</td>" in LAYER._repr_html_()
    assert "needs the input `head_dim`" in Models.Vision.ResNet50._repr_html_()
    assert "Hardware.Cloud.H100.memory" in Hardware.Cloud.H100._repr_html_()
    assert "<td>H100</td><td>NVIDIA" in Hardware.Cloud._repr_html_()
    assert "A layer of GPT-3" in Scenarios._repr_html_()
