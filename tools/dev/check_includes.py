#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks every #include against the layering of cmake/TilecLibrary.cmake.

A file of folder X may include tilec/Y/... only when Y is X or a folder that X's library USES, itself or
through others, all of lower levels; only the MLIR folders include mlir/..., and the plain folders
include no LLVM at all. The sub-folders of lib/Transforms have levels of their own
(TILEC_TRANSFORMS_ORDER); a public header of Transforms has that of the sub-folder whose sources define
its functions. What a header declares is defined in its own folder: who includes a header depends on
that folder, and on no other. The source of a pass sees the headers of the dialects that the pass depends
on: sources that are compiled together hide that one is missing. Headers of MLIR dialects that cost seconds
in every file that sees them are refused everywhere.
"""

import argparse
import collections
import pathlib
import posixpath
import re
import sys

import definitions

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = {".cpp", ".h", ".td", ".def", ".inc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^">]+)[">]|^\s*include\s+"([^"]+)"', re.M)

# One include of LLVMIR's or GPU's header family turns a 3 s compilation into one of 17 s, and the
# emitters do not need them: Wave IR is lowered with IRBuilder (docs/contribute/architecture.md).
FORBIDDEN = re.compile(
    r"mlir/(Dialect/(LLVMIR|GPU|NVGPU|AMDGPU|XeGPU|Linalg|Vector|Tensor|MemRef|Affine|Bufferization"
    r"|SparseTensor|Transform)/|Conversion/|Target/LLVMIR|InitAll)")


class Layering:
    def __init__(self, cmake_text, libraries):
        self.uses = libraries
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
        if folder in self.uses and name not in self.reached(folder):
            return f"{name} is not among the USES of lib/{folder}/CMakeLists.txt, nor among theirs"
        return None

    def reached(self, folder):
        """The folders that a folder's library uses, itself or through others."""
        found, ahead = set(), [folder]
        while ahead:
            new = [name for name in self.uses.get(ahead.pop(), ()) if name not in found]
            found.update(new)
            ahead += new
        return found


def libraries_of(root):
    """Folder -> what its library USES, of lib/*/CMakeLists.txt; folders without a library are left out."""
    found = {}
    for file in sorted((root / "lib").glob("*/CMakeLists.txt")):
        text = re.sub(r"#.*", "", file.read_text())
        for name, arguments in re.findall(r"tilec_library\((\w+)\s([^)]*)\)", text):
            parts = re.split(r"\b(TOGETHER|SOURCES|USES|LINK|APART)\b", arguments)
            words = parts[parts.index("USES") + 1].split() if "USES" in parts else []
            for variable in [word for word in words if word.startswith("$")]:
                words += re.findall(rf"set\({variable[2:-1]}\s+([^)]*)\)", text)[0].split()
            found[name] = {word for word in words if not word.startswith("$")}
    return found


class Order:
    """Levels of the sub-folders of lib/Transforms: its CMakeLists.txt lists them, lowest first."""

    FOLDER = "lib/Transforms/"

    def __init__(self, cmake_text):
        found = re.search(r"set\(TILEC_TRANSFORMS_ORDER\s+([\w\s]+)\)", cmake_text)
        if not found:
            sys.exit("lib/Transforms/CMakeLists.txt: the order of the sub-folders is not found")
        self.level = {name: n for n, name in enumerate(found.group(1).split())}
        self.public = {}  # public headers whose functions are in one sub-folder -> it

    def sub_folder(self, path):
        """Of a source or header of Transforms; None for others, and where only the folder itself is meant."""
        if path.startswith(self.FOLDER) and "/" in path[len(self.FOLDER):]:
            return path[len(self.FOLDER):].split("/")[0]
        return self.public.get(path)

    def complaint(self, path, included):
        """Why file `path` may not include `included`; None when it may, or is somewhere else."""
        own = self.sub_folder(path)
        if own is None:
            return None
        if own not in self.level:
            return f"sub-folder {own} is not in TILEC_TRANSFORMS_ORDER"
        public = self.public.get("include/" + included)
        other = public or included.split("/")[0]
        if "/" in included and self.level.get(other, -1) > self.level[own]:
            functions = f", where this header's functions are," if public else ","
            return f"{own} may not use {other}{functions} which is above it (TILEC_TRANSFORMS_ORDER)"
        return None


def folder_of(path):
    """The folder of lib/ or include/tilec/ that a file belongs to; None for others."""
    found = re.match(r"(?:lib|include/tilec)/(\w+)/", path)
    return found.group(1) if found else None


class Homes:
    """Where the functions of headers are defined."""

    def __init__(self, texts):
        self.texts, self.seen = texts, {}
        self.defined = collections.defaultdict(set)  # name -> sources
        for path, text in texts.items():
            if path.endswith(".cpp"):
                for name in definitions.defined(text):
                    self.defined[name].add(path)

    @staticmethod
    def home(path):
        """The folder that a file belongs to, of Transforms the sub-folder."""
        parts = path.split("/")
        return "/".join(parts[1:3]) if path.startswith(Order.FOLDER) else parts[1]

    def seen_by(self, path):
        """The files of this tree that a file includes, itself or through others."""
        if path not in self.seen:
            self.seen[path] = set()
            top = path.split("/")[1]
            for match in INCLUDE.finditer(self.texts[path]):
                included = match.group(1) or match.group(2)
                beside = posixpath.normpath(posixpath.join(posixpath.dirname(path), included))
                for file in (f"include/{included}", beside, f"lib/{top}/{included}"):
                    if file in self.texts:
                        self.seen[path] |= {file} | self.seen_by(file)
                        break
        return self.seen[path]

    def homes_of(self, header):
        """Home -> names that the header declares, by the sources that define them and see it; the own home where that
        defines the name."""
        own = folder_of(header) if header.startswith("include/") else self.home(header)
        found = collections.defaultdict(set)
        for name in definitions.declared(self.texts[header]):
            homes = {self.home(source) for source in self.defined[name] if header in self.seen_by(source)}
            for home in {own} if own in homes else homes:
                found[home].add(name)
        return found

    def complaints(self, order):
        """Headers whose functions are elsewhere; tells `order` the sub-folder of each public header of Transforms."""
        for header in [path for path in self.texts if path.endswith(".h")]:
            homes = self.homes_of(header)
            own = folder_of(header) if header.startswith("include/") else self.home(header)
            inside = sorted(home for home in homes if home.startswith("Transforms/")) if own == "Transforms" else []
            if len(inside) == 1:
                order.public[header] = inside[0].split("/")[1]
            elif inside:
                yield f"{header}:1: its functions are in lib/{' and lib/'.join(inside)}: one sub-folder's is its level"
            for home in sorted(homes.keys() - {own, *inside}):
                yield (f"{header}:1: `{min(homes[home])}` is defined in lib/{home}: a header's functions are in its "
                       "folder")


class Passes:
    """Dialects that passes depend on, by Passes.td: what is made of it names them in the source of each pass."""

    def __init__(self, table):
        self.dialects = {}  # pass -> names of dialects
        for body in re.split(r"^def ", table, flags=re.M)[1:]:
            listed = re.search(r"dependentDialects = \[([^\]]*)\]", body)
            if listed:
                self.dialects[body.split()[0]] = re.findall(r"::mlir::\w+::(\w+)Dialect", listed.group(1))

    def complaints(self, path, homes):
        text = homes.texts[path]
        for match in re.finditer(r"^#define GEN_PASS_DEF_(\w+)", text, re.M):
            name = next((name for name in self.dialects if name.upper() == match.group(1)), None)
            for dialect in self.dialects.get(name, ()):
                header = f"mlir/Dialect/{dialect}/IR/"
                seen = [text] + [homes.texts[file] for file in homes.seen_by(path)]
                if not any(included.startswith(header) for one in seen for included in map("".join, INCLUDE.findall(one))):
                    line = text.count("\n", 0, match.start()) + 1
                    yield f"{path}:{line}: {name} depends on the dialect {dialect}: include {header}{dialect}.h"


def check(root):
    layering = Layering((root / "cmake/TilecLibrary.cmake").read_text(), libraries_of(root))
    order = Order((root / "lib/Transforms/CMakeLists.txt").read_text())
    files = [file for top in ["lib", "include"] for file in sorted((root / top).rglob("*")) if file.suffix in SUFFIXES]
    texts = {file.relative_to(root).as_posix(): file.read_text(errors="replace") for file in files if file.is_file()}
    texts = {path: text for path, text in texts.items() if folder_of(path)}
    homes = Homes(texts)
    complaints = list(homes.complaints(order))
    passes = Passes(texts.get("include/tilec/Transforms/Passes.td", ""))
    for path, text in texts.items():
        complaints += passes.complaints(path, homes)
        folder = folder_of(path)
        if folder not in layering.level:
            complaints.append(f"{path}:1: folder {folder} has no level")
            continue
        for match in INCLUDE.finditer(text):
            included = match.group(1) or match.group(2)
            why = layering.complaint(folder, path, included) or order.complaint(path, included)
            if why:
                line = text.count("\n", 0, match.start(1 if match.group(1) else 2)) + 1
                complaints.append(f'{path}:{line}: "{included}": {why}')
    return complaints, len(texts)


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
