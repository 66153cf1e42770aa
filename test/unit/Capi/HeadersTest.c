/* All headers in one C file. SPDX-License-Identifier: Apache-2.0 */
#include "tilec-c/Compile.h"
#include "tilec-c/Runtime.h"
#include "tilec-c/Simulate.h"

/* What zero means is part of the interface: options that are cleared have their defaults. */
typedef char tilec_ok_is_zero[TILEC_OK == 0 ? 1 : -1];
typedef char tilec_default_is_zero[TILEC_DEFAULT == 0 ? 1 : -1];
typedef char tilec_tensor_is_zero[TILEC_ARG_TENSOR == 0 ? 1 : -1];
