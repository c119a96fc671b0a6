"""Predictions against published measurements, and coefficients that are fitted on them.

Tables come from a folder in the form of ``data/measurements``, and any of them may be given in its
place: a pandas data frame, an Arrow table, a list of dicts, a path, or the text of a CSV file. What
comes out are lists of dicts, which ``pandas.DataFrame`` and ``pyarrow.Table.from_pylist`` take.
"""

from __future__ import annotations

from . import _mlsysim
from .errors import ScenarioError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from os import PathLike
    from typing import Any, TypeAlias

    #: A data frame of pandas, a table of Arrow, rows as dicts, a path, or the text of a CSV file.
    Table: TypeAlias = Any

#: What can be validated on its own.
_VALIDATED = ("kernels", "collectives", "training", "serving")
#: What can be calibrated on its own.
_CALIBRATED = ("gemm", "attention", "collectives", "training", "serving", "speed-ups")
#: What errors are told by.
_BY = ("regime", "gpu", "source", "tp")


class Validation:
    """How far predictions are off from measurements.

    ``validate`` returns it.
    """

    __slots__ = ("_told",)

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    @property
    def rows(self) -> int:
        """How many rows there are, modelled or not."""
        return int(self._told["rows"])

    @property
    def scores(self) -> list[dict[str, Any]]:
        """A row for each regime, device or source: ``median``, ``mean``, ``p90`` and ``bias`` of errors of
        predictions whose fit did not have the row's group, the ``coverage`` of their intervals, and the same
        without the device's family, at the speed of light, and by one efficiency for each device."""
        return list(self._told["scores"])

    @property
    def predictions(self) -> list[dict[str, Any]]:
        """A row for each measurement: ``measured``, ``bound``, ``predicted``, ``low`` and ``high``, in seconds."""
        return list(self._told["predictions"])

    @property
    def not_modelled(self) -> dict[str, int]:
        """How many rows are not modelled, by reason."""
        return dict(self._told["not_modelled"])

    @property
    def speed_ups(self) -> dict[str, Any] | None:
        """How many times faster more ranks of tensor parallelism are, of the rows in ``tp_sweeps.csv``: how many
        ``rows`` there are, how many of those are ``references`` that the others are told over, their ``scores`` and
        ``predictions``, and what is ``not_modelled`` by reason; nothing where there is no such table."""
        return self._told.get("speed_ups")

    def __repr__(self) -> str:
        left_out = sum(self.not_modelled.values())
        return f"<Validation of {self.rows:,} rows: {len(self.predictions):,} predicted, {left_out:,} not modelled>"


class Fit:
    """Coefficients that were fitted on measurements.

    ``calibrate`` returns it.
    """

    __slots__ = ("_told",)

    def __init__(self, told: dict[str, Any]) -> None:
        self._told = told

    @property
    def coefficients(self) -> list[dict[str, Any]]:
        """A row for each coefficient: ``value``, ``standard_error``, ``unit`` and ``meaning``."""
        return list(self._told["coefficients"])

    @property
    def files(self) -> dict[str, str]:
        """The text of each file, as ``mlsysim calibrate`` writes it; ``validate`` and ``predict`` take
        them as ``calibration``."""
        return dict(self._told["files"])

    @property
    def notes(self) -> list[str]:
        """Which coefficients rows of your own moved, which they do not identify, and which rows are not modelled."""
        return list(self._told["notes"])

    def write(self, folder: str | PathLike[str]) -> None:
        """Writes the files into ``folder``."""
        from pathlib import Path

        Path(folder).mkdir(parents=True, exist_ok=True)
        for name, text in self.files.items():
            (Path(folder) / name).write_text(text, encoding="utf-8")

    def __repr__(self) -> str:
        return f"<Fit of {len(self.coefficients)} coefficients in {', '.join(self.files)}>"


def validate(
    data: str | PathLike[str] = "data/measurements",
    *,
    tables: Mapping[str, Table] | None = None,
    only: str | Iterable[str] | None = None,
    by: str = "regime",
    calibration: str | PathLike[str] | Fit | None = None,
) -> Validation:
    """How far predictions are off from the measurements in the folder ``data``.

    ``tables`` are given in place of its files by their names (``"training.csv"``). ``only`` is
    ``"kernels"``, ``"collectives"``, ``"training"`` or ``"serving"``, or several of them, and ``by`` is what errors are
    told by: ``"regime"``, ``"gpu"``, ``"source"``, or ``"tp"``, the degree of the sweeps in ``speed_ups``. ``calibration`` is a folder that ``mlsysim calibrate``
    wrote, or what ``calibrate`` returned, with all of its files; that of this package if left out.

    Raises
    ------
    ScenarioError
        A file is missing or malformed.
    """
    asked = _asked(only, _VALIDATED)
    if by not in _BY:
        raise ScenarioError(_needed(by, _BY), "by")
    texts = _texts(data, tables)
    return Validation(_mlsysim.validate(texts, calibration_files(calibration), asked, by))


def calibrate(
    data: str | PathLike[str] = "data/measurements",
    *,
    tables: Mapping[str, Table] | None = None,
    only: str | Iterable[str] | None = None,
    own: str | PathLike[str] | Mapping[str, Table] | None = None,
) -> Fit:
    """The coefficients of predictions, fitted on the measurements in the folder ``data``.

    ``tables`` are given in place of its files by their names. ``only`` is ``"gemm"``, ``"attention"``,
    ``"collectives"``, ``"training"``, ``"serving"`` or ``"speed-ups"``, the intervals of speed-ups, or several of them. Nothing is changed that predictions use;
    ``validate``, ``predict``, ``tp`` and ``plan`` take the result as ``calibration``.

    With ``own``, a folder or tables by their names with a few rows of your own, the coefficients of this package
    are moved as far as those rows identify them, and ``notes`` names those that are not; what words stand for is
    read from its texts and from those of ``data``.

    Raises
    ------
    ScenarioError
        A file is missing or malformed, or there are too few rows.
    """
    asked = _asked(only, _CALIBRATED)
    if own is None:
        return Fit(_mlsysim.calibrate(_texts(data, tables), asked))
    if asked:
        raise ScenarioError("all coefficients are moved by rows of your own; leave `only` out", "only")
    from collections.abc import Mapping as Tables

    if isinstance(own, Tables):
        rows = {name: _text(table, name) for name, table in own.items()}
    else:
        rows = _files(own, "own")
    return Fit(_mlsysim.calibrate(_texts(data, tables), asked, rows))


def calibration_files(calibration: str | PathLike[str] | Fit | None) -> dict[str, str]:
    """The files of a calibration: none where that of this package is meant."""
    if calibration is None:
        return {}
    if isinstance(calibration, Fit):
        return calibration.files
    files = _files(calibration, "calibration")
    if not any(f"{name}.toml" in files for name in _CALIBRATED):
        raise ScenarioError(f"`{calibration}` has no calibration, which `mlsysim calibrate` writes", "calibration")
    return files


def _asked(only: str | Iterable[str] | None, known: tuple[str, ...]) -> list[str]:
    asked = [only] if isinstance(only, str) else list(only or ())
    for name in asked:
        if name not in known:
            raise ScenarioError(_needed(name, known), "only")
    return asked


def _needed(given: object, known: tuple[str, ...]) -> str:
    near = _mlsysim.nearest(str(given), list(known))
    hint = f"; did you mean `{near}`?" if near else ""
    return f"one of {', '.join(f'`{name}`' for name in known)} is needed, but `{given}` was given{hint}"


def _texts(data: str | PathLike[str], tables: Mapping[str, Table] | None) -> dict[str, str]:
    texts = _files(data, "data")
    for name, table in (tables or {}).items():
        if name not in texts and not name.endswith(".csv"):
            near = _mlsysim.nearest(name, list(texts))
            hint = f"; did you mean `{near}`?" if near else ""
            raise ScenarioError(f"there is no table of that name{hint}", f"tables.{name}")
        texts[name] = _text(table, name)
    return texts


def _files(folder: str | PathLike[str], field: str) -> dict[str, str]:
    """The texts of the tables in a folder, by their paths within it."""
    from pathlib import Path

    root = Path(folder)
    if not root.is_dir():
        what = "a folder that `mlsysim calibrate` wrote" if field == "calibration" else "a folder of measurements"
        raise ScenarioError(f"{what} is needed, but `{folder}` is none", field)
    found = [path for path in sorted(root.rglob("*")) if path.suffix in (".csv", ".toml")]
    return {path.relative_to(root).as_posix(): path.read_text(encoding="utf-8") for path in found}


def _text(table: Table, name: str) -> str:
    """A table as the text of a CSV file."""
    if hasattr(table, "to_csv"):
        text: str = table.to_csv(index=False)
        return text
    if hasattr(table, "to_pylist"):
        return _written(table.to_pylist(), name)
    if isinstance(table, str) and "\n" in table:
        return table
    if isinstance(table, str) or hasattr(table, "__fspath__"):
        from pathlib import Path

        try:
            return Path(table).read_text(encoding="utf-8")
        except OSError as error:
            raise ScenarioError(f"{table}: {error.strerror}", f"tables.{name}") from None
    return _written(table, name)


def _written(rows: Any, name: str) -> str:
    import csv
    import io

    rows = list(rows)
    if not rows or not all(hasattr(row, "keys") for row in rows):
        needed = "a data frame, an Arrow table, a list of dicts, a path or a CSV text is needed"
        raise ScenarioError(needed, f"tables.{name}")
    columns = list(dict.fromkeys(column for row in rows for column in row))
    out = io.StringIO()
    writer = csv.DictWriter(out, columns, restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows({key: "" if value is None else value for key, value in row.items()} for row in rows)
    return out.getvalue()
