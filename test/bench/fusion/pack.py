#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Products in TileFusion's words (kernels.cpp) beside the same as scripts (kernels.py), packed for a GPU host.

usage: pack.py FOLDER [--build BUILD] [--cxx COMPILER]      here, with ptxas
       builds.py run FOLDER                                 there; prints how many times as fast the C++ is

FOLDER has builds.py and what it needs: the clocks and the table are those of test/bench/hopper/builds.py.
"""
import argparse
import json
import pathlib
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
REPO = HERE.parents[2]
# A kernel of kernels.cpp, and its script.
PAIRS = {"registers": "product(False)", "memories": "product(True)", "pipelined": "product(True)", "fused": "fused"}


def rename(manifest, like):
    """Gives the tensors of a recorded kernel, p0, p1 ..., the names of the script's."""
    names = [param["name"] for param in json.loads(like.read_text())["launches"][0]["params"] if param["kind"] == "tensor"]
    text = manifest.read_text()
    for number, name in enumerate(names):
        text = text.replace(f'"p{number}"', f'"{name}"')
    manifest.write_text(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--build", type=pathlib.Path, default=REPO / "build")
    parser.add_argument("--cxx", default="c++")
    options = parser.parse_args()
    libraries = (options.build / "lib").resolve()
    shutil.rmtree(options.folder, ignore_errors=True)
    options.folder.mkdir(parents=True)
    for name in ("builds.py", "driver.py", "timing.py"):
        shutil.copy(REPO / "test/bench/hopper" / name, options.folder)
    program = options.folder / "kernels"
    subprocess.run([options.cxx, "-std=c++20", "-O1", f"-I{REPO}/include", HERE / "kernels.cpp", "-o", program, f"-L{libraries}",
                    "-ltilec", "-ltilec-runtime", f"-Wl,-rpath,{libraries}"], check=True)
    cases = []
    for name, entry in PAIRS.items():
        case = {"label": name, "mm": False, "builds": {"script": f"{name}.script", "cxx": f"{name}.cxx"}}
        subprocess.run([options.build / "bin/tilec", HERE / "kernels.py", "--entry", entry, "--target=sm_90a", "-o",
                        options.folder / case["builds"]["script"]], check=True)
        subprocess.run([program, name, "sm_90a", options.folder / case["builds"]["cxx"]], check=True)
        rename(*(options.folder / f"{case['builds'][build]}.json" for build in ("cxx", "script")))
        cases.append(case)
    program.unlink()
    (options.folder / "cases.json").write_text(json.dumps(cases, indent=1))


if __name__ == "__main__":
    main()
