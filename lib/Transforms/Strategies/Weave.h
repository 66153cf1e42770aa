//===- Weave.h - helpers that strategies share ----------------------------===//
//
// Takes runs of reads, copies and matrix instructions, gives them in one order.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/SchedulePlan.h"

namespace tilec::strategy {

/// The matrix instructions of rows [firstM, endM), columns [firstN, endN) and K steps [firstK,
/// endK) of a tile: K outermost, then rows. Neighbours share an operand.
std::vector<ScheduleStep> mmas(int64_t firstM, int64_t endM, int64_t firstN, int64_t endN,
                               int64_t firstK, int64_t endK, int64_t tile);

/// All reads of one operand at one K step of a tile.
std::vector<ScheduleStep> reads(MmaOperand operand, int64_t firstRep, int64_t endRep, int64_t k,
                                int64_t tile);

/// All copies of one operand of a tile.
std::vector<ScheduleStep> copies(MmaOperand operand, int64_t count, int64_t tile);

/// Appends `work` with the steps of `memory` spread evenly between its first `span` steps (all of
/// them: 0), in order, the first one behind the first of `work`.
void weave(std::vector<ScheduleStep> &out, llvm::ArrayRef<ScheduleStep> work,
           llvm::ArrayRef<ScheduleStep> memory, size_t span = 0);

/// `first` and `second` merged so that each is spread over the whole.
std::vector<ScheduleStep> merge(llvm::ArrayRef<ScheduleStep> first,
                                llvm::ArrayRef<ScheduleStep> second);

void append(std::vector<ScheduleStep> &out, llvm::ArrayRef<ScheduleStep> steps);

/// Vector registers that accumulators and `sets` K steps of operands take.
int64_t registersFor(const ScheduleShape &shape, int64_t sets);
/// Vector registers a wave may use, for the waves of the block on a SIMD.
int64_t registerBudget(const ScheduleShape &shape);

} // namespace tilec::strategy
