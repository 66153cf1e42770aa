//===- ImageFacts.h - kernel facts read back from an image ----------------===//
//
// Takes the bytes of an object, hsaco or cubin, gives registers, memory and names of its kernels.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/KernelFacts.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <vector>

namespace tilec::codegen {

/// From the NT_AMDGPU_METADATA note and the symbol table of an object or an hsaco.
llvm::Expected<std::vector<KernelFacts>> readAmdgpuFacts(llvm::ArrayRef<uint8_t> image);

/// From .nv.info, .nv.shared.* and .text.* of a cubin. Spills are not recorded in a cubin.
llvm::Expected<std::vector<KernelFacts>> readCubinFacts(llvm::ArrayRef<uint8_t> image);

} // namespace tilec::codegen
