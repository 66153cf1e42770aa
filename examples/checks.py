# SPDX-License-Identifier: Apache-2.0
"""What the check.py of the examples share: files of NumPy without NumPy, and a kernel as a function of lists."""
import array
import ast
import struct
import subprocess
import tempfile
from pathlib import Path

CODES = {"<f4": "f", "<i4": "i"}


def save(path, values, shape):
    """Floats as float32, integers as int32."""
    dtype = "<i4" if isinstance(values[0], int) else "<f4"
    head = repr({"descr": dtype, "fortran_order": False, "shape": tuple(shape)}).encode()
    head += b" " * (-(len(head) + 11) % 64) + b"\n"
    Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head +
                           array.array(CODES[dtype], values).tobytes())


def load(path):
    data = Path(path).read_bytes()
    size = struct.unpack("<H", data[8:10])[0]
    head = ast.literal_eval(data[10:10 + size].decode())
    return array.array(CODES[head["descr"]], data[10 + size:]).tolist()


def run(script, entry, target, tensors, outputs, scalars=None):
    """Runs a kernel on the host, as machine code or PTX of `target`; `tensors` maps names to (list, shape). Gives the outputs as lists."""
    with tempfile.TemporaryDirectory() as folder:
        device = "sim" if target.startswith("gfx") else "ptx"
        command = ["tilec-run", str(script), "--entry", entry, f"--device={device}", f"--target={target}"]
        for name, (values, shape) in tensors.items():
            save(f"{folder}/{name}.npy", values, shape)
            command.append(f"--arg={name}={folder}/{name}.npy")
        command += [f"--arg={name}={value}" for name, value in (scalars or {}).items()]
        command += [f"--save={name}={folder}/{name}.out.npy" for name in outputs]
        subprocess.run(command, check=True)
        return [load(f"{folder}/{name}.out.npy") for name in outputs]
