//===- Target.h - what a GPU has, as data ---------------------------------===//
//
// Constants of a chip with their sources; no virtual functions. Everything that
// asks "can it, and how large" asks here.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"
#include "tilec/Base/DType.h"
#include "tilec/Layout/FragmentLayout.h"

namespace tilec {

/// One matrix instruction D = A * B + C of a wave. The layouts map (register, lane) to A: (m, k),
/// B: (n, k), C and D: (m, n); registers count elements, not 32-bit words.
struct MmaAtom {
  llvm::StringRef name;      ///< the instruction, as the assembler spells it
  llvm::StringRef intrinsic; ///< LLVM's name
  DType a, b, c;
  int64_t m, n, k;
  LinearLayout aLayout, bLayout, cLayout;
  unsigned passes = 0; ///< issue interval in units of 4 clocks (AMD)
};

struct TargetInfo {
  Arch arch;
  Vendor vendor;
  int64_t waveLanes;     ///< lanes of a wave
  int64_t sharedBytes;   ///< shared memory one block may use
  int64_t maxThreads;    ///< lanes of a block
  int64_t maxRegisters;  ///< 32-bit registers a lane may hold
  int64_t unitRegisters; ///< 32-bit registers of a compute unit or multiprocessor
  /// Bytes per lane that one global-to-shared copy instruction can move, widest first.
  llvm::SmallVector<int64_t, 4> asyncCopyBytes;
  DType nativeE4M3, nativeE5M2;
  /// Dies with a cache of their own to which the hardware deals work-groups in turn (AMD: XCDs).
  int64_t dies;
  bool hasFp8Mma;
  /// Shared-memory reads of 8 bytes a lane that transpose 8- and 16-bit elements
  /// (ds_read_b64_tr_*).
  bool hasTransposedReads;
  /// Bytes of neighbouring f32 in global memory that one atomic addition covers; 0: one at a time.
  int64_t vectorAddBytes = 0;

  /// Atoms for these operand and accumulator types, best first. Empty: multiply on the vector unit.
  llvm::ArrayRef<MmaAtom> atoms() const;
  /// The best atom for an m x n x k gemm of these types; null when there is none.
  const MmaAtom *findAtom(DType a, DType b, DType c) const;
};

const TargetInfo &targetInfo(Arch arch);

} // namespace tilec
