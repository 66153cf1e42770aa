# SPDX-License-Identifier: Apache-2.0
"""Helpers of hand-written matrix kernels: kernels use them by name."""

from ....layout import _module_of_names

__getattr__ = _module_of_names(__name__)
