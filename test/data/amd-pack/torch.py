# SPDX-License-Identifier: Apache-2.0
"""As much of torch as test/bench/amd/on_hardware.py calls: every call takes 2 ms."""
bfloat16 = "bfloat16"


def randn(*shape, device, dtype):
    assert device == "cuda" and dtype == bfloat16
    cuda.allocated += 2 * (shape[0] * shape[1])
    return shape


class cuda:
    allocated = 0

    class Event:
        def __init__(self, enable_timing):
            assert enable_timing

        def record(self):
            pass

        def synchronize(self):
            pass

        def elapsed_time(self, end):
            return 2.0

    @staticmethod
    def set_device(index):
        assert index == 0

    @staticmethod
    def memory_allocated():
        return cuda.allocated
