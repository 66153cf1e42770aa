# SPDX-License-Identifier: Apache-2.0
import torch
from pkg.sizes import BLOCK
from pkg import sizes as table

SCALE = 1.5
FROM_GPU = torch.randn(4).item()


def rounded(n, block=BLOCK):
    return -(-n // block) * block


def unused():
    return undefined_name
