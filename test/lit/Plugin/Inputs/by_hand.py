# SPDX-License-Identifier: Apache-2.0
"""usage: by_hand.py STEPS FOLDER MLIR_PLUGIN LLVM_PLUGIN SCRIPT

Runs the commands of docs/deploy/plugin.md and compares the code with tilec's, and what the simulator makes of the
linked object with what tilec-run makes of the script.
"""
import json
import pathlib
import re
import subprocess
import sys

ENTRY = "gemm(256, 256, 256)"


def run(*command, **options):
    return subprocess.run(command, check=True, **options)


def text_of(folder, name):
    run("llvm-objcopy", "-O", "binary", "--only-section=.text", name, name + ".text", cwd=folder)
    return (folder / (name + ".text")).read_bytes()


def data_of(path):
    """The elements of an .npy file of version 1."""
    whole = path.read_bytes()
    return whole[10 + int.from_bytes(whole[8:10], "little"):]


def main(steps, folder, plugin, llvm_plugin, script):
    folder = pathlib.Path(folder)
    commands = pathlib.Path(steps).read_text()
    for name, value in [("plugin", plugin), ("llvm", llvm_plugin)]:
        commands, count = re.subn(rf"^{name}=.*$", f"{name}={value}", commands, flags=re.M)
        assert count == 1, name
    commands = commands.replace("examples/gemm.py", script)
    run("bash", "-e", "-c", commands, cwd=folder)

    run("tilec", script, "--entry", ENTRY, "--target=gfx950", "--no-debug", "--emit=object", "-o", "ours.o",
        cwd=folder)
    ours, theirs = text_of(folder, "ours.o"), text_of(folder, "9.o")
    assert ours == theirs, f"{len(ours)} bytes of tilec, {len(theirs)} by hand"
    print(f".text: {len(ours)} bytes, those of tilec")

    manifest = run("tilec", script, "--entry", ENTRY, "--target=gfx950", "--emit=manifest", "-o", "-", cwd=folder,
                   capture_output=True, text=True)
    launch = json.loads(manifest.stdout)["launches"][0]
    shape = [f"--{name}={','.join(map(str, launch[name]))}" for name in ("grid", "block")]

    saved = [f"--save={t}={t}.npy" for t in "ABC"]
    run("tilec-run", script, "--entry", ENTRY, "--target=gfx950", "--device=sim", *saved, cwd=folder)
    size = len(data_of(folder / "C.npy"))
    run("tilec-sim", "gemm.hsaco", *shape, "--arg=A.npy", "--arg=B.npy", f"--arg=uninit:{size}", "--save=2=out.npy", "--checks=all", cwd=folder, stdout=subprocess.DEVNULL)
    assert data_of(folder / "C.npy") == data_of(folder / "out.npy"), "another result"
    print(f"C: {size} bytes, those of tilec-run")


if __name__ == "__main__":
    main(*sys.argv[1:])
