#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that what every target shares names no chip, no vendor, and none of their numbers.

lib/Transforms, lib/Analysis, lib/IR, lib/Import and their headers ask tilec/Target instead (docs/contribute/adding-a-target.md):
their code and comments may not hold the words below, nor a constant that is a chip's. A page of docs/ and the title
of a manual that a comment cites are no names. What is a vendor's own belongs in a folder AMDGPU or NVPTX.

A constant whose name has a unit of the machine (bytes, lanes, clocks, ...) and whose value is written out is a chip's
as well, if it is not one of OWN_NUMBERS: what an algorithm has chosen, or what is so on every machine.
"""

import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = [f"{top}/{name}" for name in ("Transforms", "Analysis", "IR", "Import") for top in ("lib", "include/tilec")]
OWN = {"AMDGPU", "NVPTX"}
SUFFIXES = {".h", ".cpp", ".def", ".td", ".inc", ".txt"}
WORD = re.compile(r"amd(?!ahl)|nvidia|gfx_?\d|sm_\d|\bcdna|hopper|ampere|blackwell|\bada\b|mi3\d\d|\b[ah][12]00\b"
                  r"|mfma|wgmma|setmaxnreg|vmcnt|lgkmcnt|s_waitcnt|\bds_(?:read|write)|ldmatrix\.x|Arch::|vendor", re.I)
# Registers, shared memory, threads' limits and multiprocessors of the chips that there are.
NUMBER = re.compile(r"(?<![\w.])(?:108|132|255|304|512|896|65535|65536|131072|163840|166912|167936|232448|233472"
                    r"|227|228)(?![\w.])")
UNITS = {"banks", "bytes", "clocks", "lanes", "regs", "registers", "sectors", "simds", "threads", "units", "warps", "waves"}
CONSTANT = re.compile(r"\b(?:constexpr|const)\s+(?:static\s+)?[\w:]+\s+(\w+\s*=[^;]*);")
LITERAL = re.compile(r"(?:int64_t\()?(?:0x[0-9a-fA-F]+|\d+)\)?(?:\s*(?:<<|\*)\s*\d+)*")
# Files of lib/Transforms and the constants in them, by the reason why they are no chip's.
OWN_NUMBERS = {
    "what kernels of the tests need beside fragments, found by compiling them": [
        "Roles/RingSlots.cpp otherRegisters", "Strategies/Teams.cpp otherRegs",
        "Layouts/WarpGroups.cpp leastOtherRegs", "Strategies/Interleave.cpp otherRegisters"],
    "from where on something pays, measured or chosen; each says so at its place": [
        "Pipelines/StageStores.cpp narrowBytes", "Pipelines/HeldRounds.h enoughWaves",
        "Check/Check.cpp mostRegisters", "ToWave/EmitTileStore.cpp fetchRegs", "ToWave/Gemm.cpp mostRegisters",
        "Strategies/Teams.cpp fewestRegs", "Layouts/Exchange.cpp mostOwnBytes",
        "Layouts/Swizzle.cpp widestChunkBytes", "Layouts/GemmPlan.cpp readBytes", "Normalize/StreamFragments.cpp tooManyRegisters",
        "Normalize/ReadRounds.cpp mostBytes", "Normalize/KeepOwnElements.cpp mostBytes", "Pipelines/HoistReads.cpp mostBytes",
        "Normalize/KeepOwnElements.cpp mostBytesOfLoop", "Normalize/KeepOwnElements.cpp mostBytesOfBody",
        "ToWave/EarlyReads.cpp enoughThreads", "Schedule/ReadsFirst.cpp partOfRegisters",
        "ToWave/GroupRounds.cpp partOfRegisters"],
    "how a product is shared out where no instruction does it": [
        "Layouts/GemmAtoms.cpp lanesM", "Layouts/GemmAtoms.cpp lanesN"],
    "offsets and registers have 32 bits in wave IR": [
        "Pipelines/AsyncPieces.cpp mostBytes", "Pipelines/ExpandPipelines.cpp wordBytes",
        "Layouts/GemmPlan.cpp wordBytes", "Layouts/LoopLayout.cpp wordBytes", "ToWave/Threads.cpp bytes"],
    "how tile.gemm takes the places of a sparse A, and wave.group_mma their words": [
        "ToWave/EmitGemm.cpp wordBytes", "ToWave/EmitGemm.cpp lanesOfRow"],
    "bits of a number": ["ToWave/MatrixWrites.cpp lanesOfRow"],
    "what wave.ldmatrix and wave.stmatrix are defined to move": ["include/tilec/IR/Wave/Wave.h matrixRowBytes"],
}
ALLOWED = {entry if "/tilec/" in entry else "lib/Transforms/" + entry for entries in OWN_NUMBERS.values() for entry in entries}
CITED = re.compile(r"docs/[\w./-]+|\"[^\"]*\" of the [\w ]+")
COMMENT = re.compile(r"//.*|^\s*#.*")
COMMENT_END = re.compile(r"//[^\n]*")


def lines_of(root):
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            inside = path.relative_to(root)
            if path.suffix in SUFFIXES and not OWN & set(inside.parts):
                yield inside, 0, str(inside.relative_to(folder))
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    yield inside, number, line


def has_unit(name):
    return bool(UNITS & {word.lower() for word in re.findall(r"[A-Z]?[a-z]+", name)})


def constants(root):
    """Constants with a unit in their name and a number for a value: (path, line, name)."""
    for path in sorted({path for path, number, _ in lines_of(root) if number == 0 and path.suffix in {".h", ".cpp"}}):
        text = COMMENT_END.sub("", (root / path).read_text())
        for statement in CONSTANT.finditer(text):
            for part in statement[1].split(","):
                name, _, value = (piece.strip() for piece in part.partition("="))
                if has_unit(name) and LITERAL.fullmatch(value):
                    yield path, text.count("\n", 0, statement.start()) + 1, name


def complaints(root):
    found = [f"{path}:{line}: `{name}` is a number with a unit of the machine; ask the target (tilec/Target/Target.h), "
             "or say in tools/dev/check_targets.py why it is no chip's"
             for path, line, name in constants(root) if f"{path} {name}" not in ALLOWED]
    for path, number, line in lines_of(root):
        text = CITED.sub("", line)
        word = WORD.search(text)
        figure = None if number == 0 else NUMBER.search(COMMENT.sub("", text))
        if word or figure:
            what = f"names `{word[0]}`" if word else f"holds {figure[0]}, a number of some chip"
            found.append(f"{path}:{number}: {what}; ask the target (tilec/Target/Target.h)")
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=ROOT)
    root = parser.parse_args().root
    found = complaints(root)
    gone = ALLOWED - {f"{path} {name}" for path, _, name in constants(root)}
    found += [f"tools/dev/check_targets.py: `{entry}` is allowed and not there" for entry in sorted(gone)]
    for line in found:
        print(line)
    print(f"{len(found)} lines name a chip or a vendor, or hold a number of one")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
