//===- MmaSync.h - what NVIDIA's chips with mma.sync share ----------------===//
//
// Gives the fields that NVIDIA's chips since sm_80 share, and makes their matrix atoms from rows.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Target/Target.h"

namespace tilec::chips {

/// What every chip since sm_80 has; a chip's file says the rest and what it has more.
TargetInfo makeMmaSync(Arch arch);

/// The rows of MmaSync.def that came with sm_80, and those and what sm_89 added.
std::vector<MmaAtom> mmaOfSm80();
std::vector<MmaAtom> mmaOfSm89();

} // namespace tilec::chips
