# SPDX-License-Identifier: Apache-2.0
"""What scripts import of tvm.target."""

from ..backend.target import Target, determine_target  # noqa: F401
