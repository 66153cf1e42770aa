#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles with a build's libtilec.so in a process that stays, for tools that compile thousands of kernels.

usage: compile_server.py LIBRARY

`tilec` spends a quarter to a half of a small kernel's time on starting: LLVM's tables, pages touched for the first
time. The library is called as embedders call it (include/tilec-c/Compile.h), nothing is cached on disk. A process
reads a JSON object a line from standard input (script, entry, schedule, strict, target, verify_stages) and answers with one (status,
log, bytes), which the image follows: a code object of AMD, PTX of NVIDIA, both without line tables. `Server` is the
other side of it.
"""

import ctypes
import json
import select
import subprocess
import sys

OK, REFUSED = 0, 1  # of tilec_status
ON, OFF = 1, 2      # of tilec_choice
DIED = -1


class Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    def bytes(self):
        return ctypes.string_at(self.data, self.size) if self.size else b""


class CompilerOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("cache_dir", ctypes.c_char_p)]


class CompileOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t),
                *((name, ctypes.c_char_p) for name in ("target", "entry", "schedule", "ptx_assembler", "stop_after")),
                *((name, ctypes.c_int) for name in ("strict", "strict_schedule", "line_tables", "check_bounds",
                                                    "verify_stages")),
                ("math", ctypes.c_char_p), ("defines", ctypes.c_void_p), ("define_count", ctypes.c_size_t),
                ("tuned_json", ctypes.c_char_p)]


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(path)
        for name in ("image", "log"):
            getattr(self.c, f"tilec_binary_{name}").restype = Text
        options = CompilerOptions(ctypes.sizeof(CompilerOptions), b"")
        self.compiler = ctypes.c_void_p()
        if self.c.tilec_compiler_create(ctypes.byref(options), ctypes.byref(self.compiler)) != OK:
            sys.exit(f"{path}: makes no compiler")

    def compile(self, job):
        """(status, log, image)"""
        program, binary = ctypes.c_void_p(), ctypes.c_void_p()
        status = self.c.tilec_program_from_file(self.compiler, job["script"].encode(), ctypes.byref(program))
        if status != OK:
            return status, b"", b""
        options = CompileOptions(size=ctypes.sizeof(CompileOptions), ptx_assembler=b"none", line_tables=OFF,
                                 strict=ON if job.get("strict") else OFF,
                                 verify_stages=ON if job.get("verify_stages") else OFF)
        for name in ("target", "entry", "schedule"):
            if name in job:
                setattr(options, name, job[name].encode())
        status = self.c.tilec_compile(program, ctypes.byref(options), ctypes.byref(binary))
        found = status, self.c.tilec_binary_log(binary).bytes(), self.c.tilec_binary_image(binary).bytes()
        self.c.tilec_binary_release(binary)
        self.c.tilec_program_release(program)
        return found


def serve(path):
    library = Library(path)
    for line in sys.stdin.buffer:
        status, log, image = library.compile(json.loads(line))
        answer = {"status": status, "log": log.decode(errors="replace"), "bytes": len(image)}
        sys.stdout.buffer.write(json.dumps(answer).encode() + b"\n" + image)
        sys.stdout.buffer.flush()


class Server:
    """Such a process, started when it is asked for something; one thread uses it at a time."""

    def __init__(self, library, folder):
        self.library, self.folder, self.process = library, folder, None

    def start(self):
        self.process = subprocess.Popen([sys.executable, __file__, str(self.library)], cwd=self.folder,
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def close(self):
        if self.process:
            self.process.kill()
            self.process.communicate()
            self.process = None

    def compile(self, job, seconds=300):
        """(status, log, image); status DIED where the process has, or takes longer: the next call has another one."""
        if not self.process:
            self.start()
        try:
            self.process.stdin.write(json.dumps(job).encode() + b"\n")
            self.process.stdin.flush()
            if select.select([self.process.stdout], [], [], seconds)[0]:
                answer = json.loads(self.process.stdout.readline())
                return answer["status"], answer["log"], self.process.stdout.read(answer["bytes"])
        except (BrokenPipeError, json.JSONDecodeError):
            pass
        self.close()
        return DIED, "", b""


if __name__ == "__main__":
    serve(sys.argv[1])
