# SPDX-License-Identifier: Apache-2.0
"""Questions about the device: torch's answers, and without a GPU those of the target's usual chip."""

from .... import _targets

# (multiprocessors, bytes of shared memory of a block): lib/Target.
_FACTS = {
    "gfx942": (304, 65536), "gfx950": (256, 163840), "sm_80": (108, 166912), "sm_89": (128, 101376),
    "sm_90": (132, 232448), "sm_90a": (132, 232448), "sm_120": (170, 101376),
}  # fmt: skip


def _properties():
    cuda = _targets.torch_cuda()
    return None if cuda is None or _targets.simulated() else cuda.get_device_properties(cuda.current_device())


def facts(target):
    """(multiprocessors, bytes of shared memory of a block) of a target's usual chip."""
    return _FACTS[target]


def get_num_sms(device_id=0):
    found = _properties()
    return found.multi_processor_count if found else _FACTS[_targets.current_target()][0]


def get_device_attribute(attribute, device_id=0):
    return getattr(_properties(), attribute)


def get_cuda_device_properties(device_id=0):
    return _properties()


def get_shared_memory_per_block(device_id=0, format="bytes"):
    found = _FACTS[_targets.current_target()][1]
    return found if format == "bytes" else found / {"kb": 1024, "mb": 1 << 20}[format]


get_max_dynamic_shared_size_bytes = get_shared_memory_per_block


def get_persisting_l2_cache_max_size(device_id=0):
    found = _properties()
    return found.L2_cache_size if found else 50 << 20


def get_registers_per_block(device_id=0):
    return 65536
