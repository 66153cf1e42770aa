//===- Images.h - the steps from object or PTX to a loadable image --------===//
//
// Takes an AMD object or PTX, gives the image that a driver loads; without an assembler PTX stays
// what it is.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/CodeGen/CodeGen.h"

namespace tilec::codegen {

/// Links a relocatable AMDGPU object: fills bytes, kernels, kind.
llvm::Error makeHsaco(llvm::ArrayRef<uint8_t> object, Image &image);

/// Turns image.ptx into a cubin by the assembler that the options ask for, or leaves it as PTX:
/// fills bytes, kernels, kind, log, notes.
llvm::Error assemblePtx(const CodeGenOptions &options, Image &image);

/// Spills and serialised wgmma as notes, or as an error in strict mode.
llvm::Error judgeImage(const CodeGenOptions &options, Image &image);

} // namespace tilec::codegen
