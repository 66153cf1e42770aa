#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What slots are worth where they cost blocks: loops without a planned order in the timing simulator, with as many slots as
the compiler gives them and with exactly `num_stages` (schedule.exact). Every number is simulated; no AMD GPU takes part.

usage: slots.py [--bin TOOLS] [--targets LIST] [--only REGEX] [--jobs N]
"""
import argparse
import concurrent.futures
import os
import re
import subprocess
from pathlib import Path

REPO = Path(__file__).resolve().parents[3]
ROUNDS, FA = "test/bench/amd/rounds.py", "test/bench/hopper/fa.py"
KERNELS = [
    *[(FA, f"fa(4, 16, 1024, {dim}, {rows}, {keys}, {stages}, causal={causal}, exact={{}})")
      for dim, rows, keys in ((128, 128, 64), (128, 128, 32), (128, 64, 64), (128, 64, 32), (64, 128, 64), (64, 128, 128))
      for causal in ((False, True) if rows == 128 and dim == 128 else (False,)) for stages in (2, 3)],
    *[(ROUNDS, f"scaled({n}, {rows}, {columns}, {k}, {stages}, exact={{}})")
      for n, rows, columns, k in ((2048, 64, 64, 64), (2048, 128, 64, 64), (4096, 128, 128, 64), (4096, 64, 128, 64),
                                  (4096, 128, 128, 32))
      for stages in (2, 3)],
    *[(ROUNDS, f"picked(4096, {rows}, {columns}, {k}, {stages}, exact={{}})")
      for rows, columns, k in ((128, 128, 64), (128, 256, 64), (64, 128, 64), (128, 64, 64), (128, 128, 32))
      for stages in (2, 3)],
    *[(ROUNDS, f"sparse(dim={dim}, block={block}, stages={stages}, exact={{}})")
      for dim, block in ((64, 64), (128, 64), (128, 32), (512, 32)) for stages in (2, 3)],
]


def measure(tools, script, entry, target):
    """Microseconds of the model, blocks on a compute unit, and the loop's verdict."""
    environment = {**os.environ, "TILEC_CACHE_DIR": "none"}
    run = subprocess.run([tools / "tilec-run", script, "--entry", entry, f"--target={target}", "--device=sim", "--bench"],
                         cwd=REPO, env=environment, capture_output=True, text=True, check=False)
    time = re.search(r"model's time\s+([\d.]+) us", run.stdout)
    report = subprocess.run([tools / "tilec", script, "--entry", entry, f"--target={target}", "--emit=report"], cwd=REPO,
                            env=environment, capture_output=True, text=True, check=False).stdout
    blocks = re.search(r"(\d+) blocks a compute unit", report)
    verdict = re.search(r"\.py:\d+: (\w+)", report)
    return float(time.group(1)) if time else None, int(blocks.group(1)) if blocks else 1, verdict.group(1) if verdict else "-"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--bin", type=Path, default=REPO / "build/bin")
    parser.add_argument("--targets", default="gfx950,gfx942")
    parser.add_argument("--only", default="")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    jobs = [(script, entry, target) for target in options.targets.split(",") for script, entry in KERNELS
            if re.search(options.only, entry)]

    def both(job):
        script, entry, target = job
        return job, *[measure(options.bin.resolve(), script, entry.format(exact), target) for exact in (False, True)]

    print(f"{'us, blocks a unit, verdict':58}{'chosen':>28}{'exact':>28}  exact / chosen")
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for (_, entry, target), chosen, exact in pool.map(both, jobs):
            def text(cell):
                return f"{'refused' if cell[0] is None else f'{cell[0]:.2f}'} {cell[1]} {cell[2]:10}"
            ratio = f"{exact[0] / chosen[0]:.3f}" if chosen[0] and exact[0] else "-"
            name = entry.replace(", exact={}", "")
            print(f"{target} {name:51}{text(chosen):>28}{text(exact):>28}  {ratio}", flush=True)


if __name__ == "__main__":
    main()
