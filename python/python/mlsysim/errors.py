"""What mlsysim raises: refusals of inputs, and outputs that do not exist."""

from __future__ import annotations


class ScenarioError(ValueError):
    """An input was refused, or a name is not known.

    ``field`` names the input as its author wrote it, with the way into it (``links.NVLink``), and
    is ``None`` where no input is at fault. ``message`` says what is needed, what was given and, for
    a slip, the nearest right spelling. ``kind`` is for programs: ``"input"``, ``"unknown"``,
    ``"absent"`` or ``"malformed"``.
    """

    def __init__(self, message: str, field: str | None = None, kind: str = "input") -> None:
        super().__init__(message, field, kind)
        self.message = message
        self.field = field
        self.kind = kind

    def __str__(self) -> str:
        return self.message if self.field is None else f"{self.field}: {self.message}"


class AbsentError(ScenarioError, AttributeError):
    """An output does not exist for this instance; the message says why.

    It is an ``AttributeError`` too, so that ``hasattr`` is false for such an output and ``getattr``
    takes its default.

    >>> from mlsysim.records import Workload
    >>> Workload(name="a convolutional model").head_width
    Traceback (most recent call last):
        ...
    mlsysim.errors.AbsentError: needs the input `head_dim`, which is not set
    """
