//===- Shapes.h - loops that schedules are tested on ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Transforms/SchedulePlan.h"

struct NamedShape {
  const char *name;
  tilec::ScheduleShape shape;
};

inline tilec::ScheduleShape shapeOf(int64_t repsM, int64_t repsN, int64_t kSteps, int64_t dmasA,
                                    int64_t dmasB, int64_t slots, int64_t waves,
                                    int64_t kStepsPerRead = 1) {
  tilec::ScheduleShape shape;
  shape.repsM = repsM;
  shape.repsN = repsN;
  shape.kSteps = kSteps;
  shape.kStepsPerRead = kStepsPerRead;
  shape.slots = slots;
  shape.waves = waves;
  shape.wavesPerSimd = (waves + 3) / 4;
  shape.registers = 512 / shape.wavesPerSimd;
  shape.mostOpen = 62;
  shape.dmas = {dmasA, dmasB};
  shape.setProportionalCover();
  return shape;
}

/// The same with operands that are turned in registers.
inline tilec::ScheduleShape together(tilec::ScheduleShape shape, int64_t a, int64_t b) {
  shape.together = {a, b};
  return shape;
}

/// Loops of both targets; names say block tile, waves and stages.
inline std::vector<NamedShape> testShapes() {
  return {
      {"gfx950 256x256x64, 8 waves", shapeOf(8, 4, 2, 4, 4, 2, 8)},
      {"gfx950 256x256x64, 4 waves", shapeOf(8, 8, 2, 8, 8, 2, 4)},
      {"gfx950 128x128x64, 4 waves", shapeOf(4, 4, 2, 4, 4, 2, 4)},
      {"gfx950 128x128x64, 4 waves, 3 stages", shapeOf(4, 4, 2, 4, 4, 3, 4)},
      {"gfx950 256x128x64, 8 waves", shapeOf(4, 4, 2, 4, 2, 2, 8)},
      {"gfx950 64x64x128, 4 waves", shapeOf(2, 2, 4, 4, 4, 2, 4)},
      {"gfx942 256x256x32, 8 waves", shapeOf(8, 4, 2, 8, 8, 2, 8)},
      {"gfx942 256x256x32, wide reads", shapeOf(8, 4, 2, 8, 8, 2, 8, 2)},
      {"gfx942 256x256x32, 8 waves, rows together", together(shapeOf(8, 4, 2, 8, 8, 2, 8), 4, 4)},
      {"gfx942 128x128x32, 4 waves, 4 stages", shapeOf(4, 4, 2, 8, 8, 4, 4)},
  };
}
