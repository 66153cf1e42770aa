/*===- tilec-c/Simulate.h - GPUs without a GPU ------------------------------===*\
 *
 * The simulators of libtilec.so as devices of libtilec-runtime.so: kernels run
 * instruction by instruction, and what hardware hides (a missing wait, a race in shared memory,
 * an access outside of a tensor) is an error of tilec_stream_wait. docs/simulators/simulator.md.
 *
 *     tilec_backend backend = {sizeof backend};
 *     tilec_simulator_create("gfx950", &backend);
 *     tilec_device_from_backend(&backend, &device);
 *
 * SPDX-License-Identifier: Apache-2.0
\*===----------------------------------------------------------------------===*/
#ifndef TILEC_C_SIMULATE_H
#define TILEC_C_SIMULATE_H

#include "tilec-c/Runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Fills `backend`, whose `size` is set, with a simulated GPU: code objects for gfx942 and gfx950,
 * PTX (tilec_compile_options::ptx_assembler = "none") for the sm_ targets. The caller hands it to
 * tilec_device_from_backend, or calls its `release`. Launches run at once, with helper threads.
 */
TILEC_API tilec_status tilec_simulator_create(const char *target, tilec_backend *backend);

#ifdef __cplusplus
}
#endif

#endif
