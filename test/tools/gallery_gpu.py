#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the `tilec-run ... --device=cuda` lines of the gallery's pages on a GPU host that has neither LLVM nor tilec.

usage: gallery_gpu.py pack TOOLS FOLDER    compiles the lines and puts all that `run` needs into FOLDER
       gallery_gpu.py run FOLDER           on the GPU host; writes FOLDER/gallery-h200.json

The file belongs to test/bench/results; `gallery.py PAGE --bin TOOLS --update` puts it on the pages.
"""
import json
import shlex
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path

HERE = Path(__file__).resolve().parent


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
        for command, _ in gallery.commands_of(page.read_text()):
            if not gallery.is_measured(command):
                continue
            compiled, launched = split(command)
            image = folder / f"{len(rows)}.cubin"
            subprocess.run([tools / "tilec", *compiled, "-o", image], cwd=page.parent, check=True)
            operations, size = gallery.work(json.loads(Path(f"{image}.json").read_text()), sizes(launched))
            rows.append({"page": page.parent.name, "command": command, "image": image.name, "launch": launched,
                         "operations": operations, "bytes": size})
    tree = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=HERE, capture_output=True, text=True).stdout.strip()
    (folder / "rows.json").write_text(json.dumps({"tree": tree, "rows": rows}, indent=1))
    shutil.copy(tools / "tilec-launch", folder)
    shutil.copy(__file__, folder)


def run(folder):
    folder = Path(folder).resolve()
    packed, rows, failed = json.loads((folder / "rows.json").read_text()), [], 0
    for row in packed["rows"]:
        done = subprocess.run([folder / "tilec-launch", folder / row["image"], "--json", *row["launch"]], text=True,
                              capture_output=True)
        if done.returncode:
            failed += 1
            print(f"FAILED {row['command']}\n{done.stdout}{done.stderr}")
            continue
        report = json.loads(done.stdout)
        rows.append({**row, "us": report["median_us"], "rivals": report.get("rivals", []), "report": report})
        ratio = rows[-1]["rivals"][0]["ratio"] if rows[-1]["rivals"] else 0
        print(f"{report['median_us']:12.2f} us  {ratio:6.3f}  {row['command']}")
    gpu = subprocess.run(["nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True,
                         text=True).stdout.strip().splitlines()[0]
    result = {"gpu": gpu.replace(", ", ", driver "), "date": date.today().isoformat(), "tree": packed["tree"], "rows": rows}
    (folder / "gallery-h200.json").write_text(json.dumps(result, indent=1) + "\n")
    return failed


if __name__ == "__main__":
    if len(sys.argv) != {"pack": 4, "run": 3}.get(sys.argv[1] if len(sys.argv) > 1 else "", 0):
        sys.exit(__doc__)
    sys.exit({"pack": pack, "run": run}[sys.argv[1]](*sys.argv[2:]))
