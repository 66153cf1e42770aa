//===- SchedulePicture.h - planned loops as pictures ----------------------===//
//
// Takes plans of matrix loops, and loops over the slots of a ring, and draws them as SVG.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilec {

struct SchedulePlan;
namespace tile {
class ProgramOp;
}

/// SVG elements that fill a box from (0, 0).
struct SchedulePicture {
  std::string elements;
  double width = 0, height = 0;
};

/// One below the other, as an SVG file.
std::string svgOf(llvm::ArrayRef<SchedulePicture> pictures);

/// One round of a plan: a row per kind of step, in program order to the right.
SchedulePicture drawSchedule(const SchedulePlan &plan, llvm::StringRef title);

/// A loop over the slots of a ring: a producer fills them for its consumers, or the threads that
/// read them start the copies themselves, rounds ahead.
struct PipePlan {
  std::string kernel;
  bool hasProducer = true;
  int64_t slots = 1;
  int64_t slotBytes = 0;
  std::string buffers; ///< with a producer: whose copies fill a slot, "`k`, `v`"
  int64_t lag = 0;     ///< rounds that a slot is kept after the one that reads it
  int64_t teams = 1;   ///< of consumers that take turns
  /// What one round does, in order; as in Tile IR, without operands.
  std::vector<std::string> producer, consumer; ///< without a producer: `consumer` has all
};

/// Of a program at stage tile-pipelined, in program order.
std::vector<PipePlan> pipePlansOf(tile::ProgramOp program);

/// Who works on which slot in which round.
SchedulePicture drawPipe(const PipePlan &plan);

} // namespace tilec
