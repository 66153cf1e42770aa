//===- BlockOrder.h - which block of the grid a work-group computes -------===//
//
// Work-groups start in the order of their numbers. Two maps, one after the other, put
// blocks that share operands where a cache can serve them together:
//
//   dies    the hardware deals work-groups to the dies of a chip in turn (each with a
//           cache of its own); groups of `chunk` consecutive
//           numbers go to one die instead
//   panels  numbers run through panels of `panel` rows (or columns) of blocks
//
// Both are permutations of any grid; what does not fill a whole deal stays in place.
// The same code computes a place as a number (for tests) and as IR.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace tilec {

struct BlockOrder {
  int64_t panel = 1;     ///< rows of blocks that are walked together; 1: launch order
  bool byColumn = false; ///< panels of columns instead
  int64_t dies = 1, chunk = 1;

  /// The order that `T.use_swizzle(panel)` asks for on a chip of so many dies: a die's chunk is a
  /// square of blocks, which shares the most operands (HipKittens takes 8 x 8 and 4 x 4, too).
  static BlockOrder panels(int64_t panel, bool byColumn, int64_t dies) {
    return {panel, byColumn, dies, panel * panel};
  }
  /// Rows of so many blocks, which share what blocks of other rows do not read: each goes to one
  /// die.
  static BlockOrder rows(int64_t blocks, int64_t dies) { return {1, false, dies, blocks}; }
  bool isLaunchOrder() const { return panel <= 1 && dies <= 1; }
  /// "panels of 8 rows, chunks of 64 blocks on each of 8 dies": for attributes and messages.
  std::string str() const;
  bool operator==(const BlockOrder &) const = default;
};

/// The (x, y) that work-group `number` computes in a grid of x times y blocks. `Math` has a type
/// Value and constant, add, sub, mul, div, rem, min, and less-than-select on it; all values are
/// unsigned.
template <typename Math>
std::pair<typename Math::Value, typename Math::Value>
blockAt(const BlockOrder &order, Math &math, typename Math::Value number,
        typename Math::Value gridX, typename Math::Value gridY) {
  using Value = typename Math::Value;
  if (order.dies > 1) {
    // number = place * dies + die becomes (round * dies + die) * chunk + place in the chunk.
    Value dies = math.constant(order.dies), chunk = math.constant(order.chunk);
    Value deal = math.constant(order.dies * order.chunk);
    Value die = math.rem(number, dies), place = math.div(number, dies);
    Value round = math.div(place, chunk), within = math.rem(place, chunk);
    Value dealt = math.add(math.mul(math.add(math.mul(round, dies), die), chunk), within);
    Value whole = math.mul(math.div(math.mul(gridX, gridY), deal), deal);
    number = math.selectLess(number, whole, dealt, number);
  }
  if (order.panel <= 1)
    return {math.rem(number, gridX), math.div(number, gridX)};
  // `slow` is the direction that panels cut.
  Value slowCount = order.byColumn ? gridX : gridY, fastCount = order.byColumn ? gridY : gridX;
  Value panel = math.constant(order.panel), panelBlocks = math.mul(fastCount, panel);
  Value first = math.mul(math.div(number, panelBlocks), panel);
  Value inPanel = math.rem(number, panelBlocks);
  Value width = math.min(panel, math.sub(slowCount, first)); // the last panel may be narrower
  Value slow = math.add(first, math.rem(inPanel, width)), fast = math.div(inPanel, width);
  return order.byColumn ? std::pair(slow, fast) : std::pair(fast, slow);
}

/// blockAt on numbers.
std::pair<int64_t, int64_t> blockAt(const BlockOrder &order, int64_t number, int64_t gridX,
                                    int64_t gridY);

} // namespace tilec
