//===- Gaps.h - what programs leave out until the compiler is mended ------===//
//
// The only place: a construct here is not generated. A row goes when its reason
// does.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <string_view>

namespace tilec::fuzz {

struct Gap {
  std::string_view construct, reason;
};

constexpr Gap gaps[] = {
    {"view", "an element of a T.view of another shape or dtype is refused on GPUs"},
    {"reshape", "the same of T.reshape"},
    {"int4", "an element of 4 bits is refused on GPUs"},
    {"uint4", "the same"},
    {"float4_e2m1fn", "the same"},
    {"while", "`while` is refused on GPUs"},
    {"break", "`break` and T.loop_break are refused on GPUs"},
    {"slice of a fragment",
     "a copy of rows of a fragment is refused with some layouts; its staging "
     "tile is read where nothing was written"},
    {"narrow to narrow", "a tile of a narrow float that is copied to another narrow float: the "
                         "cpu reference leaves the first rounding out"},
    {"narrow fragments in T.Persistent", "the simulator takes a register that is filled byte by "
                                         "byte in a loop for uninitialized"},
};

constexpr bool isGap(std::string_view construct) {
  for (const Gap &gap : gaps)
    if (gap.construct == construct)
      return true;
  return false;
}

} // namespace tilec::fuzz
