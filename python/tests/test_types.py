"""The stubs tell a type checker what the classes have, and what they lack."""

import subprocess
import sys
from pathlib import Path

import pytest

RIGHT = '''
from typing import assert_type

from pint.registry import Quantity

import mlsysim
from mlsysim import Account, Model, account
from mlsysim import Agents, Datasets, Hardware, Infrastructure, Literature, Models, Ops, ReferenceStats, Scenarios, Systems
from mlsysim.engine.scenario_types import TensorParallelLayerScenario, TensorParallelSpeedupScenario
from mlsysim.explanation import Explanation, Explanations
from mlsysim.records import HardwareNode, ReliabilityComponent, Source, Workload
from mlsysim.solvers import TensorParallelLayerModel, TensorParallelLayerResult

case = Scenarios.Llama2_70BPrefillTensorParallel8
assert_type(case, TensorParallelSpeedupScenario)
assert_type(case.speedup, float)
assert_type(case.tp_size, int)
assert_type(case.parallel_total, Quantity[float])
assert_type(case.serial_layer_times, dict[str, Quantity[float]])
assert_type(case.sharded("attention"), Quantity[float])
assert_type(case.variant(tp_size=4, name="mine"), TensorParallelSpeedupScenario)
assert_type(case.name, str)
layer = TensorParallelLayerScenario(
    workload=Models.Language.GPT3,
    tp_size="8",
    tokens=2048,
    accelerator="Hardware.Cloud.H100",
    local_efficiency=0.5,
    links={"NVLink": Hardware.Cloud.H100.memory.bandwidth, "NDR": "400 Gbps", "other": mlsysim.Q_(1, "GB/s")},
)
assert_type(layer.workload, Workload)
assert_type(layer.result, TensorParallelLayerResult)
assert_type(Systems.Nodes.DGX_H100.accelerator, HardwareNode)
assert_type(Models.Language.GPT3.parameters, Quantity[float] | None)
solved = TensorParallelLayerModel().solve(Models.Language.GPT3, 8, 2048, "989 TFLOP/s", 0.5, {"NVLink": "450 GB/s"})
assert_type(solved.transfer_times, dict[str, Quantity[float]])
assert_type(Hardware.Cloud.H100.sources()["tdp"].url, str | None)
assert_type(case.explain(), Explanations)
assert_type(case.explain("speedup"), Explanation)
assert_type(Hardware.Tech.Memory.DRAM.energy_per_byte, Quantity[float])
assert_type(Hardware.Tech.Memory.sources(), dict[str, Source])
assert_type(Systems.SwitchFabric.NdrSwitchPorts, int)
assert_type(Systems.Reliability.SdcRatePerGpuHr, float)
assert_type(Systems.Reliability.Gpu, ReliabilityComponent)
assert_type(Agents.Support.CustomerOps.archetype, str)
assert_type(Datasets.MNIST.name, str)
model = Model.named(Models.Language.Llama3_8B)
assert_type(model, Model)
assert_type(model.parameters, dict[str, int])
assert_type(model.kv_bytes_per_token, int)
counted = model.account("tp=8", batch=4, sequence="4096", recompute="full")
assert_type(counted, Account)
assert_type(account("Llama3_8B", tp=2, decode=8, context=1024), Account)
assert_type(counted.flops["forward"]["mlp"], Quantity[float])
assert_type(counted.sent, dict[str, Quantity[float]])
assert_type(counted.explain(), Explanations)
assert_type(counted.explain("sent.tp"), Explanation)
print(mlsysim.Literature, Infrastructure, Literature, Ops, ReferenceStats, len(mlsysim.__all__))
try:
    case.variant(tp_size=0)
except mlsysim.ScenarioError as error:
    assert_type(error.field, str | None)
print(mlsysim.ureg.Quantity(3, "ms"), case.explain("speedup").data)
'''

WRONG = {
    "case.allreduce_tmie": "attr-defined",
    "case.variant(allreduce_tmie='1 ms')": "call-arg",
    "case.variant(allreduce_time=0.3)": "arg-type",
    "mlsysim.Hardware.Cloud.H10": "attr-defined",
    "Hardware.Tech.Memory.DRAM.energy_per_bite": "attr-defined",
    "Systems.Fabrics.sources()": "attr-defined",
    "case.speedup.magnitude": "attr-defined",
    "TensorParallelSpeedupScenario(tp_size=8)": "call-arg",
    "model.account(batch=0.5)": "arg-type",
    "counted.flop": "attr-defined",
}


def mypy(tmp_path: Path, code: str) -> "subprocess.CompletedProcess[str]":
    pytest.importorskip("mypy")
    script = tmp_path / "script.py"
    script.write_text(code, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(tmp_path / "cache"), str(script)]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)


def test_scripts_are_typed(tmp_path: Path) -> None:
    ran = mypy(tmp_path, RIGHT)
    assert ran.returncode == 0, ran.stdout
    first = RIGHT.count("\n") + 1
    ran = mypy(tmp_path, RIGHT + "\n".join(WRONG))
    for line, (code, kind) in enumerate(WRONG.items(), first):
        found = [text for text in ran.stdout.splitlines() if text.startswith(f"script.py:{line}: error")]
        assert any(f"[{kind}]" in text for text in found), (code, ran.stdout)
