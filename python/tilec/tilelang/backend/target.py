# SPDX-License-Identifier: Apache-2.0
"""Questions about targets."""

from ... import _targets


class Target(str):
    """A target by tilec's name, with what scripts read of one."""

    @property
    def kind(self):
        return _Kind("hip" if _targets.is_amd(self) else "cuda")

    @property
    def arch(self):
        return str(self)

    mcpu = arch


class _Kind(str):
    @property
    def name(self):
        return str(self)


def determine_target(target="auto", return_object=False):
    return Target(_targets.resolve(target))


def target_is_cuda(target):
    return not _targets.is_amd(_targets.resolve(target))


def target_is_hip(target):
    return _targets.is_amd(_targets.resolve(target))


target_is_rocm = target_is_hip


def target_is_cdna(target):
    return target_is_hip(target)


def target_is_gfx950(target):
    return _targets.resolve(target) == "gfx950"


def target_is_hopper(target):
    return _targets.resolve(target).startswith("sm_90")


def target_is_ampere(target):
    return _targets.resolve(target) == "sm_80"


def target_get_warp_size(target):
    return 64 if target_is_hip(target) else 32


def check_cuda_availability():
    found = _targets.simulated() or _targets.device_target()
    return bool(found) and not _targets.is_amd(found)


def check_hip_availability():
    found = _targets.simulated() or _targets.device_target()
    return bool(found) and _targets.is_amd(found)
