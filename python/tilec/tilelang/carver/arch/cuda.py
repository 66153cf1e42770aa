# SPDX-License-Identifier: Apache-2.0
"""An NVIDIA GPU as scripts ask for it."""

from . import CUDA

__all__ = ["CUDA"]
