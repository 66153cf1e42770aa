#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the build and builds a project against the installation, as a user would.

usage: install_test.py --build BUILD --cmake CMAKE --cc CC --cxx CXX --readelf READELF

The installation is moved after `cmake --install`, so that nothing in it may lean on where it was;
the project sees neither the source tree nor the build tree, and an environment that is empty but for PATH.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command, **options):
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def check_installed(prefix, build, readelf):
    wanted = ["bin/tilec", "bin/tilec-run", "include/tilec-c/Compile.h", "include/tilec/Tile.h"]
    for path in wanted:
        if not (prefix / path).exists():
            sys.exit(f"{path} is not installed")
    if (prefix / "include/tilec/IR").exists():
        sys.exit("headers of the compiler itself are installed")
    for file in [*prefix.glob("bin/*"), *prefix.rglob("*.so*")]:
        if file.is_symlink():
            continue
        dynamic = run(readelf, "-d", file)
        if str(build) in dynamic:
            sys.exit(f"{file} refers to the build tree:\n{dynamic}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ["build", "cmake", "cc", "cxx", "readelf"]:
        parser.add_argument(f"--{name}", required=True)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        first, prefix = folder / "first", folder / "moved"
        run(args.cmake, "--install", args.build, "--prefix", first, "--strip")
        first.rename(prefix)
        check_installed(prefix, pathlib.Path(args.build).resolve(), args.readelf)
        project = folder / "project"
        shutil.copytree(HERE / "project", project)
        env = {"PATH": os.environ["PATH"], "TILEC_CACHE_DIR": "none", "HOME": str(folder)}
        out = folder / "out"
        run(args.cmake, "-S", project, "-B", out, f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={args.cc}", f"-DCMAKE_CXX_COMPILER={args.cxx}",
            "-DCMAKE_BUILD_TYPE=Release", env=env)
        run(args.cmake, "--build", out, env=env)
        for host in ["host_c", "host_cxx"]:
            print(run(out / host, env=env), end="")
        library = next(prefix.rglob("tilec.pc")).parent
        if shutil.which("pkg-config"):
            text = run("pkg-config", "--cflags", "--libs", "tilec", "tilec-runtime",
                       env={**env, "PKG_CONFIG_PATH": str(library)})
            flags = text.split()
            run(args.cc, project / "host.c", "-o", out / "host_pc", *flags,
                f"-Wl,-rpath,{library.parent}", env=env)
            print(run(out / "host_pc", env=env), end="")


if __name__ == "__main__":
    main()
