"""Reading configurations: files, folders, texts and dicts."""

from __future__ import annotations

from . import _mlsysim
from .errors import ScenarioError
from .values import spelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# What is looked for in a folder, the first that is there being read.
_NAMES = ("config.json", "params.json")


def text_of(config: Any) -> tuple[str, str, str]:
    """The text of a configuration, what to call its model, and the file that it was read from."""
    from collections.abc import Mapping
    from os import PathLike

    if isinstance(config, Mapping):
        return _written(config), "", ""
    if isinstance(config, str) and config.lstrip("\ufeff \t\r\n").startswith("{"):
        return spelled(config, "config").lstrip("\ufeff"), "", ""
    if isinstance(config, (str, PathLike)):
        return _read(config)
    kind = type(config).__name__
    raise ScenarioError(f"a path, a text or a dict is needed, but a `{kind}` was given", "config")


def is_elsewhere(model: str) -> bool:
    """Whether ``model`` is a path or a configuration, and no path of the registry."""
    from os import path, sep

    if model.lstrip("\ufeff \t\r\n").startswith("{") or model.endswith(".json") or sep in model:
        return True
    try:
        _mlsysim.Transformer.named(model)
    except ScenarioError:
        return path.exists(model)
    return False


def _written(config: Any) -> str:
    from json import dumps

    try:
        return dumps(dict(config))
    except (TypeError, ValueError) as error:
        raise ScenarioError(f"this is no configuration: {error}", "config", "malformed") from None


def _read(config: Any) -> tuple[str, str, str]:
    from os import fspath
    from pathlib import Path

    given = fspath(config)
    try:
        path = Path(given)
        if path.is_dir():
            path = _within(path)
        # One byte more than is read tells that a file is too long; it is not read to its end.
        with path.open("rb") as file:
            data = file.read(_mlsysim.LONGEST_CONFIGURATION + 1)
    except ScenarioError:
        raise
    except (OSError, ValueError) as error:
        # A path with what no file's name can hold is no OSError, and may not even be printable.
        said = getattr(error, "strerror", None) or str(error)
        message = f"{given}: {said}".encode("utf-8", "backslashreplace").decode()
        raise ScenarioError(message, None, "malformed") from error
    if len(data) > _mlsysim.LONGEST_CONFIGURATION:
        most = _mlsysim.LONGEST_CONFIGURATION >> 20
        said = f"a configuration has a few kilobytes, and at most {most} MiB are read; this one has more"
        raise ScenarioError(f"{path}: {said}", None, "malformed")
    try:
        return data.decode("utf-8-sig"), str(given), str(path)
    except UnicodeDecodeError:
        raise ScenarioError(f"{path}: the file is no UTF-8 text", None, "malformed") from None


def _within(folder: Any) -> Any:
    for name in _NAMES:
        if (folder / name).exists():
            return folder / name
    first, second = _NAMES
    said = f"the folder has neither a `{first}` nor a `{second}`; name the file if it is called otherwise"
    raise ScenarioError(f"{folder}: {said}", None, "malformed")
