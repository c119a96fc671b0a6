"""Predicted steps."""

import copy
import pickle
from typing import Any

import pytest

import mlsysim
from mlsysim import Model, Models, Prediction, ScenarioError, Systems, predict, ureg

STEP = predict("Llama3_70B", "tp=8,pp=4,dp=16,sp,zero=1", on="Training_512_H100", batch=512, sequence=8192)

# What a type checker would refuse is tested here: what happens without one.
untyped: Any = predict


def test_a_time_has_an_interval() -> None:
    assert STEP.bound < STEP.low < STEP.time < STEP.high
    assert STEP.interval == (STEP.low, STEP.high)
    assert STEP.time.check("[time]") and STEP.kind == "fitted"
    assert STEP.share_of_bound == pytest.approx((STEP.bound / STEP.time).to("").magnitude)
    assert STEP.regime == "training step, dense" and STEP.reasons
    assert STEP.fits and STEP.nearest is None and STEP.devices == 512 and STEP.notes == []
    rate = STEP.tokens_per_second.to("token/s").magnitude
    assert rate == pytest.approx(512 * 8192 / STEP.time.to("s").magnitude)


def test_parts_sum_to_the_whole() -> None:
    def check(part: mlsysim.predictions.Part) -> None:
        if part.parts:
            assert sum(below.time.to("s").magnitude for below in part) == pytest.approx(part.time.to("s").magnitude)
        for below in part:
            check(below)

    check(STEP.parts)
    assert STEP.parts.time.to("s").magnitude == pytest.approx(STEP.time.to("s").magnitude)
    query = STEP.parts["passes.attention.query"]
    assert query.path == "passes.attention.query" and query.kind == "fitted"
    assert query.bound is not None and query.bound < query.time
    assert query.share == pytest.approx((query.time / STEP.time).to("").magnitude)
    rows = STEP.parts.rows()
    assert rows[0]["seconds"] == pytest.approx(STEP.time.to("s").magnitude)
    assert rows[0].keys() == rows[-1].keys()
    with pytest.raises(KeyError, match="did you mean `query`"):
        STEP.parts["passes.attention.qury"]


def test_estimates() -> None:
    assert STEP.energy is not None and STEP.cost is None
    watts = (STEP.energy / STEP.time / 512).to("W").magnitude
    assert watts == pytest.approx(700)
    priced = predict("Llama3_8B", tp=8, sp=True, on="DGX_H100", batch=8, power="500 W", price=2 * ureg("USD/hour"))
    assert priced.energy is not None and priced.cost is not None
    assert (priced.energy / priced.time / 8).to("W").magnitude == pytest.approx(500)
    assert (priced.cost / priced.time / 8).to("USD/hour").magnitude == pytest.approx(2)
    shares = STEP.utilization
    assert 0.1 < shares["masked"] <= shares["hardware"] < 1
    assert shares["peak"].to("TFLOP/s").magnitude == pytest.approx(989)


def test_practice_and_machine() -> None:
    wide = predict("Llama3_8B", {"tp": 8, "sp": True}, on=Systems.Nodes.DGX_H100, batch=8)
    narrow = predict(Models.Language.Llama3_8B, tp=8, sp=True, on="DGX_H100", batch=8, practice={"products": "fp8"})
    assert narrow.time < wide.time and narrow.practice["products"] == "fp8"
    assert predict(Model.named("Llama3_8B"), tp=8, sp=True, on="DGX_H100", batch=8).report() == wide.report()
    text = predict("Llama3_8B", tp=8, sp=True, on="DGX_H100", batch=8, practice="attention=unfused,graphs")
    assert text.practice["attention"] == "unfused" and text.practice["graphs"] is True
    assert text.memory["activations"] > wide.memory["activations"]
    full = predict("Llama3_70B", tp=8, on="DGX_H100")
    assert not full.fits and full.time > full.bound


def test_serving() -> None:
    decode = predict("Llama3_70B", tp=8, on="DGX_H100", decode=64, context=8192, practice="library=own")
    assert decode.regime == "decode step" and decode.practice["class"] == "graphs"
    assert "graphs_compute" in str(decode.explain("decode_steps.attention.query"))
    with pytest.raises(ScenarioError, match="steps of training"):
        decode.utilization
    first = predict("Llama3_70B", tp=8, on="DGX_H100", prefill=2048, batch=32)
    behind = predict("Llama3_70B", tp=8, on="DGX_H100", prefill=2048, context=30000, batch=32)
    assert behind.time > first.time and behind.report()["workload"]["context"] == 30000
    assert any("behind cached tokens" in reason for reason in behind.reasons)
    whole = predict("Llama3_70B", tp=8, on="DGX_H100", prefill=2048, answer=256, batch=32)
    assert whole.time > first.time > decode.time
    assert whole.decode_tokens_per_second is not None and whole.decode_tokens_per_second.magnitude > 0
    assert first.decode_tokens_per_second is None
    alone = predict("Llama3_70B", tp=8, on="DGX_H100", prefill=2048, answer=1, batch=32)
    assert alone.decode_tokens_per_second is None and alone.time.magnitude > 0
    load = predict("Llama3_70B", tp=8, on="DGX_H100", prefill=2048, answer=256, load=True)
    few = predict("Llama3_70B", tp=8, on="DGX_H100", prefill=2048, answer=256, load=8)
    assert load.tokens_per_second > few.tokens_per_second and load.report()["workload"]["kind"] == "maximum load"


def test_explanations() -> None:
    told = STEP.explain()
    assert told.data["parts"][0]["equation"].startswith("passes + waiting + filling + replicas")
    assert "asynchronous_products" in str(STEP.explain("passes.attention.query"))
    assert "parameters × element" in str(STEP.explain("memory.weights"))
    with pytest.raises(ScenarioError, match="did you mean `passes.attention.query`"):
        STEP.explain("passes.attention.qery")


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"on": "DGX_H100", "practice": "atention=fused"}, "practice.atention", "did you mean `attention`"),
        ({"on": "DGX_H100", "practice": {"attention": "fusd"}}, "practice.attention", "did you mean `fused`"),
        ({"on": "DGX_A100", "practice": {"products": "fp8"}}, "practice.products", 'states no peak for `fp8`'),
        ({"on": "DGX_H100", "precision": "fp32"}, "precision", "bf16, fp16, fp8, fp8_block or nvfp4 is needed"),
        ({"on": "DGX_H100", "state": {"tdp": "0 W"}}, "state.tdp", "above 0 W"),
        ({"on": "DGX_H100", "state": {"memory.capcity": "1 GB"}}, "state.memory.capcity", "did you mean `memory.capacity`"),
        ({"on": "DGX_H100", "state": {"peak": {"bf61": "1 TFLOP/s"}}}, "state.peak.bf61", "did you mean `peak.bf16`"),
        ({"on": "DGX_H100", "state": "tdp"}, "state", "a dict is needed"),
        ({"on": "DGX_H100", "power": "-5 W"}, "power", "at least 0"),
        ({"on": "DGX_H100", "price": "5 W"}, "price", "5 W"),
        ({"on": "DGX_H100", "answer": 8}, "answer", "as `prefill`"),
        ({"on": "DGX_H100", "prefill": 8, "load": 8}, "load", "as `answer`"),
        ({"on": "DGX_H100", "prefill": 8, "context": 8, "answer": 8}, "context", "begin with nothing cached"),
        ({"on": "DGX_H10O"}, "on", "did you mean `DGX_H100`"),
        ({"on": "DGX_H100", "tpp": 8}, "tpp", "did you mean `tp`"),
        ({"on": "DGX_H100", "batch": 0}, "batch", "at least 1"),
    ],
)
def test_refusals(given: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message) as refused:
        untyped("Llama3_8B", **given)
    assert refused.value.field == field


def test_predictions_are_values() -> None:
    assert copy.copy(STEP) is STEP
    again = pickle.loads(pickle.dumps(STEP))
    assert isinstance(again, Prediction) and again.report() == STEP.report()
    assert repr(STEP).startswith("<Prediction of Llama-3.1-70B, training on 512 devices: ")
    html = STEP._repr_html_()
    assert "<table>" in html and "90 % between" in html and "query" in html
    assert repr(STEP.parts["passes"]).startswith("<Part passes: ")
    with pytest.raises(AttributeError):
        STEP.time = 3  # type: ignore[misc,assignment]
    with pytest.raises(TypeError, match=r"mlsysim\.predict"):
        Prediction()
