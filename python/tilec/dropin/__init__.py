# SPDX-License-Identifier: Apache-2.0
"""A folder for PYTHONPATH in which `tilelang` is tilec's: `PYTHONPATH=$(python -m tilec.dropin) python f.py`."""

import os

FOLDER = os.path.dirname(os.path.abspath(__file__))
