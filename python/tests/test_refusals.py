"""Refusals carry the same messages as in Rust."""

import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import mlsysim
from mlsysim import AbsentError, Hardware, Models, ScenarioError, Scenarios
from mlsysim.definition import class_of as typed_class_of
from mlsysim.engine import scenario_types
from mlsysim.records import Workload
from mlsysim.solvers import TensorParallelLayerModel

Case = dict[str, Any]

# What a type checker would refuse is tested here: what happens without one.
class_of: Any = typed_class_of
SPEEDUP: Any = Scenarios.Llama2_70BPrefillTensorParallel8
SHARED = Path(__file__).resolve().parents[2] / "tests"


def shared_cases(name: str) -> list[Case]:
    """The cases of a JSON-lines file that the tests in Rust read too."""
    lines = (SHARED / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


# A type is a class here, and a misspelt one is no attribute of its module.
BAD = [case for case in shared_cases("bad_inputs.jsonl") if case["field"] != "type"]
NOTED = shared_cases("noted_inputs.jsonl")


def named(case: Case) -> str:
    return str(case["name"])


def assert_close(found: Any, wanted: Any) -> None:
    """Numbers may differ in their last bits, everything else is equal."""
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key in wanted:
            assert_close(found[key], wanted[key])
    else:
        assert found == (pytest.approx(wanted, rel=1e-12) if isinstance(wanted, float) else wanted)


@pytest.mark.parametrize("case", BAD, ids=named)
def test_bad_input(case: Case) -> None:
    with pytest.raises(ScenarioError) as refusal:
        scenario = class_of(case["type"])(**case["inputs"])
        for label, arguments in case.get("calls", {}).items():
            scenario.explain(label.partition("(")[0], *arguments)
            getattr(scenario, label.partition("(")[0])(*arguments)
    assert isinstance(refusal.value, ValueError)
    assert refusal.value.field == case["field"]
    assert refusal.value.message == case["message"]
    field = case["field"]
    assert str(refusal.value) == (f"{field}: {case['message']}" if field else case["message"])


@pytest.mark.parametrize("case", NOTED, ids=named)
def test_noted_input(case: Case) -> None:
    answer = class_of(case["type"])(**case["inputs"]).answer()
    for name, value in case["outputs"].items():
        assert_close(answer["outputs"][name], value)
    assert answer.get("notes", []) == case.get("notes", [])


def test_variants_are_checked_like_new_ones() -> None:
    with pytest.raises(ScenarioError) as refusal:
        SPEEDUP.variant(allreduce_tmie="0.3 ms")
    assert refusal.value.field == "allreduce_tmie"
    assert refusal.value.kind == "input"
    assert "did you mean `allreduce_time`?" in refusal.value.message
    with pytest.raises(ScenarioError, match="name: a text is needed"):
        SPEEDUP.variant(name=3)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"allreduce_time": "\ud800"}, "allreduce_time"),
        ({"serial_layer_times": {"attention": "12 \udfff"}}, "serial_layer_times.attention"),
        ({"serial_layer_times": {"\ud800": "12 ms"}}, "serial_layer_times"),
        ({"name": "\ud800"}, "name"),
        ({"description": "a \ud800"}, "description"),
    ],
)
def test_half_a_character_is_refused(changes: Case, field: str) -> None:
    with pytest.raises(ScenarioError, match=r"a text of whole characters is needed, but `.*\\ud") as refusal:
        SPEEDUP.variant(**changes)
    assert refusal.value.field == field
    # The message itself can be written anywhere.
    assert str(refusal.value).isascii()


def test_half_a_character_names_nothing() -> None:
    with pytest.raises(ScenarioError, match="no input of that name"):
        SPEEDUP.variant(**{"\ud800": 1})
    with pytest.raises(ScenarioError, match="phase: a text of whole characters"):
        SPEEDUP.sharded("\ud800")
    with pytest.raises(ScenarioError, match="has no output"):
        SPEEDUP.explain("\ud800")
    with pytest.raises(AttributeError):
        getattr(SPEEDUP, "\ud800")
    with pytest.raises(KeyError):
        Hardware.Cloud["\ud800"]
    solve: Any = TensorParallelLayerModel().solve
    with pytest.raises(ScenarioError, match="tp_size: a text of whole characters"):
        solve(Models.Language.GPT3, "\ud800")
    # Whole characters beyond ASCII are texts like any other.
    assert SPEEDUP.variant(name="𝄞 é", allreduce_time="300 µs").name == "𝄞 é"


def test_a_method_refuses_misspelt_arguments() -> None:
    with pytest.raises(ScenarioError, match="did you mean `phase`"):
        SPEEDUP.sharded(phse="attention")
    with pytest.raises(ScenarioError, match="phase: `atention` is not among the keys"):
        SPEEDUP.sharded("atention")


def test_absent_outputs() -> None:
    model = Models.Vision.ResNet50
    with pytest.raises(AbsentError) as absence:
        model.head_width
    assert absence.value.kind == "absent"
    assert "head_dim" in absence.value.message
    assert isinstance(absence.value, (ScenarioError, ValueError, AttributeError))
    assert not hasattr(model, "head_width")
    assert getattr(model, "head_width", 64) == 64
    # An optional input that nobody set is no output: it is nothing.
    assert model.heads is None
    # And so is one of a record that was written by hand.
    assert not hasattr(Workload(name="mine"), "priced_parameters")


def test_unknown_attributes_name_the_nearest() -> None:
    cloud: Any = Hardware.Cloud
    scenarios: Any = Scenarios
    types: Any = scenario_types
    package: Any = mlsysim
    with pytest.raises(AttributeError, match="did you mean `allreduce_time`"):
        SPEEDUP.allreduce_tmie
    with pytest.raises(AttributeError, match="no `H10` in Hardware.Cloud; did you mean `H100`"):
        cloud.H10
    with pytest.raises(AttributeError, match="did you mean `Gpt3TensorParallelLayerTp8`"):
        scenarios.Gpt3TensorParallelLayerTp9
    with pytest.raises(AttributeError, match="did you mean `TensorParallelSpeedupScenario`"):
        types.TensorParallelSpedupScenario
    with pytest.raises(AttributeError):
        package.nothing


def test_nothing_changes() -> None:
    case = Scenarios.Llama2_70BPrefillTensorParallel8
    with pytest.raises(AttributeError, match="does not change"):
        setattr(case, "tp_size", 4)
    with pytest.raises(AttributeError, match="does not change"):
        delattr(case, "tp_size")
    case.serial_layer_times.clear()
    assert len(case.serial_layer_times) == 2
    with pytest.raises(TypeError):
        scenario_types.BaseScenario()


def test_errors_can_be_pickled() -> None:
    error = ScenarioError("a text is needed", "links.NVLink", "input")
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.field, again.kind) == ("links.NVLink: a text is needed", "links.NVLink", "input")
