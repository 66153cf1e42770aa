# SPDX-License-Identifier: Apache-2.0
from .more import DOUBLE

BLOCK = DOUBLE // 2
