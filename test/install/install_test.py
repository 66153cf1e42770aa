#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Installs the build and builds a project against the installation, as a user would.

usage: install_test.py --build BUILD --cmake CMAKE --cc CC --cxx CXX --readelf READELF [--root FOLDER]

The installation is moved after `cmake --install`, so that nothing in it may lean on where it was;
the project sees neither the source tree nor the build tree, and an environment that is empty but for PATH.
With --root it is built and run in that root file system by chroot, with the tools that are there (`./dev clean-install` makes
one of Debian 12 with cmake, g++ and pkg-config alone: no LLVM).
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
        sys.exit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout}{done.stderr}")
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
    parser.add_argument("--root", type=pathlib.Path)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.root and args.root / "tmp") as folder:
        folder = pathlib.Path(folder)
        first, prefix = folder / "first", folder / "moved"
        run(args.cmake, "--install", args.build, "--prefix", first, "--strip")
        first.rename(prefix)
        check_installed(prefix, pathlib.Path(args.build).resolve(), args.readelf)
        shutil.copytree(HERE / "project", folder / "project")
        if args.root:
            build_project(pathlib.Path("/tmp", folder.name), "cmake", "cc", "c++", args.root)
        else:
            build_project(folder, args.cmake, args.cc, args.cxx, None)


def build_project(folder, cmake, cc, cxx, root):
    """Builds the project and runs its programs; paths are those of the file system in which that is done."""
    # $ORIGIN is found through /proc.
    inside = ["unshare", "--fork", "--pid", f"--mount-proc={root}/proc", "chroot", str(root)] if root else []
    env = {"PATH": os.environ["PATH"], "TILEC_CACHE_DIR": "none", "HOME": str(folder)}
    prefix, project, out = folder / "moved", folder / "project", folder / "out"

    def here(*command, **more):
        return run(*inside, *command, env={**env, **more})

    here(cmake, "-S", project, "-B", out, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_C_COMPILER={cc}",
         f"-DCMAKE_CXX_COMPILER={cxx}", "-DCMAKE_BUILD_TYPE=Release")  # fmt: skip
    here(cmake, "--build", out)
    for host in ["host_c", "host_cxx"]:
        print(here(out / host), end="")
    outside = pathlib.Path(f"{root or ''}{prefix}")
    library = prefix / next(outside.rglob("tilec.pc")).parent.relative_to(outside)
    if root or shutil.which("pkg-config"):
        text = here("pkg-config", "--cflags", "--libs", "tilec", "tilec-runtime", PKG_CONFIG_PATH=str(library))
        here(cc, project / "host.c", "-o", out / "host_pc", *text.split(), f"-Wl,-rpath,{library.parent}")
        print(here(out / "host_pc"), end="")


if __name__ == "__main__":
    main()
