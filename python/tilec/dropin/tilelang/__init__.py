# SPDX-License-Identifier: Apache-2.0
"""`tilelang` is `tilec.tilelang`, and `tvm` what of it scripts import."""

import os
import sys

try:
    import tilec
except ModuleNotFoundError:  # only this folder is on the path
    sys.path.append(os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))))
    import tilec  # noqa: F401

from tilec import _alias

_alias.install()
