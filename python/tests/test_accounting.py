"""Models read from their configurations, and accounts of their steps."""

import copy
import json
import pickle
from pathlib import Path
from typing import Any

import pytest

import mlsysim
from mlsysim import Account, Model, Models, ScenarioError, Systems, account, ureg
from mlsysim.accounting import account as imported

CONFIGURATIONS = Path(__file__).resolve().parents[2] / "tests" / "configurations"
QWEN = CONFIGURATIONS / "Qwen__Qwen2-7B.json"
LLAMA = Model.named("Llama3_70B")
TRAINED = LLAMA.account("tp=8,pp=4,dp=16,sp", batch=512, sequence=8192)

# What a type checker would refuse is tested here: what happens without one.
untyped: Any = LLAMA


def test_counts() -> None:
    assert LLAMA.name == "Llama-3.1-70B"
    assert LLAMA.model_type == "llama"
    assert (LLAMA.total, LLAMA.active) == (70_553_706_496, 70_553_706_496)
    assert LLAMA.parameters["mlp"] == 80 * 3 * 8192 * 28672
    parts = {name: count for name, count in LLAMA.parameters.items() if name not in ("total", "active")}
    assert sum(parts.values()) == LLAMA.total
    # 80 layers of a key and a value of 8 heads, 128 wide, two bytes each.
    assert LLAMA.kv_bytes_per_token == 80 * 2 * 8 * 128 * 2
    assert (LLAMA.layers, LLAMA.hidden, LLAMA.vocabulary) == (80, 8192, 128256)
    assert LLAMA.notes == []
    assert all(type(count) is int for count in LLAMA.parameters.values())
    assert LLAMA.summary()["parameters"] == LLAMA.parameters


def test_a_configuration_may_come_in_any_form(tmp_path: Path) -> None:
    text = QWEN.read_text(encoding="utf-8")
    (tmp_path / "config.json").write_bytes(b"\xef\xbb\xbf" + text.encode())
    older = tmp_path / "older"
    older.mkdir()
    (older / "params.json").write_text(text, encoding="utf-8")
    forms: list[Any] = [QWEN, str(QWEN), text, json.loads(text), tmp_path, older, str(tmp_path / "config.json")]
    for form in forms:
        model = Model.from_config(form)
        assert model.total == 7_615_616_512
        assert model.summary() == Model.from_config(QWEN).summary()
        assert account(form, tp=2).parameters == model.account(tp=2).parameters
    assert Model.from_config(QWEN).name == str(QWEN)


def test_a_workload_is_its_model() -> None:
    assert Model.named(Models.Language.Llama3_70B).summary() == LLAMA.summary()
    assert Model.named("Models.Language.Llama3_70B").summary() == LLAMA.summary()
    for model in (LLAMA, Models.Language.Llama3_70B, "Llama3_70B"):
        assert account(model, tp=8).report() == LLAMA.account(tp=8).report()
    assert imported is account is mlsysim.account


def test_an_account_of_training() -> None:
    assert isinstance(TRAINED, Account)
    assert (TRAINED.devices, TRAINED.stage) == (512, 3)
    layer = 8192 * (1024 + 128 + 128 + 1024) + 3 * 8192 * 3584 + 2 * 8192
    assert TRAINED.parameters["total"] == 20 * layer + 8192 + 8192 * 16032
    forward = 2 * 32 * 8192 * 20 * 3 * 8192 * 3584 * ureg.FLOP
    assert TRAINED.flops["forward"]["mlp"] == forward
    assert TRAINED.flops["backward"]["mlp"] == 2 * forward
    assert TRAINED.flops["recompute"]["total"] == 0 * ureg.FLOP
    assert TRAINED.sent["pp"].to("B").magnitude == 32 * 8192 / 8 * 8192 * 2
    groups = sum(sent.to("B").magnitude for group, sent in TRAINED.sent.items() if group != "total")
    assert groups == pytest.approx(TRAINED.sent["total"].to("B").magnitude, rel=1e-12)
    assert TRAINED.bytes["forward"]["total"].to("GB").magnitude > 0
    report = TRAINED.report()
    assert report["layout"]["tp"] == 8
    assert report["step"]["sequence"] == 8192
    assert report["training_flops_per_token"]["6n"].magnitude == 6 * LLAMA.total
    assert {row["name"] for row in report["operations"]} >= {"query", "scores", "gate", "vocabulary"}
    assert {row["collective"] for row in report["exchanges"]} == {
        "all-gather", "reduce-scatter", "all-reduce", "send-receive",
    }


def test_a_layout_may_come_in_any_form() -> None:
    report = LLAMA.account("tp=8,pp=2,stages=[41,39],sp", batch=4, stage=1).report()
    degrees = {"tp": 8, "pp": 2, "stages": [41, 39], "sp": True}
    for found in (
        LLAMA.account(degrees, batch=4, stage=1),
        LLAMA.account(tp="8", pp=2, stages=(41, 39), sp=True, batch="4", stage=1),
        LLAMA.account({"tp": 8, "pp": 2}, stages=[41, 39], sp=True, batch=4, stage=1),
    ):
        assert found.report() == report
    assert report["layers"] == 39
    assert LLAMA.account().devices == 1


def test_accounts_of_inference() -> None:
    decode = LLAMA.account(tp=8, decode=64, context=8192)
    assert decode.report()["step"] | {} == {
        "phase": "decode", "batch": 64, "sequence": 1, "context": 8192, "micro_batch": 64,
        "recompute": "none", "precision": "bf16", "gradients": "fp32", "kv_precision": "bf16",
    }
    # Scores and their values, for each of 8 heads and 8193 keys.
    scores = next(row for row in decode.report()["operations"] if row["name"] == "scores")
    assert scores["forward"].magnitude == 80 * 64 * 8193 * 8 * 4 * 128
    assert decode.flops["backward"]["total"].magnitude == 0
    prefill = LLAMA.account(tp=8, prefill=2048, batch=4, context=1024, kv_precision="fp8")
    step = prefill.report()["step"]
    assert (step["phase"], step["sequence"], step["batch"], step["context"]) == ("prefill", 2048, 4, 1024)
    assert "training_flops_per_token" not in prefill.report()


def test_explanations() -> None:
    explained = TRAINED.explain("flops.forward.mlp")
    assert explained.data["name"] == "flops.forward.mlp"
    assert explained.data["value"]["value"] == TRAINED.flops["forward"]["mlp"].magnitude
    assert "gate + up + down" in str(explained)
    totals = TRAINED.explain()
    assert [total.data["name"] for total in totals] == [
        "parameters.total", "flops.forward.total", "flops.backward.total",
        "bytes.forward.total", "bytes.backward.total", "sent.total",
    ]


def test_an_account_on_a_machine() -> None:
    placed = LLAMA.account("tp=8,pp=4,dp=16,sp", batch=512, sequence=8192, on="Training_512_H100")
    report = placed.report()
    assert set(report) >= {"machine", "memory", "groups", "bound", "fit"}
    assert placed.fits
    assert placed.nearest is None
    assert placed.machine["devices"] == 512
    # An eighth of 20 layers and of the table, two bytes each.
    assert placed.memory["stage"] == 0
    assert placed.memory["weights"].to("B").magnitude == 2 * 2_270_756_864
    assert placed.memory["capacity"].to("GiB").magnitude == 80
    parts = [part for part, kind in placed.memory["kinds"].items() if part not in ("total", "capacity", "free")]
    held = sum(placed.memory[part].to("B").magnitude for part in parts)
    assert held == pytest.approx(placed.memory["total"].to("B").magnitude, rel=1e-12)
    free = placed.memory["capacity"] - placed.memory["total"]
    assert free.to("B").magnitude == pytest.approx(placed.memory["free"].to("B").magnitude, rel=1e-12)
    assert [(group["group"], group["domains"], group["link"]) for group in placed.groups] == [
        ("tp", 1, "links"), ("pp", 2, "network"), ("dp", 16, "network"),
    ]
    # The slowest stage has the head; its exchanges are those of the bound.
    assert (placed.stage, placed.bound["stage"], placed.bound["binds"]) == (3, 3, "arithmetic")
    arithmetic = sum(placed.flops[way]["total"].to("FLOP").magnitude for way in ("forward", "backward"))
    assert placed.bound["time"].to("s").magnitude == pytest.approx(arithmetic / 989e12, rel=1e-12)
    network = sum(group["on_network"].to("s").magnitude for group in placed.groups)
    assert network == pytest.approx(placed.bound["network"].to("s").magnitude, rel=1e-12)
    assert placed.bound["kind"] == "bound"
    assert "= flops / peak" in str(placed.explain("bound.arithmetic"))
    assert [line.data["name"] for line in placed.explain()][-2:] == ["memory.total", "bound.time"]
    assert pickle.loads(pickle.dumps(placed)).report() == report


def test_what_does_not_fit() -> None:
    tight = LLAMA.account(tp=8, dp=2, on=Systems.Nodes.DGX_H100, nodes=2, fabric=Systems.Fabrics.InfiniBand_NDR)
    assert not tight.fits
    assert tight.report()["fit"]["binds"] == "memory"
    lacking = tight.report()["fit"]["lacking"]
    assert lacking.to("B").magnitude == -tight.memory["free"].to("B").magnitude
    nearest = tight.nearest
    assert nearest is not None
    again = LLAMA.account(
        nearest["layout"], on="DGX_H100", nodes=2, fabric="InfiniBand_NDR", recompute=nearest["step"]["recompute"],
    )
    assert again.fits
    small = {"optimizer": "sgd", "framework": "0 GiB"}
    sgd = LLAMA.account(tp=8, dp=2, on="DGX_H100", nodes=2, fabric="InfiniBand_NDR", memory=small)
    assert sgd.memory["overhead"].magnitude == 0
    assert sgd.memory["optimizer"] * 3 == tight.memory["optimizer"]
    more = LLAMA.account(tp=8, dp=128, on="Training_512_H100").report()["fit"]
    assert (more["fits"], more["binds"], more["lacking"]) == (False, "devices", 512)


@pytest.mark.parametrize(
    ("question", "field", "message"),
    [
        ({"tp": 7}, "tp", "the 64 heads do not divide by `7`; it can be `1`, `2`, `4`, `8`, `16`, `32` and `64`"),
        ({"layout": "tq=8,pp"}, "tq", "a layout has no such degree"),
        ({"layout": "tp=8", "pp": 2}, "pp", "give the layout as a text or by its degrees, not both"),
        ({"layout": {"tp": 8}, "tp": 8}, "tp", "it is given twice"),
        ({"layout": {"tpp": 8}}, "tpp", "did you mean `tp`?"),
        ({"sequense": 8}, "sequense", "an account has no input of that name; did you mean `sequence`?"),
        ({"sp": True}, "sp", "but tp is `1`"),
        ({"pp": 81}, "pp", "`81` stages are more than the 80 layers"),
        ({"dp": 4, "batch": 6}, "batch", "`6` sequences do not divide by dp 4 replicas; 4 or 8 would"),
        ({"batch": 0}, "batch", "a whole number of at least 1"),
        ({"batch": 8.5}, "batch", "but `8.5` was given"),
        ({"sequence": "many"}, "sequence", 'but "many" was given'),
        ({"cp": 8, "prefill": 1000}, "prefill", "`1000` tokens make no 16 equal parts"),
        ({"decode": 0, "context": 1}, "decode", "a whole number of at least 1"),
        ({"decode": 8}, "context", "how many tokens of each sequence are cached is needed"),
        ({"decode": 8, "context": 9, "batch": 8}, "batch", "it is what `decode` gives"),
        ({"decode": 8, "context": 9, "prefill": 8}, "decode", "both were given"),
        ({"prefill": 8, "sequence": 8}, "sequence", "it is what `prefill` gives"),
        ({"context": 5}, "context", "training has no KV cache, but `5` was given"),
        ({"precision": "fp17"}, "precision", "`fp17` is no precision of storage"),
        ({"recompute": "ful"}, "recompute", "did you mean `full`?"),
        ({"stage": 1}, "stage", "there are stages 0 to 0, but `1` was given"),
        ({"stage": -1}, "stage", "a whole number is needed, but `-1` was given"),
        ({"on": "H100"}, "on", "`H100` is a device; did you mean one of `DGX_H100`"),
        ({"on": "GB200_NVL72"}, "on", "did you mean `DGX_GB200`?"),
        ({"on": "DGX_H10"}, "on", "nothing is called `DGX_H10`; did you mean `DGX_H100`?"),
        ({"on": 3}, "on", "the name of an entry of the registry is needed"),
        ({"nodes": 2}, "nodes", "give `on` too"),
        ({"memory": {}}, "memory", "give `on` too"),
        ({"on": "DGX_H100", "nodes": 2}, "fabric", "`2` servers need a network between them"),
        ({"on": "DGX_H100", "nodes": 0}, "nodes", "but `0` was given"),
        ({"on": "DGX_H100", "tp": 16}, "on", "a group of 16 ranks reaches beyond the 8 devices of DGX H100"),
        ({"on": "DGX_A100", "precision": "fp8"}, "precision", "states no peak for `fp8`, only for"),
        ({"on": "DGX_H100", "memory": {"optimiser": "adam"}}, "memory.optimiser", "did you mean `optimizer`?"),
        ({"on": "DGX_H100", "memory": {"framework": "-1 GiB"}}, "memory.framework", "at least 0 B"),
        ({"on": "DGX_H100", "memory": {"fragmentation": "x"}}, "memory.fragmentation", 'but "x" was given'),
        ({"on": "DGX_H100", "memory": 3}, "memory", "a dict is needed"),
        (
            {"on": "DGX_H100", "recompute": "full", "memory": {"recompute_layers": 90}},
            "memory.recompute_layers",
            "stage 0 has 80 layers, but `90`",
        ),
        ({"tp": b"8"}, "tp", "a value of the type `bytes` is not understood"),
        ({"recompute": "\ud800"}, "recompute", "a text of whole characters is needed"),
        ({"layout": "\ud800=8"}, None, ""),
    ],
)
def test_refusals(question: dict[str, Any], field: str | None, message: str) -> None:
    with pytest.raises(ScenarioError) as refusal:
        untyped.account(**question)
    assert message in refusal.value.message
    if field is not None:
        assert refusal.value.field == field


def test_what_is_no_configuration(tmp_path: Path) -> None:
    files: dict[str, tuple[bytes, str]] = {
        "broken.json": (b"{broken", "this is no JSON: key must be a string"),
        "list.json": (b"[1]", "a configuration is a JSON object"),
        "latin.json": (b"\xff", "the file is no UTF-8 text"),
        "deep.json": (b'{"a":' * 100_000, "recursion limit exceeded"),
        "lacking.json": (b'{"model_type": "llama"}', "the configuration of llama lacks `hidden_size`"),
        "long.json": (b" " * ((4 << 20) + 1), "at most 4 MiB are read"),
    }
    for name, (data, message) in files.items():
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ScenarioError, match=message) as refusal:
            Model.from_config(path)
        assert str(refusal.value).startswith(f"{path}: ")
    (tmp_path / "bare").mkdir()
    with pytest.raises(ScenarioError, match="neither a `config.json` nor a `params.json`"):
        Model.from_config(tmp_path / "bare")
    from_config: Any = Model.from_config
    for given, message in {
        "nowhere.json": "nowhere.json: No such file",
        "a\0b": "null",
        '{"hidden_size": ': "this is no JSON: EOF",
        3: "a path, a text or a dict is needed, but a `int` was given",
    }.items():
        with pytest.raises(ScenarioError, match=message):
            from_config(given)
    with pytest.raises(ScenarioError, match="this is no configuration: .*not JSON serializable"):
        from_config({"hidden_size": object()})


def test_what_is_no_model() -> None:
    with pytest.raises(ScenarioError, match="did you mean"):
        Model.named("Llama3_70")
    named: Any = Model.named
    with pytest.raises(ScenarioError, match="model: a model of the registry is needed, but `3` was given"):
        named(3)
    with pytest.raises(ScenarioError, match="has no published configuration"):
        account(Models.Vision.ResNet50)
    for cls in (Model, Account):
        with pytest.raises(TypeError):
            cls()
    with pytest.raises(AttributeError, match="a Model does not change"):
        untyped.name = "mine"
    with pytest.raises(ScenarioError, match="did you mean `attention`"):
        TRAINED.explain("atention")
    with pytest.raises(ScenarioError, match="on: `memory.weights` is a line of a step on a machine"):
        TRAINED.explain("memory.weights")
    for name in ("machine", "memory", "groups", "bound", "fits", "nearest"):
        with pytest.raises(ScenarioError, match="on: the account was made without a machine"):
            getattr(TRAINED, name)


def test_pickles_and_copies() -> None:
    for model in (LLAMA, Model.from_config(QWEN), Model.named(Models.Language.Mixtral_8x7B)):
        assert pickle.loads(pickle.dumps(model)).summary() == model.summary()
        assert copy.deepcopy(model) is model
    again = pickle.loads(pickle.dumps(TRAINED))
    assert again.report() == TRAINED.report()


def test_representations() -> None:
    assert repr(LLAMA) == "<Model Llama-3.1-70B (llama): 70,553,706,496 parameters>"
    unnamed = Model.from_config(QWEN.read_text(encoding="utf-8"))
    assert repr(unnamed) == "<Model qwen2: 7,615,616,512 parameters>"
    assert repr(TRAINED) == (
        "<Account of Llama-3.1-70B, training on 512 devices: "
        "stage 3 with 20 layers, 2,270,765,056 parameters a rank>"
    )
    assert "<td>mlp</td><td>56,371,445,760</td>" in LLAMA._repr_html_()
    html = TRAINED._repr_html_()
    assert "<td>mlp</td><td>1,761,607,680</td><td>9.2359e14 flop</td>" in html
    assert "<td>pp</td><td>536871000 B</td>" in html
    assert "router" not in html
    odd = Model.from_config(json.loads(QWEN.read_text(encoding="utf-8")) | {"model_type": "<b>"})
    assert "<b>" not in odd._repr_html_().replace("<caption><b>", "")
    assert "&lt;b&gt;" in odd._repr_html_()
