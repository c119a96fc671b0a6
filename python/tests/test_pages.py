"""The examples of the scenario pages run as printed."""

import doctest

import pytest

PAGES = {
    "TensorParallelLayerScenario": """
>>> from mlsysim import Scenarios
>>> case = Scenarios.Gpt3TensorParallelLayerTp8
>>> type(case.result).__name__
'TensorParallelLayerResult'
""",
    "TensorParallelSpeedupScenario": """
>>> from mlsysim import Scenarios
>>> scenario = Scenarios.Llama2_70BPrefillTensorParallel8
>>> round(scenario.speedup, 6)
6.896552
""",
}


@pytest.mark.parametrize("page", PAGES)
def test_example(page: str) -> None:
    example = doctest.DocTestParser().get_doctest(PAGES[page], {}, page, None, 0)
    runner = doctest.DocTestRunner()
    assert runner.run(example).failed == 0
    assert runner.tries == len(example.examples)


def test_speedup_page() -> None:
    from mlsysim import Scenarios, ureg

    scenario = Scenarios.Llama2_70BPrefillTensorParallel8
    milliseconds = {
        "serial_layer_time": 30,
        "sharded_compute_time": 3.75,
        "parallel_layer_time": 4.35,
        "serial_total": 2400,
        "parallel_total": 348,
    }
    for name, value in milliseconds.items():
        output = getattr(scenario, name)
        assert output.units == ureg.millisecond, name
        assert output.magnitude == pytest.approx(value, rel=1e-12), name
    assert scenario.sharded("attention") == scenario.sharded(phase="attention") == 1.5 * ureg.millisecond
    assert type(scenario.speedup) is float
    assert type(scenario.tp_size) is int


def test_layer_page() -> None:
    from mlsysim import Hardware, Models, Scenarios

    case = Scenarios.Gpt3TensorParallelLayerTp8
    assert case.workload == Models.Language.GPT3
    assert case.accelerator == Hardware.Cloud.H100
    assert case.precision == "fp16_dense"
    assert case.collectives_per_layer == 2
    assert type(case.local_efficiency) is float
    assert list(case.links) == ["NVLink", "InfiniBand NDR"]
    assert case.result.compute_time.magnitude == pytest.approx(1.8874283788338388, rel=1e-12)
    assert {str(time.units) for time in case.result.transfer_times.values()} == {"ms"}
    assert str(case.result.layer_flops.units) == "flop"
    assert str(case.result.layer_bytes.units) == "B"
