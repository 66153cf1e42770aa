//===- Lives.cpp - what buffers take while they live ----------------------===//
//
// Takes the lives of buffers, sums up what begins and ends at each place.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Analysis/Lives.h"

using namespace mlir;

namespace tilec {

int64_t mostBitsAlive(ArrayRef<BufferLife> lives) {
  int64_t places = 0;
  for (const BufferLife &life : lives)
    places = std::max(places, life.last + 1);
  std::vector<int64_t> changes(places + 1, 0);
  for (const BufferLife &life : lives) {
    changes[life.first] += life.bits;
    changes[life.last + 1] -= life.bits;
  }
  int64_t alive = 0, most = 0;
  for (int64_t change : changes)
    most = std::max(most, alive += change);
  return most;
}

int64_t bitsOfBuffer(Value buffer) {
  auto type = cast<tile::BufferType>(buffer.getType());
  return type.numElems() * bitsOf(tile::dtypeOf(type.getElementType()));
}

} // namespace tilec
