"""Help, signatures, derivations and sources."""

import inspect
import pydoc
from typing import Any

import pytest

import mlsysim
from mlsysim import Hardware, Models, ScenarioError, Scenarios, Systems, engine, records, registry, solvers
from mlsysim.definition import Described
from mlsysim.engine import scenario_types
from mlsysim.engine.scenario_types import TensorParallelSpeedupScenario
from mlsysim.solvers import TensorParallelLayerModel, TensorParallelLayerResult

CASE = Scenarios.Llama2_70BPrefillTensorParallel8


def test_help_shows_inputs_and_outputs() -> None:
    text = pydoc.plain(pydoc.render_doc(TensorParallelSpeedupScenario))
    for line in (
        "allreduce_time : Quantity in ms",
        "Type: int. Range: at least 0. Default: 2.",
        "Equation: ``serial_layer_time / parallel_layer_time``",
        "sharded(phase) : Quantity in ms",
        "Assumptions",
        "Excludes",
    ):
        assert line in text


def test_help_of_solvers() -> None:
    assert "tensor-parallel group" in str(TensorParallelLayerModel.__doc__)
    text = pydoc.plain(pydoc.render_doc(TensorParallelLayerResult))
    assert "compute_time : Quantity in ms" in text
    assert "Source: Kaplan et al. (2020)" in text


def test_signatures() -> None:
    signature = inspect.signature(TensorParallelSpeedupScenario)
    assert list(signature.parameters) == [
        "serial_layer_times", "tp_size", "allreduce_time", "collectives_per_layer", "layers", "name", "description",
    ]
    assert all(parameter.kind is inspect.Parameter.KEYWORD_ONLY for parameter in signature.parameters.values())
    assert signature.parameters["collectives_per_layer"].default == 2
    assert signature.parameters["layers"].default is inspect.Parameter.empty
    solve = inspect.signature(TensorParallelLayerModel.solve)
    assert list(solve.parameters)[:3] == ["self", "model", "tp_size"]
    assert solve.return_annotation == "TensorParallelLayerResult"
    assert list(inspect.signature(Hardware.Cloud.H100.ridge_point).parameters) == ["precision"]


def test_every_type_has_a_documented_class() -> None:
    assert "TensorParallelSpeedupScenario" in dir(scenario_types)
    for name in scenario_types.__all__:
        cls = getattr(scenario_types, name)
        assert cls.__name__ == name
        assert cls.__module__ == "mlsysim.engine.scenario_types"
        assert cls.__doc__


def test_explanations() -> None:
    explained = CASE.explain("speedup")
    assert str(explained).startswith("speedup = 6.89655")
    assert "serial_layer_time / parallel_layer_time" in repr(explained)
    assert explained.data["name"] == "speedup"
    assert [part["name"] for part in explained.data["parts"]] == ["serial_layer_time", "parallel_layer_time"]
    assert "sharded(attention)" in str(CASE.explain("sharded", "attention"))
    with pytest.raises(ScenarioError, match="did you mean `speedup`"):
        CASE.explain("sped_up")


def test_all_outputs_explain_themselves() -> None:
    explained = CASE.explain()
    names = [explanation.data["name"] for explanation in explained]
    assert names == [part["name"] for part in explained.data]
    assert {"speedup", "parallel_total"} <= set(names)
    # A method needs its argument, and so is not among them.
    assert "sharded" not in names
    assert str(explained) == repr(explained) == "\n\n".join(str(CASE.explain(name)) for name in names)
    result = Scenarios.Gpt3TensorParallelLayerTp8.result
    assert str(result.explain("compute_time")) in str(result.explain())
    assert len(result.explain()) == len(type(result)._description["fields"])


def test_modules_list_only_what_they_offer() -> None:
    for module in (solvers, scenario_types, records, registry, engine):
        assert dir(module) == sorted(module.__all__)
    assert "TensorParallelLayerModel" in dir(solvers)
    assert "wrap" not in dir(solvers)
    assert not [name for name in dir(mlsysim) if name.startswith("_") and name != "__version__"]


def test_a_result_explains_itself() -> None:
    layer = Scenarios.Gpt3TensorParallelLayerTp8
    of_case = layer.result.explain("compute_time").data
    solved = TensorParallelLayerModel().solve(
        layer.workload, 8, 2048, layer.accelerator.peak("fp16_dense"), 0.5, layer.links
    )
    of_solver = solved.explain("compute_time").data
    assert of_case["value"] == of_solver["value"]
    assert of_case["equation"] == of_solver["equation"]
    with pytest.raises(ScenarioError, match="compute_time"):
        layer.result.explain("compute_tmie")


def test_notes_and_answers() -> None:
    lonely = CASE.variant(tp_size=1)
    assert CASE.notes == []
    assert [note.outputs for note in lonely.notes] == [("parallel_layer_time", "speedup", "parallel_total")]
    assert "exchanges nothing" in lonely.notes[0].text
    answer = CASE.answer()
    assert answer["id"] == "Llama2_70BPrefillTensorParallel8"
    assert answer["outputs"]["parallel_total"] == {"value": 348.0, "unit": "ms"}
    assert answer["outputs"]["sharded(attention)"] == {"value": 1.5, "unit": "ms"}


def test_sources() -> None:
    sources = Hardware.Cloud.H100.sources()
    assert str(sources["memory.bandwidth"].url).startswith("https://")
    assert sources["dispatch_tax"].unverified
    assert sources["tdp"].source
    assert Hardware.Cloud.H100.memory.sources()["bandwidth"] == sources["memory.bandwidth"]
    assert Models.Language.GPT3.sources()["parameters"].url


def test_namespaces() -> None:
    assert {"Cloud", "Tech", "Workstation"} <= set(Hardware)
    assert list(Hardware) == dir(Hardware)
    assert len(set(Hardware)) == len(Hardware)
    assert "H100" in dir(Hardware.Cloud)
    assert "H100" in Hardware.Cloud
    assert len(Models.Language) == len(list(Models.Language)) > 10
    assert Models["Language.GPT3"].layers == 96
    assert "Gpt3TensorParallelLayerTp8" in list(Scenarios)
    with pytest.raises(KeyError, match="did you mean"):
        Systems.Nodes["DGX_H10"]


def test_every_entry_and_case_can_be_read() -> None:
    def walk(namespace: Any) -> None:
        for name in namespace:
            found = namespace[name]
            # A figure is a plain value or a quantity; the group around it shows it.
            if isinstance(found, Described):
                assert found._repr_html_()
            elif isinstance(found, registry.Namespace):
                assert found._repr_html_()
                walk(found)

    for root in registry.__all__:
        walk(getattr(registry, root))
