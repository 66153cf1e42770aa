# SPDX-License-Identifier: Apache-2.0
import os
import tempfile

# Compiled kernels of other runs must not answer for these.
os.environ["TILEC_CACHE_DIR"] = tempfile.mkdtemp(prefix="tilec-test-")
os.environ.setdefault("TILEC_QUIET", "1")
