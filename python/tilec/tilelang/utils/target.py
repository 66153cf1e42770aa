# SPDX-License-Identifier: Apache-2.0
"""Questions about targets."""

from ..backend.target import *  # noqa: F401,F403
