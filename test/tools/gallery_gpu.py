#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the `tilec-run ... --device=cuda` lines of the gallery's pages on a GPU host that has neither LLVM nor tilec.

usage: gallery_gpu.py pack TOOLS FOLDER    compiles the lines and puts all that `run` needs into FOLDER
       gallery_gpu.py run FOLDER [OUT]     on the GPU host; writes OUT/gallery-h200.json (OUT: FOLDER)

The file belongs to test/bench/results; `gallery.py PAGE --bin TOOLS --update` puts it on the pages. A line's rivals
are those of its --vs, which tilec-launch times, or those that it names behind `# beside:`, which gallery_rivals.py
times with PyTorch and Triton: of these the file has every round.
"""
import json
import shlex
import shutil
import subprocess
import sys
import threading
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = [HERE / name for name in ("gallery_gpu.py", "gallery_rivals.py", "gallery_triton.py")]
SOURCES += [HERE.parent / "bench/hopper" / name for name in ("driver.py", "timing.py")]
SILENCE_S = 120  # a contest compiles its rivals' kernels first


def split(command):
    """(words for tilec, words for tilec-launch) of a line."""
    words, compiled, launched = shlex.split(command)[1:], [], ["--bench"]
    while words:
        word = words.pop(0)
        if word in ("--arg", "--dim"):
            launched += [word, words.pop(0)]
        elif word.startswith("--vs"):
            launched.append(word)
        elif word not in ("--device=cuda", "--bench"):
            compiled.append(word)
    return compiled, launched


def sizes(launched):
    return {n: int(v) for n, v in (launched[i + 1].split("=") for i, w in enumerate(launched) if w == "--dim")}


def pack(tools, folder):
    import gallery
    tools, folder, rows = Path(tools).resolve(), Path(folder).resolve(), []
    folder.mkdir(parents=True, exist_ok=True)
    for page in sorted((HERE.parents[1] / "examples").glob("*/README.md")):
        for command, note in gallery.commands_of(page.read_text()):
            if not gallery.is_measured(command):
                continue
            compiled, launched = split(command)
            image = folder / f"{len(rows)}.cubin"
            subprocess.run([tools / "tilec", *compiled, "-o", image], cwd=page.parent, check=True)
            operations, size = gallery.work(json.loads(Path(f"{image}.json").read_text()), sizes(launched))
            rows.append({"page": page.parent.name, "command": command, "beside": gallery.beside(note),
                         "image": image.name, "launch": launched, "operations": operations, "bytes": size})
    tree = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True).stdout
    tree = tree.strip()
    (folder / "rows.json").write_text(json.dumps({"tree": tree, "rows": rows}, indent=1))
    for file in (tools / "tilec-launch", *SOURCES):
        shutil.copy(file, folder)


def launched(folder, row):
    """Times a row by tilec-launch."""
    done = subprocess.run([folder / "tilec-launch", folder / row["image"], "--json", *row["launch"]], text=True,
                          capture_output=True)
    if done.returncode:
        return {"error": done.stdout + done.stderr}
    report = json.loads(done.stdout)
    return {"us": report["median_us"], "rivals": report.get("rivals", []), "report": report}


def contests(folder, rows):
    """(numbers of rows, result) of each contest. A process that a fault ended is followed by one for the rest."""
    left = [number for number, row in enumerate(rows) if row["beside"]]
    while left:
        worker = subprocess.Popen([sys.executable, folder / "gallery_rivals.py", folder, *map(str, left)], text=True,
                                  stdout=subprocess.PIPE)
        begun = []
        watch = threading.Timer(SILENCE_S, worker.kill)
        watch.start()
        for line in worker.stdout:
            watch.cancel()
            said = json.loads(line)
            begun = said.get("start", [])
            if "rows" in said:
                left = [number for number in left if number not in said["rows"]]
                yield said["rows"], said["result"]
            watch = threading.Timer(SILENCE_S, worker.kill)
            watch.start()
        watch.cancel()
        worker.wait()
        if begun or worker.returncode:
            lost = begun or left[:1]
            left = [number for number in left if number not in lost]
            yield lost, {"error": f"the process ended with {worker.returncode} or said nothing for {SILENCE_S} s"}


def line_of(row, label=""):
    if "error" in row:
        return f"FAILED {row['command']}{label}\n{row['error']}"
    rivals = "; ".join(f"{r['name']} {r['median_us']:.2f} us, {r['ratio']:.3f}" for r in row["rivals"])
    return f"{row['us']:12.2f} us  {row['command']}{label}  {rivals}"


def run(folder, out=None):
    folder, failed = Path(folder).resolve(), 0
    out = Path(out or folder)
    packed = json.loads((folder / "rows.json").read_text())
    rows, together = packed["rows"], []

    def keep():
        (out / "gallery-h200.json").write_text(json.dumps(result, indent=1) + "\n")

    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"],
                         capture_output=True, text=True).stdout.strip().splitlines()[0]
    result = {"gpu": gpu.replace(", ", ", driver "), "date": date.today().isoformat(), "tree": packed["tree"],
              "versions": versions(), "rows": rows, "together": together}
    for row in rows:
        if not row["beside"]:
            row.update(launched(folder, row))
            failed += "error" in row
            print(line_of(row), flush=True)
            keep()
    for numbers, contest in contests(folder, rows):
        for at, number in enumerate(numbers):
            rows[number].update({"error": contest["error"]} if "error" in contest else
                                {"us": contest["each"][at], "rivals": []} if contest["each"] else contest)
            print(line_of(rows[number]), flush=True)
        failed += "error" in contest or len(contest["rivals"]) < 2
        if len(numbers) > 1 and "error" not in contest:
            together.append({"commands": [rows[number]["command"] for number in numbers], **contest})
            print(line_of({**contest, "command": "all of them"}), flush=True)
        for error in contest.get("errors", {}).values():
            print("   ", error, flush=True)
        keep()
    return failed


def versions():
    """Of PyTorch, Triton and CUDA there."""
    text = ("import torch, json; d = {'torch': torch.__version__, 'cuda': torch.version.cuda, 'cudnn': "
            "torch.backends.cudnn.version()}\ntry:\n import triton; d['triton'] = triton.__version__\n"
            "except ImportError: pass\n"
            "print(json.dumps(d))")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {}


if __name__ == "__main__":
    if len(sys.argv) not in {"pack": (4,), "run": (3, 4)}.get("".join(sys.argv[1:2]), ()):
        sys.exit(__doc__)
    sys.exit({"pack": pack, "run": run}[sys.argv[1]](*sys.argv[2:]))
