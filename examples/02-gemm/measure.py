#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the steps of README.md on an NVIDIA GPU of compute capability 9.0.

usage: measure.py pack TOOLS FOLDER    compiles the steps for sm_90a and puts all that `run` needs into FOLDER
       measure.py run [FOLDER]         on the GPU host; writes FOLDER/h200.json
       measure.py show FILE.json       the lines of the file

No LLVM and no Python package is needed on the GPU host: tilec-launch loads the images through the driver and times them
in turns with cublasLt on the same tensors; a ratio is the median of the rounds' ratios.
"""
import json
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIZE = 4096
STEPS = [("1 naive", "naive({0}, {0}, {0})"),
         ("2 shared memory", "shared({0}, {0}, {0})"),
         ("3 `T.gemm`", "tiled({0}, {0}, {0}, stages=0)"),
         ("4 four stages", "tiled({0}, {0}, {0}, stages=4)"),
         ("5 128 x 112, two warp groups in turns", "tiled({0}, {0}, {0}, 128, 112, threads=128, stages=6)"),
         ("6 panels", "tiled({0}, {0}, {0}, 128, 112, threads=128, stages=6, panel=8)")]


def pack(tools, folder):
    tools, folder = Path(tools), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for number, (_, entry) in enumerate(STEPS, 1):
        subprocess.run([tools / "tilec", HERE / "gemm.py", "--entry", entry.format(SIZE), "--target=sm_90a", "--strict",
                        "-o", folder / f"step{number}.cubin"], check=True)
    shutil.copy(tools / "tilec-launch", folder)
    shutil.copy(__file__, folder)
    tree = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True).stdout.strip()
    (folder / "tree").write_text(tree)


def run(folder="."):
    folder, rows = Path(folder).resolve(), []
    for number, (name, entry) in enumerate(STEPS, 1):
        # The first two take milliseconds: a copy of them in turns with a library would take minutes.
        done = subprocess.run([folder / "tilec-launch", folder / f"step{number}.cubin", "--bench", "--json", "--rounds",
                               "5" if number < 3 else "31", "--vs=cublaslt:nt:A,B,C"], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"step {number}: {done.stdout}{done.stderr}")
        report = json.loads(done.stdout)
        rival = report["rivals"][0]
        rows.append({"name": name, "entry": entry.format(SIZE), "us": report["median_us"], "flops": 2 * SIZE**3,
                     "ratio": rival["ratio"], "report": report})
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                         text=True).stdout.strip()
    result = {"gpu": gpu.replace(", ", ", driver "), "date": date.today().isoformat(), "tree": (folder / "tree").read_text(),
              "command": "examples/02-gemm/measure.py pack build/bin FOLDER; measure.py run FOLDER", "rows": rows}
    (folder / "h200.json").write_text(json.dumps(result, indent=1) + "\n")
    show(folder / "h200.json")


def show(file):
    for row in json.loads(Path(file).read_text())["rows"]:
        print(f"{row['name']:40} {row['us']:10.2f} us  {row['flops'] / row['us'] * 1e-6:7.1f} TFLOP/s  {row['ratio']:.3f}")


if __name__ == "__main__":
    verbs = {"pack": pack, "run": run, "show": show}
    if len(sys.argv) < 2 or sys.argv[1] not in verbs:
        sys.exit(__doc__)
    verbs[sys.argv[1]](*sys.argv[2:])
