# SPDX-License-Identifier: Apache-2.0
"""Settings of every lit suite of tilec.

Tools of the build and of LLVM are called by their plain names (`tilec`, `FileCheck`, `not`,
`llvm-mc`). Beside lit's own substitutions there are

    %examples   the folder examples/
    %data       the folder test/data/
    %seeds      the folder with the seed programs ($TILEC_SEEDS)
    %ptxas      ptxas: $TILEC_PTXAS, else from PATH, $CUDA_HOME/bin or /usr/local/cuda/bin
    %tools      the folder with the tools of the build
    %repo       the root of the repository
    %python     the Python that runs lit
    %fake_driver  a GPU driver without a GPU (test/unit/Runtime/FakeDriver.cpp)
    %ptx_driver   the PTX simulator as libcuda (test/unit/PtxSim/PtxDriver.cpp)
    %hip_driver   the simulator as libamdhip64 (test/unit/SimDevice/HipDriver.cpp)
    %cuda_include the folder of cuda.h
    %cxx          the C++ compiler of the build
    %plugin       libTilecPlugin.so
    %llvm_plugin  libTilecLlvmPlugin.so

and for REQUIRES: `seeds`, `mlir-opt`, `ptxas`, `nvdisasm`, `libdevice`, `cuda`, `cuda-header`, `hip`, `asan`, `chromium`. A missing tool of ours is a failure, never
a skipped test.
"""

import ctypes
import os
import shutil
import sys

import lit.formats

config.name = f"tilec-{config.tilec_suite}"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".py", ".ll", ".test"]
config.excludes = ["Inputs", "lit.cfg.py", "lit.site.cfg.py", "CMakeLists.txt"]

config.environment["PATH"] = os.pathsep.join(
    [config.tilec_tools, config.tilec_llvm_tools, os.environ.get("PATH", "")]
)
passed = ("TILEC_SEEDS TILEC_PTXAS TILEC_NVDISASM TILEC_NVRTC TILEC_LIBDEVICE TILEC_ROCM_DEVICE_LIBS ROCM_PATH CUDA_HOME "
          "LD_LIBRARY_PATH ASAN_OPTIONS HOME")
for name in passed.split():
    if name in os.environ:
        config.environment[name] = os.environ[name]
# No test sees what an earlier one compiled; those of the cache name a folder.
config.environment["TILEC_CACHE_DIR"] = "none"
config.environment["TILEC_PATIENCE"] = "0"  # a busy machine is no part of what tools say


def loads(library):
    try:
        ctypes.CDLL(library)
        return True
    except OSError:
        return False


seeds = os.environ.get("TILEC_SEEDS", "")
if os.path.isdir(seeds):
    config.available_features.add("seeds")
toolkit = os.path.join(os.environ.get("CUDA_HOME", "/usr/local/cuda"), "bin")
ptxas = os.environ.get("TILEC_PTXAS") or shutil.which("ptxas") or shutil.which("ptxas", path=toolkit)
if ptxas:
    config.available_features.add("ptxas")
if os.environ.get("TILEC_NVDISASM") or shutil.which("nvdisasm") or shutil.which("nvdisasm", path=toolkit):
    config.available_features.add("nvdisasm")
libdevice = os.environ.get("TILEC_LIBDEVICE") or os.path.join(
    os.path.dirname(toolkit), "nvvm", "libdevice", "libdevice.10.bc")
if os.path.isfile(libdevice):
    config.available_features.add("libdevice")
chromium = shutil.which("chromium") or shutil.which("chromium-browser")
if chromium:
    config.available_features.add("chromium")
if loads("libcuda.so.1"):
    config.available_features.add("cuda")
if loads("libamdhip64.so"):
    config.available_features.add("hip")
if os.path.isfile(os.path.join(config.tilec_cuda_include, "cuda.h")):
    config.available_features.add("cuda-header")
if os.path.isfile(os.path.join(config.tilec_llvm_tools, "mlir-opt")):
    config.available_features.add("mlir-opt")
if "ASAN_OPTIONS" in os.environ:
    config.available_features.add("asan")

config.substitutions += [
    ("%examples", os.path.join(config.tilec_source, "examples")),
    ("%data", os.path.join(config.tilec_source, "test", "data")),
    ("%tools", config.tilec_tools),
    ("%repo", config.tilec_source),
    ("%seeds", seeds or "no-seeds"),
    ("%ptxas", ptxas or "no-ptxas"),
    ("%python", sys.executable),
    ("%chromium", chromium or "no-chromium"),
    ("%fake_driver", config.tilec_fake_driver),
    ("%ptx_driver", config.tilec_ptx_driver),
    ("%hip_driver", config.tilec_hip_driver),
    ("%cuda_include", config.tilec_cuda_include),
    ("%cxx", config.tilec_cxx),
    ("%plugin", config.tilec_plugin),
    ("%llvm_plugin", config.tilec_llvm_plugin),
]
