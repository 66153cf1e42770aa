# SPDX-License-Identifier: Apache-2.0
"""TileLang's tools for CUDA."""
