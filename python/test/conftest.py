# SPDX-License-Identifier: Apache-2.0
import os
import tempfile

# Compiled kernels of other runs must not answer for these.
os.environ["TILEC_CACHE_DIR"] = tempfile.mkdtemp(prefix="tilec-test-")
os.environ.setdefault("TILEC_QUIET", "1")

# These tests are of the simulators and of fake drivers; gpu_smoke.py is for hosts with a GPU.
for name in ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES"):
    os.environ[name] = ""
