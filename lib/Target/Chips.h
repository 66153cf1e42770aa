//===- Chips.h - the makers of all chips ----------------------------------===//
//
// One function a chip, which makes its TargetInfo; Target.cpp lists them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Target/Target.h"

namespace tilec::chips {

#define TILEC_ARCH(id, vendor, name, description, ranOn) TargetInfo make##id();
#include "tilec/Base/Archs.def"

} // namespace tilec::chips
