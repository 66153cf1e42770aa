//===- Bulk.h - boxes of TMA ----------------------------------------------===//
//
// Source: CUDA driver API 13.0, cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col; PTX ISA 9.0,
// "im2col mode".
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Machine.h"
#include "Swizzle.h"

#include <algorithm>

namespace tilec::ptx {

constexpr uint32_t sharedAlign = 128; ///< of a box in shared memory
constexpr uint32_t linearAlign = 16;

inline uint32_t innerBytes(const TensorMap &map) { return map.box[0] * map.elementBytes; }

inline uint32_t boxBytes(const TensorMap &map) {
  uint32_t bytes = innerBytes(map);
  for (unsigned d = 1; d < (map.isIm2col ? 2 : map.rank); ++d)
    bytes *= map.box[d];
  return bytes;
}

/// The first pixel of each row of an im2col box: where a convolution's kernel begins, from the
/// copy's coordinates on, line by line between the corners, image by image.
class KernelPlaces {
public:
  explicit KernelPlaces(const BulkCopy &copy) : map(copy.map) { std::copy_n(copy.coords, 4, at); }

  /// Of a dimension (1: w, 2: h, 3: n).
  int64_t operator[](unsigned d) const { return at[d]; }
  int64_t lower(unsigned d) const { return map.lower[d - 1]; }
  /// The first that is too far.
  int64_t end(unsigned d) const { return int64_t(map.dims[d]) + map.upper[d - 1]; }
  void next() {
    for (unsigned d : {1, 2}) {
      at[d] += map.steps[d - 1];
      if (at[d] < end(d))
        return;
      at[d] = lower(d);
    }
    ++at[3];
  }

private:
  const TensorMap &map;
  int64_t at[4];
};

/// Calls `visit(offset in the box, offset in the tensor or -1, bytes)` for each row of a box, cut
/// at the edges of the tensor: what is outside comes with -1.
template <typename F> void forRows(const BulkCopy &copy, F visit) {
  const TensorMap &map = copy.map;
  uint32_t rows = boxBytes(map) / innerBytes(map);
  int64_t first = std::clamp<int64_t>(-copy.coords[0], 0, map.box[0]);
  int64_t end = std::clamp<int64_t>(int64_t(map.dims[0]) - copy.coords[0], first, map.box[0]);
  KernelPlaces places(copy);
  for (uint32_t row = 0; row < rows; ++row) {
    uint32_t rest = row;
    int64_t offset = 0;
    bool isInside = true;
    for (unsigned d = 1; d < map.rank; ++d) {
      int64_t at = copy.coords[d];
      if (map.isIm2col) {
        at = places[d] + (d < 3 ? copy.offsets[d - 1] : 0);
      } else {
        at += rest % map.box[d];
        rest /= map.box[d];
      }
      isInside &= at >= 0 && at < int64_t(map.dims[d]);
      offset += at * int64_t(map.strideBytes[d - 1]);
    }
    if (map.isIm2col)
      places.next();
    uint32_t start = row * innerBytes(map), each = map.elementBytes;
    if (!isInside) {
      visit(start, int64_t(-1), innerBytes(map));
      continue;
    }
    if (first)
      visit(start, int64_t(-1), uint32_t(first * each));
    if (end > first)
      visit(uint32_t(start + first * each), offset + (copy.coords[0] + first) * each,
            uint32_t((end - first) * each));
    if (end < map.box[0])
      visit(uint32_t(start + end * each), int64_t(-1), uint32_t((map.box[0] - end) * each));
  }
}

/// The bytes of a box in the tensor's order, from or to shared memory, where 16-byte chunks are
/// swizzled.
template <typename F>
void forChunks(uint32_t shared, uint32_t bytes, uint32_t swizzleBytes, F visit) {
  constexpr uint32_t chunk = 16;
  for (uint32_t at = 0; at < bytes; at += chunk)
    visit(at, swizzled(shared + at, swizzleBytes), std::min(chunk, bytes - at));
}

/// What a copy's global side is.
enum BulkShape : uint8_t { Tensor, Linear };

/// Global memory that a transfer wants; a fault where there is none.
uint8_t *globalBytes(Machine &machine, const BulkCopy &copy, uint64_t address, uint32_t bytes,
                     uint8_t **written);
/// Reads the tensor map and the coordinates that the operand names.
bool readMap(Warp &warp, const Instruction &instr, unsigned lane, const Operand &operand,
             BulkCopy &copy);
/// The only lane of a bulk copy. Others would copy the same again: a mistake, never a wish.
bool oneLane(Warp &warp, const Instruction &instr, uint32_t lanes);
/// A shared address of a lane, with the block's rank.
uint64_t sharedOffset(Warp &warp, const Operand &operand, unsigned lane);
/// The order of the words of global memory that a transfer reads or writes.
bool noteGlobal(Warp &warp, const Instruction &instr, uint32_t lanes, const BulkCopy &copy,
                AccessKind kind);

} // namespace tilec::ptx
