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
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

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

struct Served {
  RoundForm form = RoundForm::Plain;
  int64_t slots = 1;        ///< of each of its tiles
  bool everyThread = false; ///< threads read slots themselves, beside the gemms
  bool exact = false;       ///< so many slots are what the author wants, not a wish
  // Of overlapped loops.
  bool takesTurns = false; ///< warp groups multiply in turn
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
/// What in the loop's `served` contradicts the loop or itself; nothing when all agrees.
std::optional<std::string> complaintAbout(const Served &served, ForOp loop);

} // namespace tilec::tile
