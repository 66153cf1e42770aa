# SPDX-License-Identifier: Apache-2.0
"""The device as scripts ask for it."""

import dataclasses

from .... import _targets
from . import driver

__all__ = ["CUDA", "CDNA", "driver", "auto_infer_current_arch", "get_arch", "is_cuda_arch", "is_cdna_arch"]


@dataclasses.dataclass
class Arch:
    """What hints about tile sizes are made of."""

    target: str
    platform: str
    warp_size: int
    compute_max_core: int
    smem_cap: int
    reg_cap: int = 65536
    max_smem_usage: int = 0
    sm_version: int = 0

    def __post_init__(self):
        self.max_smem_usage = self.max_smem_usage or self.smem_cap


def get_arch(target="auto"):
    found = _targets.resolve(target)
    is_amd = _targets.is_amd(found)
    return Arch(found, "CDNA" if is_amd else "CUDA", 64 if is_amd else 32, driver.get_num_sms(),
                driver.get_shared_memory_per_block(),
                sm_version=0 if is_amd else int("".join(c for c in found[3:] if c.isdigit())))  # fmt: skip


CUDA = CDNA = auto_infer_current_arch = get_arch


def is_cuda_arch(arch):
    return arch.platform == "CUDA"


def is_cdna_arch(arch):
    return arch.platform == "CDNA"
