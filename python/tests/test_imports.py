"""Nothing is imported before it is needed."""

import subprocess
import sys

import pytest

HEAVY = ("pint", "numpy", "inspect", "typing")


def modules_after(code: str) -> list[str]:
    """The modules that are loaded after ``code``, beside those that Python loads itself."""
    listing = f"import sys; before = set(sys.modules); {code}; print(*sorted(set(sys.modules) - before))"
    ran = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True)
    return ran.stdout.split()


def test_import_loads_nothing() -> None:
    loaded = modules_after("import mlsysim")
    assert loaded == ["mlsysim"]


@pytest.mark.parametrize(
    "code",
    [
        "from mlsysim import Scenarios, Hardware, Models, Systems",
        "from mlsysim import Agents, Datasets, Infrastructure, Literature, Ops, ReferenceStats",
        "from mlsysim import Systems; list(Systems.Reliability); Systems.Reliability._repr_html_()",
        "from mlsysim import Scenarios; Scenarios.Llama2_70BPrefillTensorParallel8.speedup",
        "from mlsysim import Scenarios; repr(Scenarios.Llama2_70BPrefillTensorParallel8.variant(tp_size=4))",
        "from mlsysim import Scenarios; str(Scenarios.Gpt3TensorParallelLayerTp8.explain('result'))",
        "from mlsysim import Scenarios; Scenarios.Gpt3TensorParallelLayerTp8._repr_html_()",
        "from mlsysim.engine.scenario_types import TensorParallelLayerScenario",
        "from mlsysim.solvers import TensorParallelLayerModel",
        "from mlsysim import Model; Model.named('Llama3_70B').account(tp=8)._repr_html_()",
        "from mlsysim import account; str(account('Llama3_70B', tp=8).explain('mlp')), account('Llama3_8B')",
    ],
)
def test_pint_waits_for_a_quantity(code: str) -> None:
    loaded = modules_after(code)
    assert "mlsysim._mlsysim" in loaded
    assert "pint" not in loaded
    assert "numpy" not in loaded


def test_a_quantity_loads_pint() -> None:
    assert "pint" in modules_after("from mlsysim import Hardware; Hardware.Cloud.H100.tdp")


def test_packages_are_reached_by_attribute() -> None:
    code = "import mlsysim; mlsysim.engine.scenario_types.TensorParallelLayerScenario; mlsysim.solvers; mlsysim.records"
    assert "mlsysim.solvers" in modules_after(code)


def test_the_version_is_known() -> None:
    import mlsysim

    assert mlsysim.__version__.count(".") == 2
    assert set(mlsysim.__all__) <= set(dir(mlsysim))
