//===- Shared.h - the shared memory of a block ----------------------------===//
//
// Bytes, and for each what is known of it: whether it holds a value, whether a copy
// is on its way to it, and who wrote and read its word last.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Order.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tilec::ptx {

/// An mbarrier object (PTX ISA 9.0, "Parallel Synchronization and Communication: mbarrier").
struct MBarrier {
  uint32_t count = 0, pending = 0;
  int64_t tx = 0;
  uint64_t phase = 0;
  Clock arriving, arrived; ///< of the phase that runs, of those that are over
  Epoch initialised;

  /// Ends the phase when nothing is missing.
  bool settle();
};

/// What wants to touch shared memory.
struct Access {
  const Clock *clock = nullptr; ///< of the warp that asks
  Epoch epoch;                  ///< that the access gets
  bool isAsync = false;         ///< asynchronous proxy
  bool checksOrder = true;
  bool hasSwaps = true; ///< the program has compare-and-swaps (Order.h)
};

/// As a message says it; warps are counted through the cluster.
std::string nameOfAgent(uint32_t agent);

class SharedMemory {
public:
  SharedMemory(uint32_t bytes);

  uint32_t size() const { return uint32_t(bytes.size()); }
  uint8_t *data(uint32_t address) { return bytes.data() + address; }

  /// Empty, or what is wrong with reading these bytes now.
  std::string checkRead(uint32_t address, uint32_t count, const Access &access);
  /// The same for writing; `values`, where given, are what is written: the same value written twice
  /// harms nobody.
  std::string checkWrite(uint32_t address, uint32_t count, const Access &access,
                         const uint8_t *values = nullptr);
  /// Remember the access.
  void noteRead(uint32_t address, uint32_t count, Epoch epoch);
  void noteWrite(uint32_t address, uint32_t count, Epoch epoch);
  /// What was written there was no value.
  void forget(uint32_t address, uint32_t count);

  bool holdsValues(uint32_t address, uint32_t count) const;
  /// A copy to these bytes has started or landed.
  void addPending(uint32_t address, uint32_t count, int change);
  bool hasPending(uint32_t address, uint32_t count) const;

  /// The barrier whose object is at `address`, or nullptr.
  MBarrier *barrier(uint32_t address);
  std::map<uint32_t, MBarrier> barriers;

private:
  std::string overBarrier(uint32_t address, uint32_t count) const;
  /// What is wrong with an access there at any time: it `reads` or `writes`.
  std::string checkPlace(uint32_t address, uint32_t count, llvm::StringRef verb) const;

  static constexpr unsigned readers = 4; ///< that are remembered, of each word
  std::vector<uint8_t> bytes, written, pending;
  std::vector<Epoch> lastWrite;
  std::vector<std::array<Epoch, readers>> lastReads;
};

} // namespace tilec::ptx
