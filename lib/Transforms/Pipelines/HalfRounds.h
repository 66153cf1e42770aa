//===- HalfRounds.h - one slot a tile, filled while others are read --------===//
//
// Takes the plan of a loop whose copies are counted, says whether its tiles had better take turns.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Pipelines/Pipeline.h"

namespace tilec {

/// Where a round reads some tiles first and others behind them: makes a plan of one slot each, of
/// which the one group is copied while the other is read (PipelinePlan::inTurns). False: the plan
/// stays.
bool canTakeTurns(PipelinePlan &plan, tile::ForOp loop, const TargetInfo &target);

/// The same where that leaves more blocks on a unit than two slots do, and as many are enough to
/// hide copies behind half a round. Says so in a remark.
bool takeTurnsForBlocks(PipelinePlan &plan, tile::ForOp loop, LoopMemory &loops,
                        const TargetInfo &target);

} // namespace tilec
