
# SPDX-License-Identifier: Apache-2.0
# Behind the text of python/tilec/_tiles.py, this is the module `tilec.tiles` of scripts: here the compiler knows the
# target. python/tilec/tiles.py is the same for Python.
import tilelang.language as T
from tilelang.carver.arch import driver


def candidates(M, N, K, dtype="bfloat16", transpose_B=True, count=4):
    chip = (driver.get_num_sms(), driver.get_warp_size(), driver.get_shared_memory_per_block(), driver.has_warp_groups())
    return candidates_on(chip, M, N, K, T.dtype(dtype).bits, transpose_B, count)


def product(M, N, K, dtype="bfloat16", transpose_B=True):
    return candidates(M, N, K, dtype, transpose_B, 1)[0]
