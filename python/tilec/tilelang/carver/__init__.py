# SPDX-License-Identifier: Apache-2.0
"""What scripts ask of TileLang's carver: the device, and lists of tile sizes to try."""

from .template import ElementwiseTemplate, GEMVTemplate, GeneralReductionTemplate, Hint, MatmulTemplate

__all__ = ["ElementwiseTemplate", "GEMVTemplate", "GeneralReductionTemplate", "Hint", "MatmulTemplate"]
