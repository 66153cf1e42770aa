# SPDX-License-Identifier: Apache-2.0
"""What scripts ask of TileLang's carver: the device, and lists of tile sizes to try."""
