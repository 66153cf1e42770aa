//===- Served.h - how a producer serves a loop ----------------------------===//
//
// The value behind `#tile.served`: that a producer brings the tiles of a loop, in how many slots,
// and how the others run a round beside that. Passes of lib/Transforms/Roles decide it, one thing
// each; `tile-expand-producers` reads it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mlir {
class Operation;
}

namespace tilec::tile {

/// When those who consume wait for the gemms of a round.
enum class RoundForm {
  Plain,      ///< for each where it stands
  Beside,     ///< for each in front of the statement that needs it
  InFlight,   ///< for its only one in the next round
  Overlapped, ///< for the second of two under the first one of the next round
};
llvm::StringRef stringifyRoundForm(RoundForm form);
std::optional<RoundForm> symbolizeRoundForm(llvm::StringRef name);

/// When a statement of an overlapped round runs: before the first gemm of its round, beside the
/// second one of the round before, or behind that; deferred ones beside the first gemm of the next
/// round.
enum class RoundPart {
  Head,  ///< what the first gemm needs
  First, ///< the first gemm
  Early, ///< may run beside the second gemm of the round before
  /// As `Early`, and what `Late` ones read is computed last by this: its second half and what
  /// follows it run beside them.
  Longest,
  Late,     ///< must wait for that gemm
  Second,   ///< the second gemm
  Deferred, ///< must wait for it, too, but the next first gemm need not wait for it
};
llvm::StringRef stringifyRoundPart(RoundPart part);
std::optional<RoundPart> symbolizeRoundPart(llvm::StringRef name);

struct Served {
  RoundForm form = RoundForm::Plain;
  int64_t slots = 1;        ///< of each of its tiles
  bool everyThread = false; ///< threads read slots themselves, beside the gemms
  bool exact = false;       ///< so many slots are what the author wants, not a wish
  // Of overlapped loops.
  std::vector<RoundPart> parts; ///< of each statement of a round (`statementsOf`)
  bool takesTurns = false;      ///< warp groups multiply in turn
  /// The second gemm is waited for beside the first, and its tile released: where there is no
  /// second slot and the gemms take less time than a copy, the next tile comes beside what lies
  /// between.
  bool endsTogether = false;
  /// The first gemm's tiles come a round before those of the second one, which is the order in
  /// which the consumers release them: where there is no second slot.
  bool firstAhead = false;

  bool operator==(const Served &) const = default;
};

llvm::hash_code hash_value(const Served &served);

class ForOp;
/// The statements of a round, in order: what touches memory, without the copies that a producer
/// brings and fragments, whose registers are there before.
llvm::SmallVector<mlir::Operation *> statementsOf(ForOp loop);

/// What in the loop's `served` contradicts the loop or itself; nothing when all agrees.
std::optional<std::string> complaintAbout(const Served &served, ForOp loop);

} // namespace tilec::tile
