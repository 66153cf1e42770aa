//===- Constants.h - the numbers of the timing model ----------------------===//
//
// Constants.def as numbers for a chip, and as rows with their meaning.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Base/Arch.h"

namespace tilec::sim {

/// Rows of Constants.def for one target.
struct TimingConstants {
#define TIMING(name, gfx942, gfx950, unit, source) double name;
#include "Constants.def"
};

/// A row with what it means, for reports and the test that freezes the table.
struct TimingConstantRow {
  const char *name;
  double gfx942, gfx950;
  const char *unit, *source;
};

const TimingConstants &timingConstants(Arch arch);

inline constexpr TimingConstantRow timingConstantRows[] = {
#define TIMING(name, gfx942, gfx950, unit, source) {#name, gfx942, gfx950, unit, source},
#include "Constants.def"
};

} // namespace tilec::sim
