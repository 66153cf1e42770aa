#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes one barrier or one wait out of an AMD code object: puts `s_nop 0` into its place.

usage: break.py OBJECT OUT barrier|wait N      N counts from 1 in the order of the addresses
       break.py OBJECT                         lists them
"""
import struct
import sys

S_NOP = 0xBF800000
KINDS = {0xBF8A: "barrier", 0xBF8C: "wait"}  # upper halves of SOPP instructions, CDNA3 and CDNA4 ISA, 12.5


def text_section(image):
    """(offset, size) of .text in an ELF file of 64 bits."""
    table, = struct.unpack_from("<Q", image, 0x28)
    size, count, names = struct.unpack_from("<HHH", image, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", image, table + i * size) for i in range(count)]
    strings = sections[names][4]
    for name, _, _, _, offset, length in sections:
        if image[strings + name:].startswith(b".text\0"):
            return offset, length
    sys.exit("no .text")


def counters(code):
    """How an s_waitcnt reads."""
    vm, lgkm = code & 15 | code >> 10 & 48, code >> 8 & 15
    return " ".join(f"{name}({n})" for name, n, most in (("vmcnt", vm, 63), ("lgkmcnt", lgkm, 15)) if n != most)


def main(path, out=None, kind=None, number=0):
    image = bytearray(open(path, "rb").read())
    begin, size = text_section(image)
    seen = {"barrier": 0, "wait": 0}
    for at in range(begin, begin + size, 4):
        word, = struct.unpack_from("<I", image, at)
        found = KINDS.get(word >> 16)
        if not found:
            continue
        seen[found] += 1
        if out is None:
            print(f"{found} {seen[found]:2} at .text+{at - begin:#x} {counters(word) if found == 'wait' else ''}".rstrip())
        elif found == kind and seen[found] == int(number):
            struct.pack_into("<I", image, at, S_NOP)
            open(out, "wb").write(image)
            return
    if out is not None:
        sys.exit(f"there is no {kind} {number}")


if __name__ == "__main__":
    if len(sys.argv) not in (2, 5):
        sys.exit(__doc__)
    main(*sys.argv[1:])
