//===- GlobalOrder.h - who uses which word of global memory ---------------===//
//
// Within a cluster the vector clocks of Order.h say what comes first. Blocks of
// different clusters are ordered by barriers of a cooperative launch only, unless the
// kernel has fences for that, when nothing is looked at here: a word that one writes may
// not be used by another.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Order.h"

#include <array>
#include <memory>
#include <string>
#include <unordered_map>

namespace tilec::ptx {

/// What wants to touch global memory.
struct GlobalAccess {
  uint32_t cluster = 0; ///< of the grid
  const Clock *clock = nullptr;
  Epoch epoch;
  bool isConstant = false; ///< ld.global.nc: what it reads may not change
  uint32_t meetings = 0;   ///< of the grid, before it
};

class GlobalOrder {
public:
  /// `hasSwaps`: the program has compare-and-swaps (Order.h).
  explicit GlobalOrder(bool hasSwaps) : hasSwaps(hasSwaps) {}
  /// Empty, or what is wrong with reading these bytes now; remembers the read.
  std::string read(uint64_t address, uint32_t bytes, const GlobalAccess &access);
  /// The same for writing. `before` and `after`, where given, are the bytes there and those that
  /// come: the same value written twice harms nobody.
  std::string write(uint64_t address, uint32_t bytes, const GlobalAccess &access,
                    const uint8_t *before = nullptr, const uint8_t *after = nullptr);

private:
  static constexpr uint32_t nobody = ~0u, several = ~0u - 1;
  /// One reader is remembered, and whether there were some in several clusters.
  struct Word {
    uint32_t writer = nobody, reader = nobody; ///< clusters
    Epoch written, read;
    uint32_t writeMeetings = 0, readMeetings = 0;
  };
  static constexpr uint32_t wordBytes = 4, pageBytes = 4096;
  using Page = std::array<Word, pageBytes / wordBytes>;
  Word &word(uint64_t address);

  const bool hasSwaps;
  std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  uint64_t lastPage = ~0ull;
  Page *last = nullptr;
};

} // namespace tilec::ptx
