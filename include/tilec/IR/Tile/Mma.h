//===- Mma.h - how a gemm is multiplied -----------------------------------===//
//
// The value behind `#tile.mma`: which instructions multiply, how waves share them, in which order K
// comes and where the operands are read from. Layout inference decides it; every later pass reads
// it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <optional>
#include <string>

namespace tilec::tile {

/// Who multiplies together.
enum class MmaUnit {
  Wave,      ///< instructions of a wave: a row of the target's atoms
  WarpGroup, ///< instructions of four waves, which read shared memory themselves
  Lanes,     ///< each lane its part, without a matrix instruction
};
llvm::StringRef stringifyMmaUnit(MmaUnit unit);
std::optional<MmaUnit> symbolizeMmaUnit(llvm::StringRef name);

struct Mma {
  MmaUnit unit = MmaUnit::Wave;
  std::string atom;               ///< of a wave: the instruction's name in the target's table
  int64_t m = 0, n = 0, k = 0;    ///< of one instruction, along the gemm's M, N and K
  int64_t wavesM = 1, wavesN = 1; ///< that share C
  int64_t copies = 1;             ///< waves that compute the same
  int64_t repsM = 1, repsN = 1;   ///< instructions of a wave, or of a warp group
  int64_t steps = 1;              ///< along K, of `pack` instructions each
  int64_t pack = 1;               ///< instructions along K that one read feeds
  int64_t togetherM = 1,
          togetherN = 1; ///< neighbouring rows of A, columns of B that one read gives
  /// Bit i of the instruction's k is worth order[i]; empty: 1, 2, 4, ...
  llvm::SmallVector<int64_t, 6> order;
  std::array<bool, 2> inRegisters{}; ///< where A and B are read from; else in shared memory
  bool swapped = false;              ///< the instruction's A is the gemm's B

  bool operator==(const Mma &) const = default;
};

llvm::hash_code hash_value(const Mma &mma);

class GemmOp;
/// What in the gemm's `mma` contradicts its operands or itself; nothing when all agrees.
std::optional<std::string> complaintAbout(const Mma &mma, GemmOp gemm);

} // namespace tilec::tile
