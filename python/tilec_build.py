# SPDX-License-Identifier: Apache-2.0
"""The build backend: scikit-build-core's, but a wheel without the compiler is one of `tilec-runtime`.

What is built follows from what CMake finds, so the name is known when the wheel is there: there is no
prepare_metadata_for_build_wheel, and pip takes the metadata from the wheel.
"""

import base64
import hashlib
import os
import re
import zipfile

from scikit_build_core import build as _build

build_sdist = _build.build_sdist
get_requires_for_build_sdist = _build.get_requires_for_build_sdist
get_requires_for_build_wheel = _build.get_requires_for_build_wheel

SUMMARY = "Loads and launches kernels that tilec has compiled (built without LLVM and MLIR 22: it does not compile)"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    name = _build.build_wheel(wheel_directory, config_settings, None)
    path = os.path.join(wheel_directory, name)
    with zipfile.ZipFile(path) as wheel:
        if any(re.match(r"tilec/_compiler\..*so$", n) for n in wheel.namelist()):
            return name
        return _as_runtime(wheel, path, wheel_directory)


def _as_runtime(wheel, path, folder):
    """The same wheel under the other name."""
    print("LLVM and MLIR 22 are not installed: this is tilec-runtime, with which kernels are loaded and launched but not compiled")
    renamed = os.path.basename(path).replace("tilec-", "tilec_runtime-", 1)
    rows = []
    with zipfile.ZipFile(os.path.join(folder, renamed), "w", zipfile.ZIP_DEFLATED) as out:
        for info in wheel.infolist():
            data = wheel.read(info)
            if info.filename.endswith(".dist-info/RECORD"):
                record = info
                continue
            if info.filename.endswith(".dist-info/METADATA"):
                data = re.sub(rb"(?m)^Name: tilec$", b"Name: tilec-runtime", data, count=1)
                data = re.sub(rb"(?m)^Summary: .*$", b"Summary: " + SUMMARY.encode(), data, count=1)
            info.filename = _of_runtime(info.filename)
            out.writestr(info, data)
            digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
            rows.append(f"{info.filename},sha256={digest},{len(data)}\n")
        record.filename = _of_runtime(record.filename)
        out.writestr(record, "".join(rows) + f"{record.filename},,\n")
    os.remove(path)
    return renamed


def _of_runtime(name):
    return re.sub(r"^tilec-([^/]*\.dist-info/)", r"tilec_runtime-\1", name)
