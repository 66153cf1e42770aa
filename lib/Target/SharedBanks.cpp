//===- SharedBanks.cpp - LDS accesses of a wave and the banks -------------===//
//
// Sources of the tables: HipKittens, analysis/paper_experiments (gfx950: b128, b64,
// b96, ds_write_b64, by conflict counters over all lane pairs); the empirical-lds
// documents of "SH" (MI300X and MI350X: b32, b64, b128 by latency and counters); AMD's
// LDSBankModel.cpp in rocm-systems (writes, 32 banks). Not measured anywhere: writes of
// 32, 96 and 128 bits on gfx950; disputed: 32-bit reads on gfx950 (one phase of 64 banks
// here, as SH measured).
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#include "tilec/Target/SharedBanks.h"

#include "tilec/Target/Target.h"

#include "llvm/ADT/SmallVector.h"

#include <algorithm>

namespace tilec {

namespace {

constexpr unsigned waveLanes = bankedLanes;
using LaneSet = uint64_t; ///< bit n: lane n

constexpr LaneSet lanes(unsigned first, unsigned last) {
  return (last == 63 ? ~LaneSet(0) : (LaneSet(1) << (last + 1)) - 1) & ~((LaneSet(1) << first) - 1);
}

struct Phases {
  unsigned banks;
  llvm::SmallVector<LaneSet, 8> phases;
};

/// The same sets for lanes 0-31 and for lanes 32-63.
Phases bothHalves(unsigned banks, std::initializer_list<LaneSet> low) {
  Phases result{banks, {}};
  for (unsigned half : {0u, 32u})
    for (LaneSet set : low)
      result.phases.push_back(set << half);
  return result;
}

Phases consecutive(unsigned banks, unsigned lanesPerPhase) {
  Phases result{banks, {}};
  for (unsigned first = 0; first < waveLanes; first += lanesPerPhase)
    result.phases.push_back(lanes(first, first + lanesPerPhase - 1));
  return result;
}

/// Reads of three and more dwords with 32 banks: eight lanes a phase.
Phases wideReads() {
  return bothHalves(32, {lanes(0, 3) | lanes(20, 23), lanes(4, 7) | lanes(16, 19),
                         lanes(8, 11) | lanes(28, 31), lanes(12, 15) | lanes(24, 27)});
}

Phases phasesOf(int64_t banks, SharedAccess access) {
  unsigned dwords = std::max(1u, access.bytesPerLane / 4);
  if (!access.isRead)
    return consecutive(32, dwords == 1 ? 32 : dwords == 2 ? 16 : 8);
  if (banks == 64) {
    if (dwords == 4)
      return bothHalves(64, {lanes(0, 3) | lanes(12, 15) | lanes(20, 27),
                             lanes(4, 11) | lanes(16, 19) | lanes(28, 31)});
    if (dwords == 2)
      return consecutive(64, 32);
    return dwords == 1 ? consecutive(64, 64) : wideReads();
  }
  return dwords == 1 ? consecutive(32, 32) : dwords == 2 ? consecutive(32, 16) : wideReads();
}

} // namespace

unsigned bankConflicts(Arch arch, SharedAccess access, const LaneValues &byteAddresses) {
  Phases table = phasesOf(targetInfo(arch).sharedBanks, access);
  unsigned dwords = std::max(1u, access.bytesPerLane / 4), conflicts = 0;
  for (LaneSet phase : table.phases) {
    // (bank, dword), each wanted dword once.
    llvm::SmallVector<std::pair<uint32_t, uint32_t>, waveLanes> wanted;
    for (unsigned lane = 0; lane < waveLanes; ++lane)
      for (unsigned i = 0; phase >> lane & 1 && i < dwords; ++i) {
        uint32_t dword = byteAddresses[lane] / 4 + i;
        wanted.push_back({dword % table.banks, dword});
      }
    std::sort(wanted.begin(), wanted.end());
    unsigned most = 1, inBank = 0;
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (i > 0 && wanted[i] == wanted[i - 1])
        continue;
      inBank = i > 0 && wanted[i].first == wanted[i - 1].first ? inBank + 1 : 1;
      most = std::max(most, inBank);
    }
    conflicts += most - 1;
  }
  return conflicts;
}

} // namespace tilec
