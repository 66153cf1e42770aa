# SPDX-License-Identifier: Apache-2.0
"""Integers for sizes of tiles."""


def cdiv(a, b):
    """a / b, rounded up."""
    return -(-a // b)


def next_power_of_2(n):
    """The least power of two that is not below n."""
    return 1 << max(0, int(n) - 1).bit_length()


cdiv.__tilec_name__ = "tilelang.cdiv"
next_power_of_2.__tilec_name__ = "tilelang.math.next_power_of_2"
