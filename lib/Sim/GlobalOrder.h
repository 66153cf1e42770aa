//===- GlobalOrder.h - who uses which bytes of global memory --------------===//
//
// For the whole launch. Work-groups are in no order among themselves, unless the kernel
// has fences for that (then nothing is said about work-groups): what one writes may not
// be used by another, atomics among atomics excepted. A barrier of a cooperative launch
// is between what came before and after it. Waves of a work-group are ordered
// by barriers, as in LDS.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "Checker.h"

#include <atomic>
#include <map>
#include <mutex>

namespace tilec::sim {

/// Who has used four bytes, or one of them.
struct GlobalCell {
  uint32_t writer = 0, reader = 0; ///< work-group + 1; see GlobalOrder::several
  uint32_t write = 0;              ///< AccessRecord of the writer's work-group
  uint32_t value = 0;              ///< that a plain store has written
  SharedAccess reads;              ///< of the work-group `reader`
  /// How often the grid had met before these (Group::gridMeetings), in the bits that there are.
  uint16_t writeMeetings = 0, readMeetings = 0;
  uint8_t lock = 0;
  bool isAtomic = false; ///< the write
  bool isSplit = false;  ///< the dword's bytes have cells of their own
};

class GlobalOrder {
public:
  static constexpr uint32_t several = ~0u;
  ~GlobalOrder();
  GlobalOrder(const GlobalOrder &) = delete;
  GlobalOrder &operator=(const GlobalOrder &) = delete;

  /// They live as long as this. None: the host has no address space for them.
  GlobalCells cellsOf(const Allocation &allocation);
  /// One lane's access (`lane` < 0: a scalar one). `data`: what a plain store is about to write.
  void access(Wave &wave, const MemOp &op, int lane, const GlobalCells &cells, uint64_t address,
              unsigned bytes, bool isWrite, const void *data);
  /// `barrier`: the word by which the work-groups of a cooperative launch meet, or 0.
  /// `hasSwaps`: the kernel has compare-and-swaps, whose loops begin with a plain read that may be
  /// old (LLVM's AtomicExpand): then atomics are not compared with reads.
  GlobalOrder(uint64_t barrier, bool hasSwaps) : barrier(barrier), hasSwaps(hasSwaps) {}
  /// The work-group has made what it did known to others, or what others did to itself.
  void fence(Group &group);

private:
  struct Part;
  void accessPart(Wave &wave, const MemOp &op, int lane, const GlobalCells &cells, uint64_t address,
                  unsigned bytes, bool isWrite, const void *data);
  void accessCell(Wave &wave, const MemOp &op, const Part &part, GlobalCell &cell);
  void read(Wave &wave, const MemOp &op, const Part &part, GlobalCell &cell);
  void write(Wave &wave, const MemOp &op, const Part &part, GlobalCell &cell);
  void race(Wave &wave, const MemOp &op, const Part &part, uint32_t otherGroup,
            const AccessRecord *other, const char *what);
  bool ordersGroups() const { return hasFences.load(std::memory_order_relaxed); }

  struct Region {
    void *start = nullptr;
    size_t size = 0;
    GlobalCells cells;
  };
  const uint64_t barrier;
  const bool hasSwaps;
  std::mutex mutex;
  std::map<uint64_t, Region> regions; ///< by the allocation's address
  std::atomic<bool> hasFences = false;
};

} // namespace tilec::sim
