"""How long the package takes to import, beside the reference where that is installed.

    python benches/import_time.py [--runs N] [--reference PYTHON]

Prints medians over fresh interpreters, less what an empty one takes. It asserts nothing: times
belong to the machine.
"""

import argparse
import statistics
import subprocess
import sys
import time

STEPS = {
    "import mlsysim": "import mlsysim",
    "a named case's speed-up": (
        "from mlsysim import Scenarios; Scenarios.Llama2_70BPrefillTensorParallel8.speedup"
    ),
    "the same with a quantity": (
        "from mlsysim import Scenarios; Scenarios.Llama2_70BPrefillTensorParallel8.parallel_total"
    ),
}


def median(python, code, runs):
    """The median time of a fresh interpreter that runs ``code``, in milliseconds."""
    times = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        subprocess.run([python, "-c", code], check=True, stdout=subprocess.DEVNULL)
        times.append((time.perf_counter() - start) * 1e3)
    # The first run warms the file cache.
    return statistics.median(times[1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--reference", help="a Python that has the reference installed")
    arguments = parser.parse_args()
    empty = median(sys.executable, "pass", arguments.runs)
    print(f"an empty interpreter: {empty:.1f} ms")
    for name, code in STEPS.items():
        ours = median(sys.executable, code, arguments.runs) - empty
        line = f"{name}: {ours:.1f} ms"
        if arguments.reference:
            runs = max(3, arguments.runs // 5)
            theirs = median(arguments.reference, code, runs) - median(arguments.reference, "pass", runs)
            line += f"; the reference {theirs:.0f} ms, {theirs / ours:.0f} times as long"
        print(line)


if __name__ == "__main__":
    main()
