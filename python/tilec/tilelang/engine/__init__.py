# SPDX-License-Identifier: Apache-2.0
from ..._jit import lower  # noqa: F401
