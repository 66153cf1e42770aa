/* Compile.h stands alone. SPDX-License-Identifier: Apache-2.0 */
#include "tilec-c/Compile.h"

typedef int tilec_not_empty;
