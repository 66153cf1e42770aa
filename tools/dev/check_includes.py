#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include against the layering of cmake/TilecLibrary.cmake.

A file of folder X may include tilec/Y/... only when Y is X or a folder of a lower level; only the
MLIR folders include mlir/..., and the plain folders include no LLVM at all. The sub-folders of
lib/Transforms have levels of their own (TILEC_TRANSFORMS_ORDER). Headers of MLIR dialects that cost
seconds in every file that sees them are refused everywhere.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = {".cpp", ".h", ".td", ".def", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]|^\s*include\s+"([^"]+)"', re.M)

# One include of LLVMIR's or GPU's header family turns a 3 s compilation into one of 17 s, and the
# emitters do not need them: Wave IR is lowered with IRBuilder (docs/contribute/architecture.md).
FORBIDDEN = re.compile(
    r"mlir/(Dialect/(LLVMIR|GPU|NVGPU|AMDGPU|XeGPU|Linalg|Vector|Tensor|MemRef|Affine|Bufferization"
    r"|SparseTensor|Transform)/|Conversion/|Target/LLVMIR|InitAll)")


class Layering:
    def __init__(self, cmake_text):
        self.level = {name: int(level) for name, level in
                      re.findall(r"set\(TILEC_LEVEL_(\w+)\s+(\d+)\)", cmake_text)}
        self.mlir = self._list(cmake_text, "TILEC_MLIR_FOLDERS")
        self.plain = self._list(cmake_text, "TILEC_PLAIN_FOLDERS")
        if not self.level or not self.mlir or not self.plain:
            sys.exit("cmake/TilecLibrary.cmake: levels or folder lists not found")

    @staticmethod
    def _list(text, name):
        found = re.search(rf"set\({name}\s+([\w\s]+)\)", text)
        return set(found.group(1).split()) if found else set()

    def complaint(self, folder, path, included):
        """Why file `path` of `folder` may not include `included`; None when it may."""
        if FORBIDDEN.match(included):
            return "this header is kept out of the build: see FORBIDDEN in check_includes.py"
        if included.startswith("mlir/") and folder not in self.mlir:
            return f"{folder} is no MLIR folder"
        if included.startswith(("llvm/", "llvm-c/", "lld/", "clang/")) and folder in self.plain:
            return f"{folder} must build without LLVM"
        depth = path.split(f"{folder}/", 1)[1].count("/")  # folders below lib/X
        if included.count("../") > depth:
            return "leaves its folder: include tilec/... instead"
        other = re.match(r"tilec/(\w+)/", included)
        if not other or other.group(1) == folder:
            if included.startswith("tilec/IR/Tile/") and "/IR/Wave/" in path:
                return "IR/Wave may not know IR/Tile"
            return None
        name = other.group(1)
        if name not in self.level:
            return f"{name} has no level"
        if self.level[name] >= self.level[folder]:
            return (f"{folder} (level {self.level[folder]}) may not use {name} "
                    f"(level {self.level[name]})")
        return None


class Order:
    """Levels of the sub-folders of lib/Transforms: its CMakeLists.txt lists them, lowest first."""

    FOLDER = "lib/Transforms/"

    def __init__(self, cmake_text):
        found = re.search(r"set\(TILEC_TRANSFORMS_ORDER\s+([\w\s]+)\)", cmake_text)
        if not found:
            sys.exit("lib/Transforms/CMakeLists.txt: the order of the sub-folders is not found")
        self.level = {name: n for n, name in enumerate(found.group(1).split())}

    def complaint(self, path, included):
        """Why file `path` may not include `included`; None when it may, or is somewhere else."""
        if not path.startswith(self.FOLDER) or "/" not in path[len(self.FOLDER):]:
            return None
        own = path[len(self.FOLDER):].split("/")[0]
        if own not in self.level:
            return f"sub-folder {own} is not in TILEC_TRANSFORMS_ORDER"
        other = included.split("/")[0]
        if "/" in included and self.level.get(other, -1) > self.level[own]:
            return f"{own} may not use {other}, which is above it (TILEC_TRANSFORMS_ORDER)"
        return None


def folder_of(path):
    """The folder of lib/ or include/tilec/ that a file belongs to; None for others."""
    found = re.match(r"(?:lib|include/tilec)/(\w+)/", path)
    return found.group(1) if found else None


def check(root):
    layering = Layering((root / "cmake/TilecLibrary.cmake").read_text())
    order = Order((root / "lib/Transforms/CMakeLists.txt").read_text())
    complaints, count = [], 0
    for top in ["lib", "include"]:
        for file in sorted((root / top).rglob("*")):
            path = file.relative_to(root).as_posix()
            folder = folder_of(path)
            if file.suffix not in SUFFIXES or not file.is_file() or folder is None:
                continue
            count += 1
            if folder not in layering.level:
                complaints.append(f"{path}:1: folder {folder} has no level")
                continue
            text = file.read_text(errors="replace")
            for match in INCLUDE.finditer(text):
                included = match.group(1) or match.group(2)
                why = layering.complaint(folder, path, included) or order.complaint(path, included)
                if why:
                    line = text.count("\n", 0, match.start(1 if match.group(1) else 2)) + 1
                    complaints.append(f'{path}:{line}: "{included}": {why}')
    return complaints, count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    complaints, count = check(parser.parse_args().root)
    if count == 0:
        sys.exit("no sources found")
    for complaint in complaints:
        print(complaint)
    if complaints:
        sys.exit(1)
    print(f"{count} files follow the layering")


if __name__ == "__main__":
    main()
