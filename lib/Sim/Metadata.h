//===- Metadata.h - the NT_AMDGPU_METADATA note ---------------------------===//
//
// Takes the note of a code object, gives arguments and registers of its kernels.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Sim/Simulator.h"

namespace tilec::sim {

/// Fills arguments and register counts of the kernels that `blob` (MessagePack) describes.
llvm::Error applyMetadata(llvm::StringRef blob, std::vector<KernelInfo> &kernels);

} // namespace tilec::sim
