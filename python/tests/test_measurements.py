"""Validation and calibration on tables of measurements."""

import csv
from pathlib import Path
from typing import Any

import pytest

from mlsysim import Fit, ScenarioError, calibrate, plan, predict, tp, validate

DATA = Path(__file__).resolve().parents[2] / "data" / "measurements"

# What a type checker would refuse is tested here: what happens without one.
untyped: Any = validate


class Frame:
    """As much of a data frame as a table needs."""

    def __init__(self, text: str) -> None:
        self.text = text

    def to_csv(self, index: bool = True) -> str:
        assert not index
        return self.text


class Arrow:
    """As much of an Arrow table as a table needs."""

    def __init__(self, rows: list[dict[str, str | None]]) -> None:
        self.rows = rows

    def to_pylist(self) -> list[dict[str, str | None]]:
        return self.rows


def test_every_row_is_accounted_for() -> None:
    told = validate(DATA, only="training")
    assert told.rows == len(told.predictions) + sum(told.not_modelled.values())
    dense = next(score for score in told.scores if score["name"] == "training step, dense")
    assert 0 < dense["median"] < dense["p90"] < dense["speed_of_light_p90"]
    assert 0.8 < dense["coverage"] <= 1
    row = told.predictions[0]
    assert row["bound"] <= row["low"] <= row["predicted"] <= row["high"]
    by = validate(DATA, only=["training"], by="source")
    assert sum(score["rows"] for score in by.scores) >= len(told.predictions)
    assert repr(told).startswith("<Validation of ")


def test_a_table_may_come_in_any_form() -> None:
    path = DATA / "training.csv"
    text = path.read_text(encoding="utf-8")
    with path.open(encoding="utf-8", newline="") as file:
        rows: list[Any] = [{key: value or None for key, value in row.items()} for row in csv.DictReader(file)][:40]
    # Rows that nothing is fitted on stand in a table of their own.
    with (DATA / "training_apart.csv").open(encoding="utf-8", newline="") as file:
        apart = len(list(csv.DictReader(file)))
    few = validate(DATA, tables={"training.csv": rows}, only="training")
    assert few.rows == 40 + apart
    forms: list[Any] = [Arrow(rows), iter(rows)]
    for form in forms:
        assert validate(DATA, tables={"training.csv": form}, only="training").predictions == few.predictions
    whole = validate(DATA, only="training").predictions
    forms = [text, path, str(path), Frame(text)]
    for form in forms:
        assert validate(DATA, tables={"training.csv": form}, only="training").predictions == whole


def test_a_fit_is_what_the_package_came_with(tmp_path: Path) -> None:
    fit = calibrate(DATA, only="attention")
    assert isinstance(fit, Fit) and list(fit.files) == ["attention.toml"]
    memory = next(row for row in fit.coefficients if row["coefficient"] == "prefill_compute")
    assert 0.5 < memory["value"] <= 1 and memory["standard_error"] > 0 and memory["calibration"] == "attention"
    fit.write(tmp_path / "own")
    assert (tmp_path / "own" / "attention.toml").read_text(encoding="utf-8") == fit.files["attention.toml"]
    shipped = DATA.parent / "calibration"
    assert validate(DATA, only="kernels", calibration=shipped).scores == validate(DATA, only="kernels").scores


@pytest.mark.parametrize(
    ("given", "field", "message"),
    [
        ({"data": "nowhere"}, "data", "`nowhere` is none"),
        ({"data": DATA, "only": "trainig"}, "only", "did you mean `training`"),
        ({"data": DATA, "by": "gpus"}, "by", "did you mean `gpu`"),
        ({"data": DATA, "tables": {"machines.tml": ""}}, "tables.machines.tml", "did you mean `machines.toml`"),
        ({"data": DATA, "tables": {"training.csv": [1]}}, "tables.training.csv", "a data frame"),
        ({"data": DATA, "tables": {"training.csv": "no/such.csv"}}, "tables.training.csv", "No such file"),
        ({"data": DATA, "calibration": "nowhere"}, "calibration", "`nowhere` is none"),
    ],
)
def test_refusals(given: dict[str, Any], field: str, message: str) -> None:
    with pytest.raises(ScenarioError, match=message) as refused:
        untyped(**given)
    assert refused.value.field == field


def test_rows_of_ones_own_move_what_they_identify(tmp_path: Path) -> None:
    published = csv.DictReader((DATA / "training.csv").read_text(encoding="utf-8").splitlines())
    rows = [row for row in published if row["source_id"] == "vtrain_multi"][:40]
    for row in rows:
        row.update(source_id="own", group="own", iteration_s=str(1.3 * float(row["iteration_s"])))
    fit = calibrate(DATA, own={"training.csv": rows})
    told = next(note for note in fit.notes if note.startswith("training: 40 rows moved"))
    assert "too few to identify the others, which stay ours: " in told and "four_products" in told
    moved = {row["coefficient"]: row["value"] for row in fit.coefficients if row["calibration"] == "training"}
    asked: dict[str, Any] = dict(model="Llama3_8B", on="DGX_A100", tp=8, sp=True, batch=8)
    ours, own = predict(**asked), predict(**asked, calibration=fit)
    assert moved["synchronous_products"] > 0 and ours.time < own.time
    # Splits and plans are predicted by the same.
    split = tp("Llama3_8B", sp=True, on="DGX_A100", batch=8, calibration=fit)
    assert split[8].time == own.time
    folder = tmp_path / "calibration"
    folder.mkdir()
    for name, text in fit.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    best = plan("Llama3_8B", on="DGX_A100", batch=8, sequence=8192, fix="tp=8,sp", calibration=folder).best
    again = predict(
        "Llama3_8B", best.layout, on="DGX_A100", batch=8, sequence=8192, micro_batch=best.micro_batch,
        recompute=best.recompute, calibration=fit,
    )  # fmt: skip
    assert again.time.to("s").magnitude == pytest.approx(best.time.to("s").magnitude)
    assert best.time > plan("Llama3_8B", on="DGX_A100", batch=8, sequence=8192, fix="tp=8,sp").best.time
    with pytest.raises(ScenarioError, match="calibration: .* has no calibration"):
        plan("Llama3_8B", on="DGX_A100", batch=8, sequence=8192, calibration=DATA)
    with pytest.raises(ScenarioError, match="calibration: .*calibrate` wrote is needed, but `nowhere` is none"):
        tp("Llama3_8B", on="DGX_A100", calibration="nowhere")
    with pytest.raises(ScenarioError, match="own: one of the tables gemm.csv, .* is needed"):
        calibrate(DATA, own={"exclusions.csv": "row_id,reason\n"})
    with pytest.raises(ScenarioError, match="gemm.toml: there is no such file"):
        predict(**asked, calibration=calibrate(DATA, only="attention"))
    with pytest.raises(ScenarioError, match="only: all coefficients are moved"):
        calibrate(DATA, own={"training.csv": rows}, only="training")
