//===- SameLayout.h - two fragment layouts that are one -------------------===//
//
// Takes two fragment layouts, says whether they hold every element at the same place, however they
// are written.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Layout/FragmentLayout.h"

namespace tilec {

/// Whether both hold every element in the same register of the same lane, however they are written:
/// repetitions by powers of two may be register bits of the atom.
bool holdsLike(const FragmentLayout &a, const FragmentLayout &b);

} // namespace tilec
