"""Steps at each degree of tensor parallelism."""

import pickle
from typing import Any

import pytest

from mlsysim import Models, Scenarios, ScenarioError, Systems, predict, tp

SPLIT = tp("Llama3_70B", on="DGX_H100", prefill=2048)

# What a type checker would refuse is tested here: what happens without one.
untyped: Any = tp


def test_degrees() -> None:
    assert [degree.tp for degree in SPLIT] == [1, 2, 4, 8] and len(SPLIT) == 4
    one, eight = SPLIT[1], SPLIT[8]
    assert one.speed_up == 1 and one.gain is None and not one.fits and eight.fits
    assert eight.speed_up == pytest.approx((one.time / eight.time).to("").magnitude)
    assert one.speed_up_interval == (1, 1)
    low, high = eight.speed_up_interval
    # Two times err together, so that their ratio is better known than both of them apart.
    apart = (one.high / one.low * eight.high / eight.low).to("").magnitude
    assert low < eight.speed_up < high and high / low < apart
    assert eight.efficiency == pytest.approx(eight.speed_up / 8)
    assert eight.bound < eight.low < eight.time < eight.high
    assert eight.time == predict("Llama3_70B", tp=8, on="DGX_H100", prefill=2048).time
    assert SPLIT.pays_for_latency <= SPLIT.pays_for_latency_if_alike <= 8
    assert SPLIT[SPLIT.cheapest].fits and SPLIT.refused is None
    with pytest.raises(KeyError, match="no degree `3`; there are 1, 2, 4, 8"):
        SPLIT[3]


def test_a_split_adds_up() -> None:
    for row in SPLIT.rows():
        assert sum(row[name] for name in row if name.startswith("step_")) == pytest.approx(row["time"])
    split = SPLIT[8].step
    losses = sum(loss.to("s").magnitude for loss in split["losses"].values())
    assert losses + split["ideal"].to("s").magnitude == pytest.approx(SPLIT[8].time.to("s").magnitude)


def test_layouts_and_machines() -> None:
    given: dict[str, Any] = {"batch": 32, "sequence": 4096}
    shared = tp(Models.Language.Llama3_8B, "pp=2,sp", on="Training_512_H100", **given)
    same = tp("Llama3_8B", {"pp": 2, "sp": True}, on=Systems.Clusters.Training_512_H100, **given)
    apart = tp("Llama3_8B", pp=2, on="Training_512_H100", **given)
    assert shared.report() == same.report() and shared[1].time == apart[1].time
    assert shared[8].free > apart[8].free
    assert shared[16].domains > 1
    assert shared.refused is not None and shared.refused[0] == 2 * max(degree.tp for degree in shared)
    priced = tp("Llama3_8B", on="DGX_H100", decode=64, context=4096, price="2 USD/h")
    assert priced.rows()[0]["usd_per_million_tokens"] > 0


def test_a_stated_case() -> None:
    stated = tp(scenario="Llama2_70BPrefillTensorParallel8")
    row = stated.rows()[3]
    case = Scenarios.Llama2_70BPrefillTensorParallel8
    assert (row["tp"], row["speed_up"]) == (8, case.speedup)
    assert row["predicted_low"] < row["predicted_layer"] < row["predicted_high"]
    assert stated.implied["tp"] == "8"
    assert tp(scenario=case).report() == stated.report()
    other = tp("Llama3_70B", scenario=case, on="DGX_A100", batch=2, practice="products=bf16")
    assert other.rows()[3]["speed_up"] == row["speed_up"]
    assert other.rows()[3]["predicted_layer"] > row["predicted_layer"]


def test_tables() -> None:
    assert SPLIT.rows()[0].keys() == SPLIT.rows()[3].keys()
    assert "<table>" in SPLIT._repr_html_() and repr(SPLIT).startswith("<Degrees 1, 2, 4, 8: ")
    assert pickle.loads(pickle.dumps(SPLIT)).report() == SPLIT.report()


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({}, "on", "a machine is needed"),
        ({"on": "DGX_H10O"}, "on", "did you mean `DGX_H100`"),
        ({"on": "DGX_H100", "tp": 8}, "tp", "the degree is what is varied"),
        ({"on": "DGX_H100", "sp": 3}, "sp", "3"),
        ({"on": "DGX_H100", "ppp": 8}, "ppp", "a split has no input of that name; did you mean `pp`"),
        ({"on": "DGX_H100", "practice": "atention=fused"}, "practice.atention", "did you mean `attention`"),
        ({"on": "DGX_H100", "price": "5 W"}, "price", "5 W"),
        ({"on": "DGX_H100", "prefill": 8, "decode": 8}, "decode", "both were given"),
        ({"scenario": "Llama2_70BPrefillTensorParallel8", "decode": 8}, "decode", "the case says what is done"),
        ({"scenario": "Llama2_70BPrefillTensorParallel8", "pp": 8}, "pp", "the case says what is done"),
        ({"scenario": "Gpt3TensorParallelLayerTp8"}, "scenario", "state times that can be split"),
    ],
)
def test_refusals(given: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message) as refused:
        untyped("Llama3_8B", **given)
    assert refused.value.field == field


def test_a_model_is_needed() -> None:
    with pytest.raises(ScenarioError, match="a model is needed") as refused:
        untyped(on="DGX_H100")
    assert refused.value.field == "model"
    with pytest.raises(ScenarioError, match="did you mean `Llama2_70BPrefillTensorParallel8`"):
        tp(scenario="Llama2_70BPrefilTensorParallel8")
