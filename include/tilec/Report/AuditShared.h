//===- AuditShared.h - are LDS DMAs and the reads of their data apart? ----===//
//
// A DMA writes LDS at some time between its issue and a wait of the wave that issued
// it. Another wave may read those bytes after that wait and a barrier, and a DMA may
// overwrite them after the reads have arrived and a barrier. This proves both from the
// machine code: the integer skeleton of the kernel is executed for every wave of a
// block, which gives the exact bytes of every DMA and read, and every pair that meets
// in a byte is compared by the barriers between them.
//
// SPDX-License-Identifier: Apache-2.0
//===----------------------------------------------------------------------===//
#pragma once

#include "tilec/Report/Disassembly.h"

namespace tilec::report {

struct SharedFinding {
  enum Kind : uint8_t {
    ReadTooEarly,        ///< the DMA may not have landed for the wave that reads
    OverwrittenTooEarly, ///< the read may not have been served when the DMA lands
    TwoDmas,             ///< two DMAs in flight to the same bytes
  };
  Kind kind = ReadTooEarly;
  uint64_t dmaAddress = 0; ///< of the instruction
  std::string dma;
  uint64_t otherAddress = 0; ///< of the read, or of the second DMA
  std::string other;
  unsigned dmaWave = 0, otherWave = 0; ///< of the block, the first pair found
  unsigned byte = 0;                   ///< of LDS, one that both have
};

struct SharedAudit {
  unsigned dmas = 0;  ///< LDS DMA instructions of the kernel that some wave executed
  unsigned reads = 0; ///< LDS read instructions that fetch what a DMA wrote
  /// Why nothing is proved: an address that does not follow from thread numbers, a branch that
  /// leads nowhere. Empty when the findings are all there is.
  std::string unproved;
  /// How often loops were followed whose number of rounds the code does not tell; empty when it
  /// tells all of them.
  std::vector<unsigned> assumedRounds;
  std::vector<SharedFinding> findings; ///< one for each pair of instructions

  bool isProved() const { return unproved.empty() && findings.empty(); }
};

/// The audit of a kernel of one-dimensional blocks, for a block of as many threads as it was
/// compiled for. A kernel without LDS DMAs is proved at once.
SharedAudit auditShared(const KernelCode &kernel);

std::string describe(const SharedAudit &audit);

} // namespace tilec::report
