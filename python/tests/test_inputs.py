"""Inputs: text, numbers, quantities of any pint registry, numpy's scalars, dicts and objects."""

from collections import OrderedDict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pint
import pytest

import mlsysim
from mlsysim import Hardware, Models, ScenarioError, Scenarios, Systems
from mlsysim.engine import scenario_types
from mlsysim.records import HardwareNode
from mlsysim.records import Workload as TypedWorkload
from mlsysim.solvers import TensorParallelLayerModel, TensorParallelLayerResult

Inputs = dict[str, Any]
Registry = Any

# What a type checker would refuse is tested here: what happens without one.
TensorParallelLayerScenario: Any = scenario_types.TensorParallelLayerScenario
TensorParallelSpeedupScenario: Any = scenario_types.TensorParallelSpeedupScenario
Workload: Any = TypedWorkload
LAYER: Any = Scenarios.Gpt3TensorParallelLayerTp8
H100: Any = Hardware.Cloud.H100


@pytest.fixture(scope="module")
def foreign() -> Registry:
    """A pint registry that is not ours, with a default format that is no help."""
    registry: Registry = pint.UnitRegistry()
    registry.formatter.default_format = "L"
    return registry


def test_text_numbers_and_quantities_agree(speedup_inputs: Inputs, foreign: Registry) -> None:
    written = TensorParallelSpeedupScenario(**speedup_inputs)
    ours = TensorParallelSpeedupScenario(
        serial_layer_times={"attention": mlsysim.Q_(12, "ms"), "feed-forward": mlsysim.ureg("18 ms")},
        tp_size="8",
        allreduce_time=mlsysim.Q_(0.3, "ms"),
        layers=np.int64(80),
    )
    theirs = TensorParallelSpeedupScenario(
        serial_layer_times=OrderedDict(attention=12 * foreign.millisecond) | {"feed-forward": foreign("18 ms")},
        tp_size=foreign.Quantity(8, "count"),
        allreduce_time=0.3 * foreign.millisecond,
        collectives_per_layer=np.array(2),
        layers=Decimal(80),
    )
    assert written == ours == theirs
    assert written == Scenarios.Llama2_70BPrefillTensorParallel8


def test_inputs_are_shown_as_written(speedup_inputs: Inputs) -> None:
    scenario = TensorParallelSpeedupScenario(**speedup_inputs | {"allreduce_time": "300 µs", "tp_size": "8"})
    assert repr(scenario.allreduce_time) == "<Quantity(300.0, 'microsecond')>"
    assert scenario.tp_size == 8
    assert scenario.allreduce_time.to("ms").magnitude == pytest.approx(0.3)


def test_a_foreign_byte_keeps_its_name(foreign: Registry) -> None:
    # To pint's own registry a bit and a byte are plain numbers.
    links = {"NVLink": 450 * foreign.gigabyte / foreign.second, "NDR": foreign.Quantity(400, "gigabit/s")}
    changed = LAYER.variant(links=links)
    assert changed.result.transfer_times["NVLink"] == LAYER.result.transfer_times["NVLink"]
    assert changed.links["NDR"].to("GB/s").magnitude == pytest.approx(50)


@pytest.mark.parametrize("unit", ["byte", "param", "flop", "token", "dollar", "ms"])
def test_no_unit_is_lost_where_a_number_is_meant(unit: str) -> None:
    with pytest.raises(ScenarioError, match="but a number above 0 and at most 1 is needed") as refusal:
        LAYER.variant(local_efficiency=mlsysim.Q_(0.5, unit))
    assert refusal.value.field == "local_efficiency"


def test_no_unit_is_lost_to_float() -> None:
    quantities: list[Any] = [Models.Language.GPT3.parameters, H100.memory.capacity]
    for quantity in quantities:
        with pytest.raises(pint.DimensionalityError):
            float(quantity)


def test_a_foreign_byte_is_no_number(foreign: Registry) -> None:
    with pytest.raises(ScenarioError, match="is Bytes"):
        LAYER.variant(local_efficiency=foreign.Quantity(0.5, "byte"))
    assert LAYER.variant(local_efficiency=50 * foreign.percent).local_efficiency == 0.5


def test_an_unknown_unit_is_refused_by_its_field(foreign: Registry, speedup_inputs: Inputs) -> None:
    with pytest.raises(ScenarioError) as refusal:
        TensorParallelSpeedupScenario(**speedup_inputs | {"allreduce_time": foreign.Quantity(1, "fortnight")})
    assert str(refusal.value) == "allreduce_time: `fortnight` is not a unit"


def test_plain_numbers_of_every_sort() -> None:
    for half in (0.5, np.float32(0.5), np.float64(0.5), Fraction(1, 2), Decimal("0.5"), "0.5", "50 %"):
        assert LAYER.variant(local_efficiency=half).local_efficiency == 0.5
    for eight in (8, 8.0, np.uint8(8), "8", mlsysim.Q_(8, "")):
        assert LAYER.variant(tp_size=eight).tp_size == 8
    # A count of tokens may come with its unit or without.
    assert LAYER.variant(tokens="2048 token") == LAYER.variant(tokens=2048.0)
    for flag in (True, np.True_):
        with pytest.raises(ScenarioError, match="but `true` was given"):
            LAYER.variant(tp_size=flag)


class Metres:
    """A quantity of some other library."""

    value, unit = 3.0, "m"

    def __float__(self) -> float:
        return self.value


@pytest.mark.parametrize(
    ("given", "named"),
    [(Metres(), "only pint's are"), (object(), "object"), (2j, "complex"), (b"8", "bytes"), ({1: 2}, "keys are names")],
)
def test_what_is_not_understood_is_refused(given: object, named: str) -> None:
    with pytest.raises(ScenarioError, match=named) as refusal:
        LAYER.variant(local_efficiency=given)
    assert refusal.value.field == "local_efficiency"


def test_objects_paths_and_dicts_agree() -> None:
    inputs: Inputs = {"tp_size": 8, "tokens": 2048, "local_efficiency": 0.5, "links": {"NVLink": "450 GB/s"}}
    ways: list[Inputs] = [
        {"workload": Models.Language.GPT3, "accelerator": Hardware.Cloud.H100},
        {"workload": "Models.Language.GPT3", "accelerator": "@Hardware.Cloud.H100"},
        {"workload": {"ref": "Models.Language.GPT3"}, "accelerator": "H100"},
    ]
    first, *others = [TensorParallelLayerScenario(**inputs, **way) for way in ways]
    assert all(other == first for other in others)
    # An entry is remembered by its path, so that its source is known.
    assert first.workload is not None
    assert "Models.Language.GPT3" in str(first.explain("result"))


def test_records_can_be_written() -> None:
    fields = {"name": "mine", "layers": 2, "hidden_dim": 64, "heads": 8, "parameters": 1e6}
    mine = Workload(**fields)
    assert mine.parameters == 1e6 * mlsysim.ureg.param
    assert mine.kv_heads is None
    assert LAYER.variant(workload=mine) == LAYER.variant(workload=fields)
    assert LAYER.variant(workload=mine).workload == mine
    with pytest.raises(ScenarioError, match="did you mean `layers`") as refusal:
        LAYER.variant(workload=fields | {"layres": 2})
    assert refusal.value.field == "workload.layres"


def test_solver_takes_positions_and_keywords() -> None:
    links = {"NVLink": H100.nvlink.bandwidth_per_direction, "NDR": Systems.Fabrics.InfiniBand_NDR.bandwidth}
    solver = TensorParallelLayerModel()
    by_position = solver.solve(Models.Language.GPT3, 8, 2048, Hardware.Cloud.H100.peak("fp16_dense"), 0.5, links)
    by_keyword = solver.solve(
        model="Models.Language.GPT3", tp_size=8, tokens=2048, peak_flops="989 TFLOP/s", local_efficiency=0.5,
        links=links, collectives_per_layer=2,
    )
    assert by_position == by_keyword
    assert isinstance(by_position, TensorParallelLayerResult)
    case = Scenarios.Gpt3TensorParallelLayerTp8
    assert by_position.compute_time == case.result.compute_time
    assert type(by_position) is type(case.result)


def test_solver_refuses_like_a_scenario() -> None:
    solve: Any = TensorParallelLayerModel().solve
    with pytest.raises(ScenarioError, match="did you mean `tp_size`"):
        solve(tp_sise=8)
    with pytest.raises(ScenarioError, match="twice"):
        solve("Models.Language.GPT3", model="Models.Language.GPT3")
    with pytest.raises(ScenarioError, match="8 values were given"):
        solve(1, 2, 3, 4, 5, 6, 7, 8)
    with pytest.raises(ScenarioError, match="tp_size: TensorParallelLayerModel needs this input"):
        solve("Models.Language.GPT3")
    with pytest.raises(TypeError):
        TensorParallelLayerResult(compute_time="1 ms")


def test_a_method_of_a_record_may_lack_its_argument() -> None:
    h100 = Hardware.Cloud.H100
    assert isinstance(h100, HardwareNode)
    assert h100.ridge_point() == h100.ridge_point("fp16_dense")
    assert h100.ridge_point(precision="fp8") > h100.ridge_point()
    with pytest.raises(ScenarioError, match="states no peak"):
        h100.peak("fp17")
