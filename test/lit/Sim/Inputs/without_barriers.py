"""without_barriers.py OBJECT OUT: the same code object with s_nop in place of every s_barrier."""
import pathlib
import struct
import sys

image = pathlib.Path(sys.argv[1]).read_bytes()
barrier, nop = struct.pack("<I", 0xBF8A0000), struct.pack("<I", 0xBF800000)  # SOPP (CDNA3 ISA)
assert barrier in image
pathlib.Path(sys.argv[2]).write_bytes(image.replace(barrier, nop))
