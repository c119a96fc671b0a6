"""What several tests use."""

from typing import Any

import pytest


@pytest.fixture
def speedup_inputs() -> dict[str, Any]:
    """Inputs of a tensor-parallel speed-up, as text and numbers."""
    return {
        "serial_layer_times": {"attention": "12 ms", "feed-forward": "18 ms"},
        "tp_size": 8,
        "allreduce_time": "0.3 ms",
        "collectives_per_layer": 2,
        "layers": 80,
    }
