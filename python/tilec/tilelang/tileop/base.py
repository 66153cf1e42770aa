# SPDX-License-Identifier: Apache-2.0
from ...language._functions import GemmWarpPolicy  # noqa: F401
