//===- Cdna.h - what AMD's CDNA chips share -------------------------------===//
//
// Gives the fields that CDNA3 and CDNA4 share, and makes their matrix atoms from rows.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Target/Target.h"

namespace tilec::chips {

/// Everything that CDNA3 and CDNA4 have in common; a chip's file says the rest.
TargetInfo makeCdna(Arch arch);

/// An MFMA with one block; `intrinsic` is LLVM's name behind llvm.amdgcn.mfma.
MmaAtom mfma(llvm::StringRef name, llvm::StringRef intrinsic, DType a, DType b, DType c, int64_t mn,
             int64_t k, unsigned passes);

} // namespace tilec::chips
