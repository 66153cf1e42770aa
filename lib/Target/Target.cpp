//===- Target.cpp - the questions that a chip's fields answer -------------===//
//
// Takes an Arch, gives its TargetInfo, and finds atoms for element types in it.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Target/Target.h"

#include "Chips.h"

#include "tilec/Base/Math.h"

#include <algorithm>

namespace tilec {

const TargetInfo &targetInfo(Arch arch) {
  static const TargetInfo infos[] = {
#define TILEC_ARCH(id, vendor, name, description, ranOn) chips::make##id(),
#include "tilec/Base/Archs.def"
  };
  return infos[static_cast<int>(arch)];
}

int64_t TargetInfo::asyncCopy(int64_t bytes) const {
  for (int64_t piece : asyncCopies.bytes)
    if (piece <= bytes)
      return piece;
  return 0;
}

int64_t TargetInfo::registersOf(int64_t waves) const {
  int64_t sharers = registers.areOfSchedulers ? alignTo(waves, schedulers) : waves;
  int64_t share = registers.ofUnit / (sharers * waveLanes);
  return std::min(registers.ofLane, share / registers.step * registers.step);
}

const MmaAtom *TargetInfo::findAtom(DType a, DType b, DType c, bool tfloat32) const {
  for (const MmaAtom &atom : mma)
    if (atom.a == a && atom.b == b && atom.c == c && (tfloat32 || !atom.isTfloat32))
      return &atom;
  return nullptr;
}

const GroupAtom *TargetInfo::findGroupAtom(DType a, DType b, DType c, bool tfloat32) const {
  for (const GroupAtom &atom : groups)
    if (atom.a == a && atom.b == b && atom.c == c && (tfloat32 || !atom.isTfloat32))
      return &atom;
  return nullptr;
}

} // namespace tilec
