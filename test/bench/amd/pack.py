#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`./dev gpu-pack --amd`: the kernels of the AMD tables (kernels.json) in a folder for a host with an MI300X
or MI355X, each with what the timing model predicts for it.

usage: pack.py TOOLS [-o DIR] [--target=gfx942|gfx950] [--kernels FILE] [--only NAME]... [--upstream TILELANG]
               [--seeds FOLDER]

A kernel is packed in its table's size, to be timed, and in a small one with the results of the cpu
reference, to be checked. Scripts in {upstream} are those of a checkout of tile-ai/tilelang, those in {seeds} what
test/tools/extract_seeds.py wrote. A time that depends on the numbers is predicted and measured with the row's
`inputs`, zeros or normal numbers. On the host `./dev gpu-run` does all (docs/tune/on-hardware.md).
"""
import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from performance import normal_numbers

HERE = Path(__file__).resolve().parent
REPO = HERE.parents[2]
BYTES = {"float64": 8, "int64": 8, "float32": 4, "int32": 4, "float16": 2, "bfloat16": 2}


def run(command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode:
        sys.exit(f"gpu-pack: {' '.join(map(str, command))}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout


def product(values):
    result = 1
    for value in values:
        result *= value
    return result


def foreign_folders(options):
    """Where scripts are that are not of this repository, by the mark in their paths."""
    return {mark: folder and Path(folder).resolve()
            for mark, folder in (("{upstream}", options.upstream), ("{seeds}", options.seeds))}


class Packer:
    def __init__(self, options):
        self.tools, self.out, self.target = Path(options.tools), Path(options.output), options.target
        self.k_tile = 64 if self.target == "gfx950" else 32
        self.foreign = foreign_folders(options)

    def script(self, row):
        script = row["script"]
        for mark, folder in self.foreign.items():
            script = script.replace(mark, str(folder))
        return REPO / script

    def options(self, row, small):
        return [*row.get("options", []), *(row.get("small_options", []) if small else [])]

    def compile(self, row, entry, name, small=False):
        binary = self.out / f"{name}.bin"
        run([self.tools / "tilec", self.script(row), "--entry", entry, *self.options(row, small),
             f"--target={self.target}", "-o", binary])
        return binary

    def argument(self, row, binary, param, seed, folder):
        """Of tilec-sim, as what the host gives the kernel."""
        if param["kind"] == "workspace":
            return f"--arg=zeros:{param['bytes']}"
        if param["kind"] != "tensor":
            sys.exit(f"gpu-pack: {binary.name}: only kernels of fixed sizes can be timed")
        size = product(param["shape"]) * BYTES.get(param["dtype"], 1)
        if row.get("inputs") != "normal" or "r" not in param["access"]:
            return f"--arg=zeros:{size}"
        if param["dtype"] != "bfloat16":
            sys.exit(f"gpu-pack: {binary.name}: normal numbers are made of bfloat16 only")
        return f"--arg=raw:{normal_numbers(folder, size, seed)}"

    def predict(self, row, binary):
        """Of all launches of the manifest. tilec-launch times with buffers that caches do not hold: cold. No run of the
        whole grid with its checks comes first: that takes minutes, and the small kernel is checked."""
        manifest = json.loads(Path(f"{binary}.json").read_text())
        clock, total = 0.0, 0.0
        for launch in manifest["launches"]:
            with tempfile.TemporaryDirectory() as folder:
                args = [self.argument(row, binary, param, seed, Path(folder)) for seed, param in enumerate(launch["params"])]
                report = Path(folder) / "timing.json"
                run([self.tools / "tilec-sim", binary, "--kernel", launch["symbol"],
                     "--grid", ",".join(map(str, launch["grid"])), "--block", ",".join(map(str, launch["block"])),
                     "--dynamic-lds", launch["shared_bytes"], "--timing", "--checks=none", "--cold",
                     "--timing-json", report, *args])
                timing = json.loads(report.read_text())
            clock, total = timing["clock_ghz"], total + timing["kernel_us"]
        return {"us": total, "clock_ghz": clock}

    def expect(self, row, binary, entry, name):
        """Options for tilec-launch that compare with the reference's results."""
        manifest = json.loads(Path(f"{binary}.json").read_text())
        written = {p["name"] for launch in manifest["launches"] for p in launch["params"]
                   if p["kind"] == "tensor" and "w" in p["access"]}
        save, check = [], []
        for tensor in sorted(written):
            save += ["--save", f"{tensor}={self.out / name}.{tensor}.npy",
                     "--save-spread", f"{tensor}={self.out / name}.{tensor}.spread.npy"]
            check += ["--expect", f"{tensor}={name}.{tensor}.npy", "--spread", f"{tensor}={name}.{tensor}.spread.npy"]
        run([self.tools / "tilec-run", self.script(row), "--entry", entry, *self.options(row, small=True),
             f"--target={self.target}", "--device=cpu", *save])
        return check

    def inputs(self, row, binary):
        """Options for tilec-launch: numbers as those that the prediction is of."""
        if row.get("inputs") != "zeros":
            return []
        manifest = json.loads(Path(f"{binary}.json").read_text())
        return [word for launch in manifest["launches"] for param in launch["params"]
                if param["kind"] == "tensor" and "r" in param["access"] for word in ("--arg", f"{param['name']}=zeros")]

    def pack(self, row):
        entry, small = (row[key].replace("{k}", str(self.k_tile)) for key in ("entry", "small"))
        name = row["name"]
        binary = self.compile(row, entry, name)
        prediction = self.predict(row, binary)
        check = self.expect(row, self.compile(row, small, f"{name}-small", small=True), small, f"{name}-small")
        print(f"gpu-pack: {name}: {prediction['us']:.1f} us predicted, not validated", flush=True)
        return {"name": name, "binary": binary.name, "entry": entry, "flops": row.get("flops"),
                "predicted_us": prediction["us"], "model_clock_ghz": prediction["clock_ghz"],
                "launch": self.inputs(row, binary), "small": f"{name}-small.bin", "check": check, "rival": row.get("rival")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tools")
    parser.add_argument("-o", dest="output", default="gpu-pack-amd")
    parser.add_argument("--target", choices=["gfx942", "gfx950"], default="gfx950")
    parser.add_argument("--kernels", default=str(HERE / "kernels.json"))
    parser.add_argument("--only", action="append", help="pack this kernel; may be repeated")
    parser.add_argument("--upstream", help="a checkout of tile-ai/tilelang, for its examples")
    parser.add_argument("--seeds", help="what test/tools/extract_seeds.py wrote, for the seed's text")
    options = parser.parse_args()
    rows = [row for row in json.loads(Path(options.kernels).read_text())
            if options.target in row.get("targets", [options.target])]
    unknown = set(options.only or []) - {row["name"] for row in rows}
    if unknown:
        sys.exit(f"gpu-pack: no kernel {', '.join(sorted(unknown))} for {options.target}; there are "
                 f"{', '.join(row['name'] for row in rows)}")
    rows = [row for row in rows if not options.only or row["name"] in options.only]
    for mark, folder in foreign_folders(options).items():
        foreign = [row for row in rows if mark in row["script"] and not folder]
        if foreign:
            print(f"gpu-pack: without {', '.join(row['name'] for row in foreign)}: --{mark[1:-1]} names no folder")
            rows = [row for row in rows if row not in foreign]
    out = Path(options.output)
    if (out / "pack.json").exists():
        shutil.rmtree(out)  # an older pack
    if out.exists() and any(out.iterdir()):
        sys.exit(f"gpu-pack: {out} holds something else; name another folder with -o")
    out.mkdir(parents=True, exist_ok=True)
    packer = Packer(options)
    pack = {"version": 1, "target": options.target,
            "compiler": run([packer.tools / "tilec", "--version"]).strip().splitlines()[0],
            "kernels": [packer.pack(row) for row in rows]}
    (out / "pack.json").write_text(json.dumps(pack, indent=1) + "\n")
    tools = packer.tools
    for path in (tools / "tilec-launch", tools / "RuntimeTests"):
        shutil.copy(path, out)
        subprocess.run(["strip", str(out / path.name)], check=False, stderr=subprocess.DEVNULL)
    for path in (tools.parent / "test/unit/Runtime").glob("*"):
        if path.suffix in (".ptx", ".hsaco"):
            shutil.copy(path, out)
    shutil.copy(HERE / "on_hardware.py", out / "dev")
    (out / "dev").chmod(0o755)
    print(f"gpu-pack: {out} holds {sum(p.stat().st_size for p in out.iterdir()) / 2**20:.1f} MiB")


if __name__ == "__main__":
    main()
