# SPDX-License-Identifier: Apache-2.0
"""Questions about the device that TileLang asks of nvcc."""

from ... import _targets


def get_target_compute_version(target=None):
    found = _targets.resolve(target)
    digits = "".join(c for c in found[3:] if c.isdigit()) if found.startswith("sm_") else "90"
    return f"{digits[:-1]}.{digits[-1]}"


def parse_compute_version(text):
    major, minor = str(text).split(".")
    return int(major), int(minor)


def have_fp8(version):
    return parse_compute_version(version) >= (8, 9)


def have_tensorcore(version=None, target=None):
    return True


def have_pdl(target=None):
    return _targets.resolve(target).startswith("sm_90")
