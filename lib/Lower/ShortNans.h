//===- ShortNans.h - which NaNs a kernel can meet -------------------------===//
//
// Where a NaN has zeros in the low half of its f32, rounding to bf16 by an addition
// keeps it a NaN, and nothing has to look for it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/IR/Wave/Wave.h"

namespace tilec::lower {

/// Whether each NaN in f32 that the kernel computes with has zeros in its low half.
bool hasOnlyShortNans(wave::KernelOp kernel);

} // namespace tilec::lower
