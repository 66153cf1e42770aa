# SPDX-License-Identifier: Apache-2.0
"""An AMD GPU as scripts ask for it."""

from . import CDNA, driver

#: Bytes of LDS that a block of gfx950 may have.
_GFX950_LDS_SIZE = driver._FACTS["gfx950"][1]

__all__ = ["CDNA"]
