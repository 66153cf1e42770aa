//===- Strategies.h - every strategy --------------------------------------===//
//
// A new strategy is a file here and a line in Strategies.def; nothing else changes.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/SchedulePlan.h"

namespace tilec::schedule {

#define TILEC_SCHEDULE_STRATEGY(name) extern const ScheduleStrategy name;
#include "Schedule/Strategies/Strategies.def"
#undef TILEC_SCHEDULE_STRATEGY

} // namespace tilec::schedule
