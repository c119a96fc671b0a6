"""Plans of training."""

import os
import pickle
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from mlsysim import Model, Models, Plan, ScenarioError, Systems, plan, predict, ureg

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PLAN = plan("Llama3_8B", on="DGX_H100", batch=64, sequence=8192, top=3, tokens="15e12", require="memory.free > 1 GiB")

# What a type checker would refuse is tested here: what happens without one.
untyped: Any = plan


def test_layouts_are_ranked() -> None:
    assert PLAN.fits and PLAN.is_kept and PLAN.nearest is None and PLAN.lacking is None
    assert len(PLAN.layouts) == 3
    times = [layout.time.to("s").magnitude for layout in PLAN.layouts]
    assert times == sorted(times)
    best = PLAN.best
    assert best.bound < best.low < best.time < best.high and best.interval == (best.low, best.high)
    assert best.tokens_per_second.to("token/s").magnitude == pytest.approx(64 * 8192 / times[0])
    assert best.memory["total"] + best.memory["free"] == best.memory["capacity"] == 80 * ureg.GiB
    assert 0.2 < best.utilization < 0.8 and best.devices == 8 and best.precision == "bf16"
    whole = [part for part in best.parts if "." not in part["part"]]
    assert sum(part["seconds"] for part in whole) == pytest.approx(times[0])
    assert PLAN.comparison is not None and PLAN.comparison["gap_s"] == pytest.approx(times[1] - times[0])
    assert PLAN.run is not None and PLAN.run["steps"] == pytest.approx(15e12 / (64 * 8192), abs=1)
    assert PLAN.requirements[0]["met"] is True


def test_the_best_is_predicted_alike() -> None:
    best = PLAN.best
    again = predict(
        "Llama3_8B",
        best.layout,
        on="DGX_H100",
        batch=64,
        sequence=8192,
        micro_batch=best.micro_batch,
        recompute=best.recompute,
        gradients="fp32",
    )
    assert again.time.to("s").magnitude == pytest.approx(best.time.to("s").magnitude)
    assert again.memory["total"] == best.memory["total"]


def test_tables() -> None:
    rows = PLAN.rows()
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert rows[0].keys() == rows[2].keys()
    assert rows[0]["step_s"] == PLAN.best.time.to("s").magnitude
    assert PLAN.report()["layouts"][0]["layout"] == PLAN.best.layout
    lines = str(PLAN).splitlines()
    assert len(lines) == 5 and PLAN.best.layout in lines[2]
    assert "<table>" in PLAN._repr_html_() and repr(PLAN).startswith("<Plan of Llama-3.1-8B on 8 devices of DGX H100: ")
    again = pickle.loads(pickle.dumps(PLAN))
    assert isinstance(again, Plan) and again.report() == PLAN.report()


def test_inputs_come_in_many_forms() -> None:
    given: dict[str, Any] = {"batch": 64, "sequence": 8192, "tokens": 15e12, "top": 3, "require": ["memory.free > 1 GiB"]}
    same = plan(Models.Language.Llama3_8B, on=Systems.Nodes.DGX_H100, devices=8, **given)
    assert same.rows() == PLAN.rows()
    assert plan(Model.named("Llama3_8B"), on="DGX_H100", devices="8", goal={"time": 1}, **given).rows() == PLAN.rows()
    few = plan("Llama3_8B", on="DGX_H100", devices=[4, 8], batch=64, sequence=8192, goal="cost", fix=["tp<=2", "pp=1"])
    assert {layout.devices for layout in few.layouts} == {4, 8}
    none = plan("Llama3_8B", on="DGX_H100", batch=64, sequence=8192, forbid="zero=3", pareto=["time", "memory"])
    assert none.front and all("zero=3" not in layout.layout for layout in none.front)
    cheap = plan("Llama3_8B", on="DGX_H100", batch=64, sequence=8192, tokens=1e12, price=1 * ureg("USD/hour"))
    assert cheap.run is not None and cheap.run["cost_usd"] == pytest.approx(cheap.run["device_hours"])
    exhaustive = plan("Llama3_8B", on="DGX_H100", exhaustive=True, **given)
    assert exhaustive.rows() == PLAN.rows() and exhaustive.search["priced"] == exhaustive.search["legal"]


def test_plan_files() -> None:
    path = EXAMPLES / "llama3_8b_one_server.toml"
    told = plan(path)
    assert told.is_kept and plan(str(path)).rows() == told.rows()
    with pytest.raises(ScenarioError, match="says all of a plan"):
        plan(path, top=1)
    with pytest.raises(ScenarioError, match=r"nowhere\.toml: No such file"):
        plan("nowhere.toml")


def test_the_model_of_a_plan_file_lies_beside_it(tmp_path: Path) -> None:
    config = '{"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 4, "num_attention_heads": 8, '
    config += '"vocab_size": 32000, "intermediate_size": 4096}'
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "config.json").write_text(config)
    for model in ("small/config.json", "small"):
        text = f'model = "{model}"\n[system]\non = "DGX_H100"\n[training]\nbatch = 8\nsequence = 1024\n'
        (tmp_path / "plan.toml").write_text(text)
        assert plan(tmp_path / "plan.toml").fits


def test_a_mistake_in_a_file_has_its_place(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text('model = "Llama3_8B"\n[system]\non = "DGX_H100"\n[training]\nbach = 64\nsequence = 8192\n')
    with pytest.raises(ScenarioError, match=r"plan\.toml:5:1: training\.bach: .*did you mean `batch`"):
        plan(path)


def test_nothing_fits() -> None:
    none = plan("Llama3_70B", on="DGX_H100", batch=8, sequence=4096)
    assert not none.fits and not none.is_kept and none.layouts == [] and none.rows() == []
    assert none.nearest is not None and none.lacking is not None and none.lacking.magnitude > 0
    assert "none of" in repr(none) and none.nearest.layout in str(none)
    with pytest.raises(ScenarioError, match="`nearest` is the one that holds least"):
        none.best


def test_nothing_keeps_what_is_required() -> None:
    none = plan("Llama3_8B", on="DGX_H100", batch=64, sequence=4096, require="step_time < 1 ms")
    assert none.fits and not none.is_kept and none.layouts == [] and none.lacking is None
    assert none.nearest is not None and [told["met"] for told in none.requirements] == [False]
    assert "keeps what is required" in repr(none) and none.nearest.layout in str(none)
    with pytest.raises(ScenarioError, match="`nearest` is the one that misses least"):
        none.best


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"on": None}, "on", "it is needed"),
        ({"on": "DGX_H10O"}, "on", "did you mean `DGX_H100`"),
        ({"batch": None}, "batch", "it is needed"),
        ({"batch": 0}, "batch", "at least 1"),
        ({"devices": [4, 0]}, r"devices[1]", "at least 1"),
        ({"top": 2.5}, "top", "whole number"),
        ({"goal": "tiem"}, "goal", "did you mean `time`"),
        ({"goal": {"time": 0}}, "goal", "a weight above 0"),
        ({"pareto": ["time", "speed"]}, "pareto", "no figure `speed`"),
        ({"fix": ["tp=8", "tpp=3"]}, "fix", "did you mean `tp`"),
        ({"fix": 8}, r"fix[0]", "a text is needed"),
        ({"forbid": "recompute=ful"}, "forbid", "did you mean `full`"),
        ({"require": "step_tiem < 1 s"}, "require", "did you mean `step_time`"),
        ({"require": "run.time < 1 day"}, "require", "state its `tokens`"),
        ({"price": "5 W"}, "price", "5 W"),
        ({"tokens": "many"}, "tokens", "many"),
        ({"tokens": "1T"}, "tokens", "write `1e12`"),
        ({"sequence": "8k"}, "sequence", "write `8000` or `8192`"),
        ({"price": True}, "price", 'such as "1 USD/h"'),
        ({"tokens": 1e12, "region": "US_Avrg"}, "region", "did you mean `US_Avg`"),
        ({"memory": {"optimizr": "adam"}}, "memory.optimizr", "did you mean `optimizer`"),
        ({"memory": {"schedule": "gpipe"}}, "memory.schedule", "fix it with `schedule=gpipe`"),
        ({"precision": ["bf16", "fp9"]}, "precision", "fp9"),
    ],
)
def test_refusals(given: dict[str, Any], field: str, message: str) -> None:
    usual = {"on": "DGX_H100", "batch": 64, "sequence": 8192}
    with pytest.raises(ScenarioError, match=message) as refused:
        untyped("Llama3_8B", **{**usual, **given})
    assert refused.value.field == field


@pytest.mark.skipif(sys.platform == "win32", reason="a process of Windows cannot send itself SIGINT")
def test_ctrl_c_ends_a_search() -> None:
    # The timer's thread runs only if the search lets go of the interpreter.
    sent: list[float] = []

    def interrupt() -> None:
        sent.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    # A process that was started in the background ignores the signal.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.1, interrupt)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        # Many times as many layouts as a machine prices until then.
        devices = [512, 640, 768, 896, 960, 1008, 1024]
        given = {"batch": 20160, "sequence": 2048, "precision": ["bf16", "fp16"], "devices": devices}
        untyped("GPT3", on="Training_1K_A100", exhaustive=True, **given)
    assert time.monotonic() - sent[0] < 3
    timer.join()
    signal.signal(signal.SIGINT, before)
